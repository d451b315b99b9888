import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Rasters whose tiles do not fit into the cache together are queried one after the other, each for
/// all rows: the output is the same as row by row, and each tile is decoded once.
@Suite struct StackedRowsTests {
  private let folder: TemporaryFolder
  private static let count = 700

  init() throws {
    folder = try TemporaryFolder()
    try write("a", width: 90, height: 70, type: .int16)
    try write(
      "b", width: 90, height: 70, type: .uint8, bands: 3, options: [("INTERLEAVE", "PIXEL")])
    try write(
      "c", width: 90, height: 70, type: .float32, bands: 2, options: [("INTERLEAVE", "BAND")])
    try write("d", width: 40, height: 90, left: 30, type: .int16)
    try write("e", width: 90, height: 70, type: .int16, reference: "EPSG:32735")
    for number in 0..<3 {
      try write("m/\(number)", width: 40, height: 40, left: Double(25 * number), type: .int16)
    }
    var generator = SeededGenerator(seed: 77)
    var text = "id,x,y\n"
    for row in 0..<Self.count {
      let (x, y) = (
        Double.random(in: 499_000...510_000, using: &generator),
        Double.random(in: 5_990_000...6_001_000, using: &generator)
      )
      text += row % 97 == 13 ? "\(row),,\n" : "\(row),\(x),\(y)\n"
    }
    try folder.write("p.csv", text)
  }

