import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Batches processed in parts: each tile is read once with any cache, and the results are the same
/// as with one part.
@Suite struct TileSweepTests {
  private func source(
    _ number: Int, width: Int, height: Int, tile: (width: Int, height: Int), bands: Int = 1,
    left: Double = 0
  ) -> MemorySource {
    MemorySource(
      path: "raster \(number)", width: width, height: height, tile: tile,
      transform: GridTransform(coefficients: [left, 1, 0, 0, 0, 1])!, noData: 7,
      bands: (0..<bands).map { band in
        (0..<width * height).map { Double(($0 &* 31 &+ number * 17 &+ band * 5) % 1009) }
      })
  }

  /// Three rasters of one grid, one raster of another grid, and one elsewhere.
  private var sources: [MemorySource] {
    [
      source(1, width: 60, height: 40, tile: (7, 6)),
      source(2, width: 60, height: 40, tile: (7, 6), bands: 3),
      source(3, width: 60, height: 40, tile: (16, 16)),
      source(4, width: 60, height: 40, tile: (7, 6)),
      source(5, width: 60, height: 40, tile: (60, 1), left: 9),
    ]
  }

  private func points(_ count: Int, seed: UInt64) -> (x: [Double], y: [Double]) {
    var generator = SeededGenerator(seed: seed)
    return (
      (0..<count).map { _ in Double.random(in: -5...75, using: &generator) },
      (0..<count).map { _ in Double.random(in: -5...45, using: &generator) }
    )
  }

  private func sampler(
    _ sources: [MemorySource], cacheBytes: Int, workers: Int
  ) throws -> RasterSampler {
    try RasterSampler(
      try sources.map { RasterSampler.Request(try Raster(name: $0.path, members: [$0])) },
      cache: TileCache(capacity: cacheBytes), workers: Workers(count: workers))
  }

  private func sample(
    _ sampler: RasterSampler, x: [Double], y: [Double], partLimit: Int
  ) -> [RasterAnswer] {
    let (xs, ys) = (TrivialBuffer(x), TrivialBuffer(y))
    return withExtendedLifetime((xs, ys)) {
      sampler.sample(
        [PointCoordinates(x: xs.base, y: ys.base, count: x.count)], keepsProvenance: true,
        keepsTiles: false, partLimit: partLimit, shouldContinue: { true })
    }
  }

  private func isEqual(_ first: RasterAnswer, _ second: RasterAnswer, at row: Int) -> Bool {
    zip(first.columns, second.columns).allSatisfy {
      $0.status(at: row) == $1.status(at: row) && $0[row] == $1[row]
    } && first.provenance?.member[row] == second.provenance?.member[row]
      && first.provenance?.column[row] == second.provenance?.column[row]
      && first.provenance?.row[row] == second.provenance?.row[row]
  }

  /// Sizes of the cache: none, one tile of the smallest raster, and larger sizes up to one that
  /// holds all tiles.
  @Test(
    arguments: [0, 336, 1000, 5000, 40_000, 1 << 24], [[1, 1], [100, 3], [999, 2], [5000, 1]])
  func eachTileIsReadOnce(cacheBytes: Int, parts: [Int]) throws {
    let count = 1500
    let (x, y) = points(count, seed: UInt64(cacheBytes + parts[0]))
    let sources = sources
    let sampler = try sampler(sources, cacheBytes: cacheBytes, workers: parts[1])
    let size = parts[0] == 1 ? 50 : parts[0]
    let answers = sample(sampler, x: x, y: y, partLimit: size)
    let expected = sample(
      try self.sampler(self.sources, cacheBytes: 1 << 24, workers: 1), x: x, y: y,
      partLimit: count)
    for (answer, wanted) in zip(answers, expected) {
      #expect((0..<count).allSatisfy { isEqual(answer, wanted, at: $0) })
    }
    let reads = sources.flatMap { $0.reads.withLock { Array($0.values) } }
    #expect(reads.count > 200)
    #expect(reads.allSatisfy { $0 == 1 })
    let statistics = sampler.cache.statistics
    #expect(statistics.decodedTiles == reads.count)
    #expect(statistics.touchedTiles == reads.count)
  }

