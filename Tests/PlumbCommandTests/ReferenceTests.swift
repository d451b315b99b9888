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
