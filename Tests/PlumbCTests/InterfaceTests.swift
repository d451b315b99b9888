import CPlumb
import Plumb
import PlumbC
import PlumbTestSupport
import Testing

/// Compares the functions of the C interface with the results of the library.
@Suite struct InterfaceTests {
  private static func rasters(_ name: String) -> String { TestPaths.root + "/rasters/" + name }

  /// The text returned by a call, which is then freed.
  private static func consumed(_ text: UnsafeMutablePointer<CChar>?) throws -> String {
    let text = try #require(text)
    defer { CPlumb.plumb_free(text) }
    return String(cString: text)
  }

  private static var error: String {
    String(cString: CPlumb.plumb_error_code()) + ": "
      + String(cString: CPlumb.plumb_error_message())
  }

  private static func open(_ path: String, _ options: String = "{}") throws -> OpaquePointer {
    var handle: OpaquePointer?
    let result = path.withCString { path in
      var list: [UnsafePointer<CChar>?] = [path]
      return CPlumb.plumb_sampler_open(&list, 1, options, nil, nil, &handle)
    }
    #expect(result == PLUMB_OK, "\(error)")
    return try #require(handle)
  }

  @Test(arguments: ["nearest", "bilinear"], ["dem", "evi_cape_town.tif"])
  func samplesAreTheLibrarys(method: String, name: String) throws {
    let path = Self.rasters(name)
    let resampling = try #require(Resampling(rawValue: method))
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(Raster.open(path))], reference: .wgs84, resampling: resampling)
    var generator = SeededGenerator(seed: 5)
    var x = (0..<5000).map { _ in Double.random(in: 18...20, using: &generator) }
    let y = (0..<5000).map { _ in Double.random(in: -35 ... -33, using: &generator) }
    x[7] = .nan
    let column = identifier.sample(x: x, y: y)[0].columns[0]

    let handle = try Self.open(path, "{\"method\":\"\(method)\"}")
    defer { #expect(CPlumb.plumb_sampler_close(handle) == PLUMB_OK) }
    let copy = ValueColumn(pixelType: column.pixelType, count: x.count)
    var target = plumb_column(values: copy.bytes, statuses: copy.status.base)
    let result = CPlumb.plumb_sample(
      handle, x, y, Int64(x.count), "EPSG:4326", &target, 1, nil, nil, nil)
    #expect(result == PLUMB_OK, "\(Self.error)")
    for row in x.indices {
      #expect(copy.status(at: row) == column.status(at: row))
      #expect(copy[row] == column[row])
    }
    #expect(copy.status(at: 7) == .badPoint)
  }

  @Test func pixelsAreColumnsAndRows() throws {
    let handle = try Self.open(Self.rasters("evi_cape_town.tif"), "{\"pixels\":true}")
    defer { #expect(CPlumb.plumb_sampler_close(handle) == PLUMB_OK) }
    let identifier = try RasterIdentifier([
      try Raster.open(Self.rasters("evi_cape_town.tif")).inCells()
    ])
    let (x, y) = ([0, 599.9, 300, 600, 0], [0, 599.9, 200, 0, -0.1])
    let column = identifier.sample(x: x, y: y)[0].columns[0]
    let copy = ValueColumn(pixelType: column.pixelType, count: x.count)
    var target = plumb_column(values: copy.bytes, statuses: copy.status.base)
    let result = CPlumb.plumb_sample(handle, x, y, 5, nil, &target, 1, nil, nil, nil)
    #expect(result == PLUMB_OK, "\(Self.error)")
    for row in x.indices {
      #expect(copy.status(at: row) == column.status(at: row) && copy[row] == column[row])
    }
    #expect(copy.status(at: 3) == .outside && copy.status(at: 4) == .outside)
    #expect(
      CPlumb.plumb_sample(handle, x, y, 5, "EPSG:4326", &target, 1, nil, nil, nil) != PLUMB_OK)
    #expect(Self.error.contains("columns and rows have no CRS"), "\(Self.error)")
  }

  @Test func scaledValuesAndCells() throws {
    let path = Self.rasters("evi_cape_town.tif")
    let band = try Raster.open(path).bands[0]
    let (x, y) = ([18.5, 18.6], [-33.9, -33.8])
    var stored = [Int16](repeating: 0, count: 2)
    var scaled = [Double](repeating: 0, count: 2)
    var cells = [Int32](repeating: -2, count: 6)
    let (plain, other) = (try Self.open(path), try Self.open(path, "{\"scaled\":true}"))
    cells.withUnsafeMutableBufferPointer { cells in
      let base = cells.baseAddress!
      var cellTable = plumb_cells(file: base, column: base + 2, row: base + 4)
      stored.withUnsafeMutableBytes { stored in
        var target = plumb_column(values: stored.baseAddress, statuses: nil)
        #expect(
          CPlumb.plumb_sample(plain, x, y, 2, "EPSG:4326", &target, 1, &cellTable, nil, nil)
            == PLUMB_OK)
      }
    }
    scaled.withUnsafeMutableBytes { scaled in
      var target = plumb_column(values: scaled.baseAddress, statuses: nil)
      #expect(
        CPlumb.plumb_sample(other, x, y, 2, "EPSG:4326", &target, 1, nil, nil, nil) == PLUMB_OK)
    }
    #expect(scaled == stored.map { Double($0) * band.scale + band.offset })
    #expect(cells[0] == 0 && cells.allSatisfy { $0 >= 0 })
    #expect(CPlumb.plumb_sampler_close(plain) == PLUMB_OK)
    #expect(CPlumb.plumb_sampler_close(other) == PLUMB_OK)
  }

  @Test func mapsGiveTheResultsOfTheLibrary() throws {
    var handle: OpaquePointer?
    let path = Self.rasters("cape.json")
    #expect(CPlumb.plumb_map_open(path, nil, nil, nil, &handle) == PLUMB_OK)
    defer { #expect(CPlumb.plumb_map_close(handle) == PLUMB_OK) }
    var text: UnsafeMutablePointer<CChar>?
    let result = CPlumb.plumb_map_identify(
      handle, 18.86, -33.93, nil, "{\"tolerance\":\"2km\"}", nil, nil, &text)
    #expect(result == PLUMB_OK, "\(Self.error)")
    let map = try Map.open(path: path)
    let identifier = try MapIdentifier(map, options: IdentifyOptions(tolerance: .metres(2000)))
    let results = identifier.identify(x: 18.86, y: -33.93)
    #expect(
      try Self.consumed(text)
        == IdentifyLayerResult.json(
          point: QueryPoint(x: 18.86, y: -33.93, reference: "EPSG:4326"), results: results))
  }

  @Test func optionsThatAreWrongAreNamed() throws {
    var handle: OpaquePointer?
    for (options, word) in [
      ("{\"cache\":-1}", "cache"), ("{\"threads\":0}", "threads"), ("[]", "a list"),
      ("{\"band\":1}", "band"), ("{\"access\":\"all\"}", "access"), ("{", "options"),
      ("{\"access\":\"folder\",\"access\":\"folder\"}", "the member access is repeated"),
    ] {
      #expect(CPlumb.plumb_map_open("x.json", options, nil, nil, &handle) == PLUMB_FAILED)
      #expect(Self.error.hasPrefix("bad_argument: ") && Self.error.contains(word), "\(options)")
      #expect(handle == nil)
    }
  }

  @Test func referencesAreDescribedAndCompared() throws {
    var text: UnsafeMutablePointer<CChar>?
    #expect(CPlumb.plumb_crs_describe("4326", &text) == PLUMB_OK)
    #expect(try Self.consumed(text).contains("\"authority\":\"EPSG\",\"code\":\"4326\""))
    var same: CInt = -1
    #expect(CPlumb.plumb_crs_same("EPSG:4326", "OGC:CRS84", &same) == PLUMB_OK)
    #expect(same == 1)
    #expect(CPlumb.plumb_crs_same("EPSG:4326", "EPSG:3857", &same) == PLUMB_OK)
    #expect(same == 0)
    #expect(CPlumb.plumb_crs_same("EPSG:4326", nil, &same) == PLUMB_FAILED)
  }
}