  /// Files that overlap at random, with holes, so that points continue with the next file.
  private func mosaic(seed: UInt64) -> [MemorySource] {
    var generator = SeededGenerator(seed: seed)
    return (0..<12).map { number in
      let (width, height) = (
        Int.random(in: 5...40, using: &generator), Int.random(in: 5...30, using: &generator)
      )
      let (left, top) = (
        Double(Int.random(in: 0...40, using: &generator)),
        Double(Int.random(in: 0...20, using: &generator))
      )
      return MemorySource(
        path: "file \(number)", width: width, height: height, tile: (7, 6),
        transform: GridTransform(coefficients: [left, 1, 0, top, 0, 1])!, noData: 7,
        bands: [
          (0..<width * height).map { cell in
            Double.random(in: 0..<1, using: &generator) < 0.4 ? 7 : Double(number * 10_000 + cell)
          }
        ])
    }
  }

  /// Each tile of a mosaic is read once, although its points are read from one file after another; 336
  /// bytes are one tile.
  @Test(
    arguments: [0, 336, 2000, 20_000], [[1, 1], [100, 3], [999, 2]])
  func eachTileOfAMosaicIsReadOnce(cacheBytes: Int, parts: [Int]) throws {
    let (count, seed) = (1500, UInt64(cacheBytes + parts[0]))
    let (x, y) = points(count, seed: seed)
    for resampling in [Resampling.nearest, .bilinear] {
      let files = mosaic(seed: seed)
      func sampler(_ files: [MemorySource], _ bytes: Int, _ workers: Int) throws -> RasterSampler {
        try RasterSampler(
          [RasterSampler.Request(try Raster(name: "mosaic", members: files))],
          resampling: resampling, cache: TileCache(capacity: bytes),
          workers: Workers(count: workers))
      }
      let size = parts[0] == 1 ? 50 : parts[0]
      let sharedSampler = try sampler(files, cacheBytes, parts[1])
      let answer = sample(sharedSampler, x: x, y: y, partLimit: size)[0]
      let wanted = sample(
        try sampler(mosaic(seed: seed), 1 << 24, 1), x: x, y: y, partLimit: count)[0]
      #expect((0..<count).allSatisfy { isEqual(answer, wanted, at: $0) })
      let statuses = Set((0..<count).map { answer.status(at: $0) })
      #expect(statuses == [.ok, .nodata, .outside])
      // Neighbours needed for interpolation may be in tiles of another share.
      guard resampling == .nearest else { continue }
      let reads = files.flatMap { $0.reads.withLock { Array($0.values) } }
      #expect(reads.count > 50)
      #expect(reads.allSatisfy { $0 == 1 })
      #expect(sharedSampler.cache.statistics.decodedTiles == reads.count)
    }
  }

