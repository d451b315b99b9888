import PlumbTestSupport
import Testing

/// The CRS of points, and the messages about it.
struct ReferenceTests {
  private static let evi = "evi=" + TestPaths.rasters + "/evi_cape_town.tif"
  private static let ndvi = "ndvi=" + TestPaths.rasters + "/ndvi_cape_town_3857.tif"

  @Test func `degrees by the columns' names, otherwise the rasters' common CRS`() throws {
    let degrees = try plumb(
      ["identify", Self.ndvi, "--points", "-"], input: "lon,lat\n18.5,-33.9\n")
    #expect(degrees.lines.last == "18.5,-33.9,0.2979", "\(degrees.errors)")
    let metres = try plumb(
      ["identify", Self.ndvi, "--points", "-"], input: "x,y\n2059410.8,-4015360.0\n")
    #expect(metres.lines.last == "2059410.8,-4015360.0,0.2979", "\(metres.errors)")
    let explicit = try plumb(
      ["identify", Self.ndvi, "--points", "-", "--crs", "EPSG:4326"], input: "x,y\n18.5,-33.9\n")
    #expect(explicit.lines.last == "18.5,-33.9,0.2979")
  }

  @Test func `rasters with different CRSs need --crs`() throws {
    try plumb(["identify", Self.evi, Self.ndvi, "--at", "1,2"]).expectRefusal("--crs", "EPSG:3857")
  }

  @Test(arguments: ["EPSG:999999", "foo", "EPSG4326", "", "+proj=nothing"])
  func `an unknown CRS is refused`(text: String) throws {
    try plumb(["identify", Self.ndvi, "--at", "1,2", "--crs", text]).expectRefusal("reference")
  }

  @Test func `a raster without a CRS is queried in its own coordinates`() throws {
    let fixture = try Fixture()
    let path = try fixture.raster(
      "bare.tif", .uint8, bands: [(0..<12).map { UInt8($0) }], reference: nil)
    let plain = try plumb(["identify", path, "--at", "1.5,-0.5"])
    #expect(plain.lines.contains("  Band_0: 1") && plain.errors == "")
    let degrees = try plumb(["identify", path, "--points", "-"], input: "lon,lat\n1.5,-0.5\n")
    #expect(degrees.lines.last == "1.5,-0.5,1")
    #expect(degrees.errors.contains("warning: bare has no CRS"))
  }

  @Test func `degrees outside a projected raster suggest --crs`() throws {
    for arguments in [["--at", "18.5,-33.9"], ["--points", "-"]] {
      let run = try plumb(["identify", Self.ndvi] + arguments, input: "x,y\n18.5,-33.9\n")
      #expect(run.errors.contains("--crs EPSG:4326"), "\(run.errors)")
      #expect(run.errors.contains("latitudes within ndvi"), "\(run.errors)")
    }
    for arguments in [["--at", "8.5,47.4"], ["--at", "2059410.8,-4015360.0"]] {
      let run = try plumb(["identify", Self.ndvi] + arguments)
      #expect(!run.errors.contains("--crs"), "\(run.errors)")
    }
  }

  @Test func `mostly outside is one warning with both extents`() throws {
    let run = try plumb(
      ["identify", Self.ndvi, "--points", "-"],
      input: "x,y\n1,2\n3,4\n2059410.8,-4015360.0\n")
    #expect(run.errors.split(separator: "\n").count == 1)
    for words in ["2 of 3", "x 1.0…2059410.8", "y -4015360.0…4.0", "EPSG:3857", "spans x"] {
      #expect(run.errors.contains(words), "\(run.errors)")
    }
    let quiet = try plumb(["identify", Self.ndvi, "--points", "-", "-q"], input: "x,y\n1,2\n")
    #expect(quiet.errors == "")
  }

  @Test func `a ballpark transformation causes one warning, and --strict refuses it`() throws {
    // The Bessel ellipsoid without a datum.
    let fixture = try Fixture()
    let unknown = try fixture.raster(
      "unknown.tif", .int16, bands: [(0..<12).map { Int16($0) }],
      reference: "+proj=sinu +ellps=bessel +units=m")
    let run = try plumb(
      ["identify", unknown, "--points", "-"], input: "lon,lat\n0.00001,-0.00001\n")
    #expect(run.errors.split(separator: "\n").count == 1 && run.errors.contains("ballpark"))
    let strict = try plumb(
      ["identify", unknown, "--points", "-", "--strict"], input: "lon,lat\n0.00001,-0.00001\n")
    strict.expectRefusal("--strict")
    #expect(strict.output == "")
  }

  /// The Bessel ellipsoid without a datum.
  private static let bessel = "+proj=longlat +ellps=bessel +no_defs"

