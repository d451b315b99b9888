import Foundation
import PlumbTestSupport
import Testing

/// `plumb buffer`: refused arguments, and their status.
struct BufferArgumentTests {
  private static let point = #"{"type":"Point","coordinates":[10,20]}"#

  @Test(arguments: [
    ["--at", "1,2"], ["--distance", "1"], ["--at", "1,2", "p.geojson", "--distance", "1"],
    ["p.geojson"], ["p.geojson", "--distance", "1", "--distance-field", "d"],
    ["p.geojson", "--distance", "abc"], ["p.geojson", "--distance", ""],
    ["p.geojson", "--distance", "nan"], ["p.geojson", "--distance", "inf"],
    ["p.geojson", "--distance", "-inf"], ["p.geojson", "--distance", "1,"],
    ["p.geojson", "--distance", ",1"], ["p.geojson", "--distance", "1,,2"],
    ["p.geojson", "--distance", "1e999"], ["p.geojson", "--distance", "0x10"],
    ["p.geojson", "--distance", "1 2"], ["p.geojson", "--distance", "1", "--distance", "2"],
    ["p.geojson", "--distance", "1", "--max-deviation", "1"],
    ["p.geojson", "--distance", "1", "--curve", "geodesic"],
    ["p.geojson", "--distance", "1", "--geodesic", "--max-deviation", "0"],
    ["p.geojson", "--distance", "1", "--geodesic", "--max-deviation", "-1"],
    ["p.geojson", "--distance", "1", "--geodesic", "--max-deviation", "nan"],
    ["p.geojson", "--distance", "1", "--geodesic", "--max-deviation", "inf"],
    ["p.geojson", "--distance", "1", "--geodesic", "--max-deviation", "x"],
    ["p.geojson", "--distance", "1", "--geodesic", "--curve", "straight"],
    ["p.geojson", "--distance", "1", "--unit", "yd"],
    ["p.geojson", "--distance", "1", "--threads", "0"],
    ["p.geojson", "q.geojson", "--distance", "1"],
    ["--at", "1,2", "--distance", "1", "--layer", "a"],
    ["--at", "1,2", "--distance", "1", "--x", "a"], ["--at", "1,2", "--distance-field", "a"],
    ["--at", "1", "--distance", "1"], ["--at", "1,2,3", "--distance", "1"],
    ["--at", "nan,2", "--distance", "1"], ["--at", "a,b", "--distance", "1"],
  ])
  func `wrong usage exits with 64 and writes nothing`(arguments: [String]) throws {
    let fixture = try Fixture()
    try fixture.folder.write("p.geojson", Self.point)
    let run = try plumb(["buffer"] + arguments, folder: fixture.folder.path)
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.hasPrefix("Error: ") && run.output == "", "\(run.errors)")
  }

  @Test func `the help names every option`() throws {
    let run = try plumb(["buffer", "--help"])
    for option in [
      "--at", "--distance", "--distance-field", "--unit", "--geodesic", "--max-deviation",
      "--curve", "--union", "--layer", "--crs", "--out-crs", "--output", "--of", "--overwrite",
      "--threads", "--quiet",
    ] {
      #expect(run.output.contains(option), "\(option)")
    }
    #expect(try plumb(["--help"]).output.contains("buffer"))
  }

  /// Runs on one point of EPSG:4326 or another CRS.
  private func run(_ options: [String]) throws -> ProgramRun {
    try plumb(["buffer", "--at", "500000,6200000"] + options)
  }

  @Test func `units fit the CRS or are refused with a remedy`() throws {
    try run(["--distance", "1", "--crs", "EPSG:32734", "--unit", "deg"])
      .expectRefusal("EPSG:32734", "metre", "--unit m")
    for unit in ["m", "km", "ft", "us-ft", "mi", "nmi"] {
      try plumb(["buffer", "--at", "1,2", "--distance", "1", "--unit", unit])
        .expectRefusal("EPSG:4326", "degree", "--geodesic")
    }
    try plumb(["buffer", "--at", "1,2", "--distance", "1", "--unit", "deg", "--geodesic"])
      .expectRefusal("--unit m")
    try plumb(["buffer", "--at", "1,2", "--distance", "1", "--crs", "EPSG:0"])
      .expectRefusal("EPSG:0")
    let fixture = try Fixture()
    let path = try fixture.folder.write("p.csv", "x,y\n1,2\n")
    try plumb(["buffer", path, "--distance", "1", "--unit", "m"]).expectRefusal("--crs")
    try plumb(["buffer", path, "--distance", "1", "--geodesic"]).expectRefusal("--crs")
    try plumb(["buffer", path, "--distance", "1"]).expectRefusal("GeoJSON", "--crs")
  }

  @Test func `degrees without a unit cause one warning`() throws {
    let bare = try plumb(["buffer", "--at", "1,2", "--at", "3,4", "--distance", "1"])
    #expect(bare.status == 0)
    let lines = bare.errors.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix("plumb: warning: "), "\(bare.errors)")
    #expect(bare.errors.contains("degree") && bare.errors.contains("--geodesic"))
    for options in [["--unit", "deg"], ["-q"]] {
      let run = try plumb(["buffer", "--at", "1,2", "--distance", "1"] + options)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    }
  }

  @Test func `GeoJSON is in WGS84 or refused`() throws {
    let options = ["--distance", "1", "--crs", "EPSG:32734", "--out-crs"]
    try run(options + ["EPSG:32734"]).expectRefusal("GeoJSON", "WGS84", "EPSG:32734")
    try run(options + ["EPSG:32734", "--of", "geojsonseq"]).expectRefusal("GeoJSON")
    for reference in ["EPSG:4326", "4326", "CRS84"] {
      #expect(try run(options + [reference]).status == 0)
    }
  }

  @Test func `more distances than features are refused before anything is written`() throws {
    let fixture = try Fixture()
    let path = try fixture.folder.write("p.csv", "lon,lat\n1,2\n,\n3,4\n")
    for options in [[], ["--union"], ["-o", fixture.path("o.geojson")]] {
      let run = try plumb(["buffer", path, "--distance", "1,2,3,4", "-q"] + options)
      run.expectRefusal("4 distances for 3 rows")
      #expect(run.output == "")
    }
    #expect(try fixture.names == ["p.csv"])
    try plumb(["buffer", "--at", "1,2", "--distance", "1,2", "-q"])
      .expectRefusal("2 distances for 1 point")
  }

  @Test func `formats that cannot hold buffers are refused`() throws {
    let run = { (options: [String]) in
      try plumb(["buffer", "--at", "1,2", "--distance", "1", "-q"] + options)
    }
    try run(["--of", "gpkg"]).expectRefusal("GPKG", "-o")
    try run(["--of", "jsonl"]).expectRefusal("geojsonseq")
    try run(["--of", "nonsense"]).expectRefusal("unknown format nonsense")
    try run(["-o", "/dev/stdout", "--of", "gpkg"]).expectRefusal("/dev/stdout")
    let fixture = try Fixture()
    #expect(try run(["-o", fixture.path("o.gpx"), "-q"]).status == 1)
    #expect(try fixture.names.isEmpty)
  }
}
