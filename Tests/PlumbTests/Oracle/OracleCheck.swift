import CGDAL
import Plumb
import PlumbGDAL
import PlumbTIFF
import PlumbTestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Compares Plumb's results with GDAL's on one raster after another, with each way of querying.
struct OracleCheck {
  private(set) var files = 0
  /// The number of files that are opened only from their tags, without GDAL.
  private(set) var plain = 0
  /// The number of compared cells, counted once for each way.
  private(set) var cells = 0
  private(set) var mismatches = 0
  /// The number of points by GDAL's status, counted once per file and band.
  private(set) var points: [SampleStatus: Int] = [:]
  /// The number of bands with a probe.
  private(set) var probedBands = 0
  /// The number of files by the decoder of their cells.
  private(set) var routes: [String: Int] = [:]
  private var examples: [String] = []

  /// The expected results for a band.
  private struct Expected {
    var type: PixelType
    var status: [UInt8] = []
    var bits: [(UInt64, UInt64)] = []
  }

  /// A way of querying.
  private struct Way {
    var name: String
    var raster: Raster
    var threads: Int
    var cacheBytes: Int
    var isSingle = false
    var passes = 1
    /// Only the points on the raster with this remainder are used. A single query costs as much as
    /// a batch, so these ways of querying share the points. All of them use points on borders.
    var share = 0
    /// Whether whole tiles are decoded and cached, or only the queried cells of each tile.
    var keepsTiles = true
  }

  var summary: String {
    let list = SampleStatus.allCases.compactMap { status in
      points[status].map { "\($0) \(status.name)" }
    }
    let routes = routes.sorted { $0.key < $1.key }.map { "\($0.value) by \($0.key)" }
    return "\(files) files (\(routes.joined(separator: ", ")); \(plain) plain), "
      + "\(points.values.reduce(0, +)) points (\(list.joined(separator: ", "))), \(cells) cells compared, "
      + "\(mismatches) mismatches"
  }

  /// Descriptions of the first mismatches since the last call.
  mutating func removeExamples() -> [String] {
    defer { examples = [] }
    return examples
  }

  /// Checks one file; does nothing if GDAL does not open it.
  ///
  /// - Parameter written: the cells that GDAL should find, for each band.
  /// - Returns: the code path that Plumb used by default.
  @discardableResult
  mutating func check(
    path: String, seeded: Int = 1000, seed: UInt64 = 1, written: [[UInt8]]? = nil
  ) throws -> String? {
    guard let oracle = OracleRaster(path: path) else { return nil }
    let general = try GDALRasterSource(path: path)
    let opened = try Raster.open(path, name: "default")
    let standard = try Self.placed(opened)
    let differences = opened.members[0].profile.differences(from: general.profile)
    if !differences.isEmpty { fail("\(path): \(differences.joined(separator: "; "))") }
    if PlainTIFF(path: path) != nil { plain += 1 }
    var generator = SeededGenerator(seed: seed)
    let grid = standard.members[0].profile.grid
    let points = OraclePoints(
      oracle, block: (grid.tileWidth, grid.tileHeight), seeded: seeded, using: &generator)
    let expected = expect(oracle, points)
    if let written { compare(expected, with: written, oracle, points, path) }
    files += 1
    let route = standard.members[0].route
    routes[route, default: 0] += 1

    // Space for a few tiles, or for all of them: the second pass then finds every tile in the
    // cache.
    let tile =
      (0..<standard.bands.count).map {
        standard.members[0].profile.tileByteCount(
          plane: standard.members[0].profile.plane(band: $0))
      }.max() ?? 1
    let forced = try Self.placed(Raster(name: "forced", members: [general]))
    let (few, all) = (3 * tile, 1 << 30)
    var ways = [
      Way(name: "batch", raster: standard, threads: 1, cacheBytes: few),
      Way(name: "batch", raster: standard, threads: 4, cacheBytes: all, passes: 2),
      Way(
        name: "asked cells", raster: standard, threads: 2, cacheBytes: few, keepsTiles: false),
      Way(
        name: "asked cell", raster: standard, threads: 1, cacheBytes: few, isSingle: true,
        share: 1, keepsTiles: false),
      Way(name: "single", raster: standard, threads: 1, cacheBytes: all, isSingle: true),
      Way(name: "GDAL, batch", raster: forced, threads: 1, cacheBytes: all, passes: 2),
      Way(name: "GDAL, batch", raster: forced, threads: 4, cacheBytes: few),
      Way(
        name: "GDAL, single", raster: forced, threads: 1, cacheBytes: all, isSingle: true,
        share: 2),
    ]
    if let source = TIFFTileSource(
      path: path, other: general, largestTile: 256 << 20, decodesItself: false)
    {
      let raster = try Self.placed(Raster(name: "libtiff", members: [source]))
      ways += [
        Way(name: "libtiff, batch", raster: raster, threads: 2, cacheBytes: few),
        Way(
          name: "libtiff, single", raster: raster, threads: 1, cacheBytes: few, isSingle: true,
          share: 3),
      ]
    }
    for way in ways { try run(way, path, points, expected) }
    for raster in [standard, forced] { probe(raster, path, points, expected) }
    return route
  }

  /// A raster that can be queried; by column and row if it has no other placement.
  private static func placed(_ raster: Raster) throws -> Raster {
    if case .none = raster.members[0].profile.mapping { return try raster.inCells() }
    return raster
  }