  /// Commands whose inputs or outputs are in different CRSs.
  private static let transformations: [(arguments: [String], hasStrict: Bool)] = [
    (["identify", "RASTER", "--points", "POINTS"], true),
    (["identify", "RASTER", "--points", "POINTS", "--radius", "5km"], true),
    (["zonal", "RASTER", "--areas", "AREAS"], true),
    (["zonal", "RASTER", "--areas", "AREAS", "--classes"], true),
    (
      ["zonal", "PLAIN", "--areas", "AREAS", "--weights", "RASTER", "--stat", "weighted_mean"], true
    ),
    (
      [
        "buffer", "AREAS", "--distance", "1", "--geodesic", "--max-deviation", "1", "--out-crs",
        "CRS",
        "-o", "OUT.gpkg", "--overwrite",
      ], true
    ),
    (
      [
        "buffer", "AREAS", "--distance", "1", "--geodesic", "--max-deviation", "1", "--union",
        "--out-crs", "CRS", "-o", "OUT.gpkg", "--overwrite",
      ], true
    ),
    (["monitor", "--fences", "FENCES", "--feed", "FEED"], false),
    (["monitor", "--raster-fence", "RASTER: $value >= 0", "--feed", "FEED"], false),
    (
      [
        "trace", "NETWORK", "--crs", "CRS", "--type", "connected", "--start", "a", "--of",
        "geojson",
      ], false
    ),
  ]

  /// A transformation that moves results by an unknown distance is never silent.
  @Test(arguments: transformations.indices, [bessel, "+proj=longlat +R=6371000 +no_defs"])
  func `a ballpark transformation is a warning in every verb`(index: Int, reference: String) throws
  {
    let fixture = try Fixture()
    let folder = fixture.folder
    let bands = [(0..<12).map { Int16($0) }]
    let area =
      #""features":[{"type":"Feature","properties":{"id":"f"},"geometry":{"type":"Polygon","#
      + #""coordinates":[[[0.5,-0.5],[2.5,-0.5],[2.5,-2.5],[0.5,-2.5],[0.5,-0.5]]]}}]}"#
    try folder.write("areas.geojson", #"{"type":"FeatureCollection","# + area)
    let words = [
      "RASTER": try fixture.raster("r.tif", .int16, bands: bands, reference: reference),
      "PLAIN": try fixture.raster("p.tif", .int16, bands: bands, reference: "EPSG:4326"),
      "POINTS": try folder.write("points.csv", "lon,lat\n1.5,-1.5\n"),
      "AREAS": folder.path("areas.geojson"),
      "FEED": try folder.write("feed.csv", "time,id,lon,lat\n2026-01-01T00:00:00Z,a,1.5,-1.5\n"),
      "NETWORK": try folder.write(
        "n.inp",
        "[JUNCTIONS]\na 1\nb 1\n[PIPES]\np a b 10 10 1 0 Open\n[COORDINATES]\na 1 1\nb 2 2\n[END]\n"
      ),
      "OUT.gpkg": folder.path("out.gpkg"), "CRS": reference,
    ]
    var arguments = Self.transformations[index].arguments
    if arguments.contains("FENCES") {
      let fences = try plumb(
        [
          "buffer", words["AREAS"] ?? "", "--distance", "10", "--geodesic", "--max-deviation", "1",
          "--out-crs", reference, "-o", folder.path("fences.gpkg"),
        ])
      #expect(fences.status == 0)
      arguments = arguments.map { $0 == "FENCES" ? folder.path("fences.gpkg") : $0 }
    }
    arguments = arguments.map { argument in
      if let whole = words[argument] { return whole }
      return argument.hasPrefix("RASTER: ")
        ? (words["RASTER"] ?? "") + argument.dropFirst("RASTER".count) : argument
    }
    let run = try plumb(arguments)
    let isUncertain = reference == Self.bessel
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.errors.split(separator: "\n").filter { $0.contains("ballpark") }.count
        == (isUncertain ? 1 : 0), "\(run.errors)")
    guard Self.transformations[index].hasStrict else { return }
    let strict = try plumb(arguments + ["--strict"])
    if isUncertain {
      strict.expectRefusalAfterWarnings("ballpark")
    } else {
      #expect(strict.status == 0, "\(strict.errors)")
    }
  }

  /// semantics.md §1: between a sphere and a datum the best operation keeps the degrees.
  @Test(arguments: [
    "+proj=sinu +R=6371007.181 +units=m",
    "+proj=lcc +lat_1=25 +lat_2=25 +lat_0=25 +lon_0=-95 +R=6371200 +units=m", "EPSG:4053",
  ])
  func `a sphere is a datum without a shift`(reference: String) throws {
    let fixture = try Fixture()
    let sphere = try fixture.raster(
      "sphere.tif", .int16, bands: [(0..<12).map { Int16($0) }], reference: reference)
    let run = try plumb(
      ["identify", sphere, "--points", "-", "--strict"], input: "lon,lat\n0.00001,-0.00001\n")
    #expect(run.status == 0 && !run.errors.contains("ballpark"), "\(run.errors)")
  }

  @Test("the sample rasters accept longitudes and latitudes without a warning")
  func samplesWithoutWarnings() throws {
    let rasters = [
      "evi_cape_town.tif", "ndvi_cape_town_3857.tif", "dem", "land_cover_cape_town.tif",
    ]
    let run = try plumb(
      ["identify"] + rasters.map { TestPaths.rasters + "/" + $0 }
        + ["--crs", "EPSG:4326", "--at", "18.6,-34.1"])
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
  }

  @Test func `points that cannot be transformed have their own status`() throws {
    let run = try plumb(
      ["identify", Self.ndvi, "--points", "-", "--status", "-q"],
      input: "lon,lat\n18.5,95\n1e300,1e300\n0,0\n")
    #expect(
      run.lines.dropFirst().map { $0.split(separator: ",").last ?? "" }
        == ["transform_failed", "transform_failed", "outside"])
  }
}