  /// Cells of 100 m from (500 km + 100 · left, 6,000 km), with nodata at multiples of 11.
  private func write(
    _ name: String, width: Int, height: Int, left: Double = 0, type: PixelType, bands: Int = 1,
    reference: String = "EPSG:32734", options: [(String, String)] = []
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("m"), withIntermediateDirectories: true)
    var writer = try RasterWriter(
      path: folder.path(name + ".tif"), width: width, height: height, bandCount: bands,
      pixelType: type,
      options: options + [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "32"),
      ])
    try writer.setGeotransform([500_000 + 100 * left, 100, 0, 6_000_000, 0, -100])
    try writer.setReference(reference)
    try writer.setNodata(.double(0))
    for band in 1...bands {
      let numbers = (0..<width * height).map { $0 % 11 == 0 ? 0 : 1 + ($0 &* 7 &+ band) % 200 }
      switch type {
      case .uint8: try writer.write(numbers.map { UInt8($0) }, band: band)
      case .float32: try writer.write(numbers.map { Float($0) / 3 }, band: band)
      default: try writer.write(numbers.map { Int16($0) }, band: band)
      }
    }
    try writer.close()
  }

  /// The output of a run, and its summary.
  private func run(
    _ rasters: [String], points: String = "p.csv", _ change: (inout BatchIdentify.Options) -> Void
  ) throws -> (text: String, summary: BatchIdentify.Summary) {
    var options = BatchIdentify.Options(points: folder.path(points))
    options.reference = try SpatialReference("EPSG:32734")
    options.output = folder.path("out")
    options.format = "csv"
    options.overwrites = true
    options.workers = Workers(count: 2)
    change(&options)
    let batch = try BatchIdentify(
      .rasters(try [Raster].open(rasters.map { folder.path($0) })), options)
    let summary = try batch.run()
    return (try String(contentsOfFile: folder.path("out"), encoding: .utf8), summary)
  }

  private static let single = ["a.tif", "b.tif", "c.tif", "d.tif", "e.tif"]

  /// Memory for no rows, for some rows, for some results, or for all.
  private static let limits: [(rows: Int, answers: Int, points: Int)] = [
    (1 << 24, 1 << 24, 1 << 20), (1 << 24, 1, 1 << 20), (1 << 24, 3000, 1 << 20),
    (1, 1 << 24, 64), (1, 1, 64), (1, 9000, 699), (1, 9000, 700), (1, 1 << 24, 1 << 20),
  ]

  @Test(arguments: limits.indices, [0, 600, 20_000])
  func rowsAreTheSame(limit: Int, cacheBytes: Int) throws {
    let limits = Self.limits[limit]
    let expected = try run(Self.single) { $0.columns.hasStatus = true }
    let stacked = try run(Self.single) {
      $0.columns.hasStatus = true
      $0.cacheBytes = cacheBytes
      $0.limits.rowBytes = limits.rows
      $0.limits.answerBytes = limits.answers
      $0.limits.points = limits.points
      $0.limits.blockBytes = 5000
    }
    #expect(stacked.text == expected.text)
    #expect(expected.text.split(separator: "\n").count == Self.count + 1)
    #expect(stacked.summary.statuses == expected.summary.statuses)
    // 12 by 3 tiles of 16 by 32, 3 by 3 in d; c has two planes.
    let tiles = expected.summary.tiles.decodedTiles
    #expect(tiles > 60)
    #expect(stacked.summary.tiles.decodedTiles == tiles)
    #expect(stacked.summary.tiles.touchedTiles == tiles)
    #expect(expected.summary.tiles.touchedTiles == tiles)
  }

  /// Every output format, with cells and source files; one raster is a mosaic.
  @Test(arguments: ["csv", "jsonl", "geojson", "geojsonseq"])
  func formatsAreTheSame(format: String) throws {
    let rasters = ["a.tif", "m", "c.tif"]
    for resampling in [Resampling.nearest, .bilinear] {
      let expected = try run(rasters) {
        $0.format = format
        $0.columns.hasProvenance = true
        $0.resampling = resampling
      }
      for limits in Self.limits {
        let stacked = try run(rasters) {
          $0.format = format
          $0.columns.hasProvenance = true
          $0.resampling = resampling
          $0.cacheBytes = 600
          $0.limits.rowBytes = limits.rows
          $0.limits.answerBytes = limits.answers
          $0.limits.points = limits.points
          $0.limits.blockBytes = 2500
        }
        #expect(stacked.text == expected.text, "\(limits)")
      }
    }
  }

  /// Other inputs with rows: features, and compressed text.
  @Test func inputsAreReadAgain() throws {
    _ = try run(["a.tif"]) { $0.format = "GeoJSON" }
    try FileManager.default.moveItem(atPath: folder.path("out"), toPath: folder.path("q.geojson"))
    _ = try run(["a.tif"]) {
      $0.format = "GPKG"
      $0.output = folder.path("q.gpkg")
      _ = try? folder.write("out", "")
    }
    for points in ["q.geojson", "q.gpkg"] {
      let expected = try run(["d.tif", "b.tif"], points: points) { _ in }
      let stacked = try run(["d.tif", "b.tif"], points: points) {
        $0.cacheBytes = 0
        $0.limits.rowBytes = 1
        $0.limits.points = 100
        $0.limits.answerBytes = 500
        $0.limits.blockBytes = 1500
      }
      #expect(stacked.text == expected.text)
      #expect(stacked.text.split(separator: "\n").count == Self.count + 1)
    }
  }

  /// A point file without rows.
  @Test func noRows() throws {
    try folder.write("none.csv", "id,x,y\n\n\n")
    let expected = try run(["a.tif", "m"], points: "none.csv") { _ in }
    let stacked = try run(["a.tif", "m"], points: "none.csv") { $0.cacheBytes = 0 }
    #expect(stacked.text == expected.text && stacked.text.hasPrefix("id,x,y,a,m\n"))
  }

  /// A file that is replaced while it is read.
  @Test func changedPointsAreAnError() throws {
    var options = BatchIdentify.Options(points: folder.path("p.csv"))
    options.reference = try SpatialReference("EPSG:32734")
    options.output = folder.path("out")
    options.format = "csv"
    options.cacheBytes = 0
    options.limits.rowBytes = 1
    options.limits.blockBytes = 2000
    let batch = try BatchIdentify(.rasters(try [Raster].open([folder.path("a.tif")])), options)
    let file = try #require(FileHandle(forWritingAtPath: folder.path("p.csv")))
    var isChanged = false
    let error = #expect(throws: PlumbError.self) {
      // The first rows have already been read: the change is in the x of the first row.
      try batch.run { _, _ in
        guard !isChanged else { return }
        isChanged = true
        try? file.seek(toOffset: UInt64("id,x,y\n0,500".utf8.count))
        try? file.write(contentsOf: Data("7".utf8))
      }
    }
    #expect(error?.message.contains("changed while it was being read") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
  }
}