  private mutating func expect(_ oracle: OracleRaster, _ points: OraclePoints) -> [Expected] {
    oracle.types.enumerated().map { band, type in
      var expected = Expected(type: type)
      for point in 0..<points.count {
        let cell =
          points.cells[point].map {
            oracle.cell(band: band, column: $0.column, row: $0.row)
          } ?? OracleRaster.Cell(status: .outside)
        expected.status.append(cell.status.rawValue)
        expected.bits.append(cell.bits)
        self.points[cell.status, default: 0] += 1
      }
      return expected
    }
  }

  /// Compares the cells that GDAL reads with the written cells.
  private mutating func compare(
    _ expected: [Expected], with written: [[UInt8]], _ oracle: OracleRaster,
    _ points: OraclePoints, _ path: String
  ) {
    for (band, truth) in expected.enumerated() {
      let size = truth.type.byteCount
      for point in 0..<points.count {
        guard let cell = points.cells[point] else { continue }
        let start = (cell.row * oracle.width + cell.column) * size
        var bits = truth.bits[point]
        let isEqual = withUnsafeBytes(of: &bits) {
          $0.prefix(size).elementsEqual(written[band][start..<start + size])
        }
        if !isEqual { fail("\(path): band \(band + 1) at \(cell) is not what was written") }
      }
    }
  }

  private mutating func run(
    _ way: Way, _ path: String, _ points: OraclePoints, _ expected: [Expected]
  ) throws {
    let sampler = try RasterSampler(
      [RasterSampler.Request(way.raster)], cache: TileCache(capacity: way.cacheBytes),
      workers: Workers(count: way.threads))
    let context = "\(path) (\(way.name), \(way.threads) threads, \(way.cacheBytes) bytes)"
    points.x.withUnsafeBufferPointer { x in
      points.y.withUnsafeBufferPointer { y in
        let (x, y) = (x.baseAddress!, y.baseAddress!)
        for _ in 0..<way.passes {
          if way.isSingle {
            for point in 0..<points.count
            where point % 4 == way.share || point >= points.firstOnBorder {
              let answer = sampler.sample(
                [PointCoordinates(x: x + point, y: y + point, count: 1)],
                keepsTiles: way.keepsTiles)[0]
              compare(answer, from: point, points, expected, context)
            }
          } else {
            let answer = sampler.sample(
              [PointCoordinates(x: x, y: y, count: points.count)], keepsTiles: way.keepsTiles)[0]
            compare(answer, from: 0, points, expected, context)
          }
        }
      }
    }
  }

  /// Queries one point after the other with a probe, for the bands that have one.
  private mutating func probe(
    _ raster: Raster, _ path: String, _ points: OraclePoints, _ expected: [Expected]
  ) {
    let cache = TileCache()
    for (band, truth) in expected.enumerated() {
      guard let probe = try? CellProbe(raster, band: band, cache: cache) else { continue }
      probedBands += 1
      for point in 0..<points.count {
        let found = probe.value(x: points.x[point], y: points.y[point])
        let isOK = truth.status[point] == SampleStatus.ok.rawValue
        var bits = truth.bits[point]
        let value = withUnsafeBytes(of: &bits) { CellValue(truth.type, at: $0.baseAddress!) }
        cells += 1
        let isEqual =
          found.status.rawValue == truth.status[point]
          && (isOK ? found.value.map { Self.isSame($0, value) } == true : found.value == nil)
        if !isEqual {
          fail("\(path) (probe, \(raster.name)): band \(band + 1), place \(point): \(found)")
        }
      }
    }
  }

  /// Whether two values have the same bits, so that -0 differs from 0.
  private static func isSame(_ a: CellValue, _ b: CellValue) -> Bool {
    a == b && (a.real.map { $0 != 0 } == true || a.description == b.description)
  }

  private mutating func compare(
    _ answer: RasterAnswer, from first: Int, _ points: OraclePoints, _ expected: [Expected],
    _ context: String
  ) {
    guard answer.columns.count == expected.count else {
      fail("\(context): \(answer.columns.count) bands instead of \(expected.count)")
      return
    }
    for (band, column) in answer.columns.enumerated() {
      let truth = expected[band]
      cells += column.count
      guard column.pixelType == truth.type else {
        fail("\(context): band \(band + 1) is \(column.pixelType), not \(truth.type)")
        continue
      }
      let size = truth.type.byteCount
      let status = column.status.base
      truth.bits.withUnsafeBytes { bits in
        for i in 0..<column.count {
          let point = first + i
          let isEqual =
            status[i] == truth.status[point]
            && (status[i] != SampleStatus.ok.rawValue
              || memcmp(column.bytes + i * size, bits.baseAddress! + point * 16, size) == 0)
          if isEqual { continue }
          var wanted = truth.bits[point]
          let value = withUnsafeBytes(of: &wanted) { CellValue(truth.type, at: $0.baseAddress!) }
          let cell = points.cells[point].map { "\($0.column), \($0.row)" } ?? "outside"
          fail(
            "\(context): band \(band + 1) at cell \(cell): \(column.status(at: i)) "
              + "\(column[i].map(\.description) ?? "-") instead of "
              + "\(SampleStatus(rawValue: truth.status[point])!) \(value)")
        }
      }
    }
  }

  private mutating func fail(_ text: String) {
    mismatches += 1
    if examples.count < 5 { examples.append(text) }
  }
}
