import Foundation
import Plumb
import PlumbBatch
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The dates of stacks are matched with the times of rows in the same way, regardless of the memory
/// and the number of threads. The Python package's tests compare the values with a model.
@Suite struct DatedRowsTests {
  private let folder: TemporaryFolder
  private static let count = 700
  private static let days = 9

  init() throws {
    folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 39)
    for name in ["evi", "qa"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      for number in 0..<Self.days {
        try write("\(name)/\(name)_2025\(100 + number * 7).tif", &generator)
      }
    }
    var text = "id,x,y,when\n"
    for row in 0..<Self.count {
      let (x, y) = (
        Double.random(in: 499_000...510_000, using: &generator),
        Double.random(in: 5_992_000...6_001_000, using: &generator)
      )
      let time = 1_743_984_000 + Int.random(in: 0...6_000_000, using: &generator)
      text +=
        row % 97 == 13
        ? "\(row),,,\(time)\n" : "\(row),\(x),\(y),\(row % 89 == 5 ? "-" : "\(time)")\n"
    }
    try folder.write("p.csv", text)
  }

  /// Cells of 100 m from (500 km, 6,000 km); every eleventh is nodata.
  private func write(_ name: String, _ generator: inout SeededGenerator) throws {
    let (width, height) = (90, 70)
    var writer = try RasterWriter(
      path: folder.path(name), width: width, height: height, bandCount: 1, pixelType: .int16,
      options: [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "16"), ("BLOCKYSIZE", "32"),
      ])
    try writer.setGeotransform([500_000, 100, 0, 6_000_000, 0, -100])
    try writer.setReference("EPSG:32734")
    try writer.setNodata(.double(0))
    let numbers = (0..<width * height).map { cell in
      cell % 11 == 0 ? 0 : Int16.random(in: 1...200, using: &generator)
    }
    try writer.write(numbers, band: 1)
    try writer.close()
  }

  private func options(_ change: (inout BatchIdentify.Options) throws -> Void) throws
    -> BatchIdentify.Options
  {
    var options = BatchIdentify.Options(points: folder.path("p.csv"))
    options.reference = try SpatialReference("EPSG:32734")
    options.output = folder.path("out")
    options.format = "csv"
    options.overwrites = true
    options.workers = Workers(count: 2)
    options.columns.hasStatus = true
    try change(&options)
    return options
  }

  private func open() throws -> [Raster] {
    try [Raster].open(["evi", "qa"].map { "\($0)=\(folder.path($0))/*.tif" })
  }

  /// The same stacks in a store with 9 by 9 chunks of all dates.
  private func openStore() throws -> [Raster] {
    if !FileManager.default.fileExists(atPath: folder.path("s.zarr")) {
      var options = StackStore.Options(output: folder.path("s.zarr"))
      options.chunkBytes = 9 * 2 * 8 * 10
      let stacks = try DatedStack.open(open(), try ImageDates(["*_%Y%j"]), grouping: nil)
      try StackStore(stacks, options).write { _ in }
    }
    return try [Raster].open(["evi", "qa"].map { "\($0)=\(folder.path("s.zarr#" + $0))" })
  }

  private func run(
    of rasters: [Raster]? = nil, _ change: (inout BatchIdentify.Options) throws -> Void
  ) throws -> String {
    _ = try BatchIdentify(.rasters(rasters ?? open()), options(change)).run()
    return try String(contentsOfFile: folder.path("out"), encoding: .utf8)
  }

  /// Different uses of dates.
  private static let ways: [@Sendable (inout BatchIdentify.Options) throws -> Void] = [
    { $0.dates = try matching { _ in } },
    {
      $0.dates = try matching { _ in }
      $0.columns.hasProvenance = true
    },
    { $0.dates = try matching { $0.condition = "qa & 3 <> 1 AND evi > 20" } },
    {
      $0.dates = try matching {
        $0.condition = "qa & 3 <> 1"
        $0.side = .before
      }
      $0.resampling = .bilinear
    },
    { $0.dates = try matching { $0.result = .interpolated } },
    {
      $0.dates = try matching {
        $0.result = .reduced([.mean, .count, .slope, .max])
        $0.condition = "qa % 2 = 0"
      }
    },
    {
      $0.series = SeriesOptions(files: try ImageDates(["*_%Y%j"]))
      $0.series?.condition = "qa | 1 > 40"
    },
    {
      $0.series = SeriesOptions(files: try ImageDates(["*_%Y%j"]))
      $0.series?.isLong = true
      $0.series?.condition = "qa > 40"
    },
  ]

  private static func matching(
    _ change: (inout TimeMatching) -> Void
  ) throws -> (files: ImageDates, matching: TimeMatching) {
    var matching = TimeMatching(column: "when", window: 10 * 86_400_000_000)
    change(&matching)
    return (try ImageDates(["*_%Y%j"]), matching)
  }

  /// Memory for no rows, for some rows, for some results, or for all.
  private static let limits: [(rows: Int, answers: Int, points: Int)] = [
    (1 << 24, 1, 1 << 20), (1, 1 << 24, 64), (1, 1, 64), (1, 9000, 699), (1, 1 << 24, 1 << 20),
  ]

  @Test(arguments: ways.indices) func memoryAndThreadsDoNotMatter(way: Int) throws {
    let expected = try run(Self.ways[way])
    #expect(expected.contains(",ok") && expected.contains("bad_point"))
    for limits in Self.limits {
      for workers in [1, 3] {
        let text = try run {
          try Self.ways[way](&$0)
          $0.workers = Workers(count: workers)
          $0.cacheBytes = 600
          $0.limits.rowBytes = limits.rows
          $0.limits.answerBytes = limits.answers
          $0.limits.points = limits.points
          $0.limits.blockBytes = 5000
        }
        #expect(text == expected, "\(limits), \(workers) threads")
      }
    }
  }

  /// One of `ways` for a store, which contains its dates.
  private static func useStore(_ way: Int, _ options: inout BatchIdentify.Options) throws {
    try ways[way](&options)
    let files = try ImageDates([])
    if let dates = options.dates { options.dates = (files, dates.matching) }
    if let known = options.series {
      options.series = SeriesOptions(files: files)
      options.series?.isLong = known.isLong
      options.series?.condition = known.condition
    }
  }

  /// A store has the values of its files, regardless of the memory.
  @Test(arguments: ways.indices) func storesAreTheSame(way: Int) throws {
    let showsFiles = way == 1
    let expected =
      try showsFiles
      ? run(of: openStore()) { try Self.useStore(way, &$0) } : run(Self.ways[way])
    for limits in Self.limits {
      for workers in [1, 3] {
        let text = try run(of: openStore()) {
          try Self.useStore(way, &$0)
          $0.workers = Workers(count: workers)
          $0.cacheBytes = 600
          $0.limits.rowBytes = limits.rows
          $0.limits.answerBytes = limits.answers
          $0.limits.points = limits.points
          $0.limits.blockBytes = 5000
        }
        #expect(text == expected, "\(limits), \(workers) threads")
      }
    }
  }

  /// Each tile of a store is decoded once for all points and dates, even if the results do not fit into memory. The
  /// tiles at the borders of groups of points are decoded twice.
  @Test(arguments: [1 << 24, 1]) func tilesOfStoresAreDecodedOnce(answerBytes: Int) throws {
    let rasters = try openStore()
    #expect(rasters.allSatisfy { $0.members[0].profile.grid.tileCount > 60 })
    let batch = try BatchIdentify(
      .rasters(rasters),
      options {
        $0.series = SeriesOptions(files: try ImageDates([]))
        $0.limits.answerBytes = answerBytes
      })
    let tiles = try batch.run().tiles
    let groups = answerBytes == 1 ? (Self.count + 63) / 64 : 1
    let touched = try #require(tiles.touchedTiles)
    #expect(touched > 120)
    #expect(tiles.decodedTiles >= touched)
    #expect(tiles.decodedTiles < touched + 2 * groups)
  }

  /// Each tile of a date that rows need is decoded once.
  @Test func tilesAreDecodedOnce() throws {
    for way in [0, 2, 5] {
      let batch = try BatchIdentify(.rasters(open()), options(Self.ways[way]))
      let tiles = try batch.run().tiles
      #expect(tiles.decodedTiles > 100)
      #expect(tiles.decodedTiles == tiles.touchedTiles)
    }
  }

  /// Cancelled work has no results and no file.
  @Test(arguments: ways.indices) func cancelledWorkThrows(way: Int) throws {
    for reports in [0, 1, 3, 10] {
      try? FileManager.default.removeItem(atPath: folder.path("out"))
      let batch = try BatchIdentify(.rasters(open()), options(Self.ways[way]))
      let cancellation = WorkCancellation()
      var count = 0
      var hasEnded = false
      do {
        try WorkCancellation.run(cancellation) {
          _ = try batch.run { _, _ in
            count += 1
            if count > reports { cancellation.cancel() }
          }
          hasEnded = true
        }
        // There were fewer progress reports.
        #expect(count <= reports)
      } catch {
        #expect(error is CancellationError && count > reports)
        #expect(hasEnded == FileManager.default.fileExists(atPath: folder.path("out")))
      }
    }
  }
}