  /// If each of many overlapping files needed a pass over all points, the run would never end.
  @Test(arguments: [0, 5000, 1 << 20])
  func sharesGoOverLevels(cacheBytes: Int) throws {
    let files = (0..<120).map { source($0, width: 14, height: 12, tile: (7, 6)) }
    let raster = try Raster(name: "stack", members: files)
    let sampler = try RasterSampler(
      [RasterSampler.Request(raster)], cache: TileCache(capacity: cacheBytes))
    let index = try #require(sampler.mosaicIndices[0])
    let shares = MosaicShare.shares(
      of: raster, index, TileCounts(shift: 0, buckets: Array(0..<480)), bands: [0],
      available: sampler.cache.available)
    #expect(index.levels.count == 120)
    #expect(shares.count == (cacheBytes > 200_000 ? 1 : 16))
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0.end == $1.start && $0.start < $0.end })
  }

  /// Masks of other planes are also read once, even if no tile is cached and each mask is larger
  /// than the memory that a job reserves for them.
  @Test(arguments: [4, 400], [64, 4000])
  func alphaIsReadOnce(side: Int, limit: Int) throws {
    let source = AlphaSource(side: side)
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "a", members: [source]))],
      cache: TileCache(capacity: 0), workers: Workers(count: 2))
    var generator = SeededGenerator(seed: 3)
    let width = Double(2 * side)
    let x = (0..<300).map { _ in Double.random(in: 0..<width, using: &generator) }
    let y = (0..<300).map { _ in Double.random(in: 0..<width, using: &generator) }
    let answer = sample(sampler, x: x, y: y, partLimit: limit)[0]
    for i in x.indices {
      let isLeft = Int(x[i]) % 2 == 0
      #expect(answer.columns[0].status(at: i) == (isLeft ? .masked : .ok))
      #expect(answer.columns[1].status(at: i) == (isLeft ? .masked : .ok))
      #expect(answer.columns[2].status(at: i) == .ok)
    }
    #expect(sampler.cache.statistics.decodedTiles == 12)
    #expect(sampler.cache.statistics.touchedTiles == 12)
  }

  /// Two bands and the alpha band of both, of 2 x 2 tiles; every other column is transparent.
  private final class AlphaSource: TileSource {
    let path = "alpha"
    let route = "memory"
    let files: [String] = []
    let profile: RasterProfile

    init(side: Int) {
      profile = RasterProfile(
        grid: TileGrid(width: 2 * side, height: 2 * side, tileWidth: side, tileHeight: side),
        mapping: .affine(.identity), reference: nil,
        bands: [
          Band(pixelType: .float64, validity: .alpha(band: 2)),
          Band(pixelType: .float64, validity: .alpha(band: 2)), Band(pixelType: .float64),
        ], isInterleaved: false)
    }

    func makeReader() throws(RasterError) -> any TileReader { Reader(profile.grid) }

    private final class Reader: TileReader {
      let grid: TileGrid
      init(_ grid: TileGrid) { self.grid = grid }

      func readTile(
        plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
      ) throws(RasterError) {
        let values = buffer.bindMemory(to: Double.self)
        for cell in values.indices {
          let column = grid.cell(tile: tile, offset: cell).column
          values[cell] = plane < 2 ? 1 : Double(column % 2)
        }
      }
    }
  }

  /// The ranges cover the grid, and their number is at most the limit.
  @Test func rangesOfTiles() {
    let grid = TileGrid(width: 100, height: 50, tileWidth: 10, tileHeight: 5)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<300 {
      let buckets = (0..<grid.tileCount).filter { _ in
        Int.random(in: 0..<3, using: &generator) == 0
      }
      let available = Double(Int.random(in: 1...20, using: &generator))
      for wholeRows in [false, true] {
        let ranges = TileCounts(shift: 0, buckets: buckets).ranges(
          of: grid, tileBytes: 1, available: available, wholeRows: wholeRows)
        #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == grid.tileCount)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        for range in ranges {
          let count = Double(buckets.count { range.contains($0) })
          if wholeRows {
            #expect(range.lowerBound % 10 == 0)
            #expect(count <= max(10, available + 10))
          } else {
            #expect(count <= max(1, available))
          }
        }
      }
    }
  }

  @Test func bucketsOfLargeGrids() {
    let grid = TileGrid(
      width: 1 << 30, height: 1 << 30, tileWidth: 1 << 16, tileHeight: 1 << 16)
    let shift = TileCounts.shift(ofTiles: grid.tileCount)
    #expect((grid.tileCount - 1) >> shift < TileCounts.bucketLimit)
    #expect((grid.tileCount - 1) >> (shift - 1) >= TileCounts.bucketLimit)
    #expect(TileCounts.shift(ofTiles: 25) == 0)
  }
}
