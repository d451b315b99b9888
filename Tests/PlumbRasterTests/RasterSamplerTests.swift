import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Batches: many rasters at once, bands in any order, invalid points, and points at the borders of
/// the parts in which a batch is processed.
@Suite struct RasterSamplerTests {
  private func source(
    _ number: Int, width: Int, height: Int, tile: (width: Int, height: Int), bands: Int,
    left: Double = 0, noData: Double? = nil, reference: String? = nil
  ) -> MemorySource {
    MemorySource(
      path: "raster \(number)", width: width, height: height, tile: tile,
      transform: GridTransform(coefficients: [left, 1, 0, 0, 0, 1])!, reference: reference,
      noData: noData,
      bands: (0..<bands).map { band in
        (0..<width * height).map { Double(number * 1_000_000 + band * 100_000 + $0) }
      })
  }

  private func expected(_ source: MemorySource, _ band: Int, _ x: Double, _ y: Double) -> Double? {
    guard case .affine(let transform) = source.profile.mapping else { return nil }
    let column = (x - transform.coefficients[0]).rounded(.down)
    let grid = source.profile.grid
    guard column >= 0, column < Double(grid.width), y >= 0, y < Double(grid.height) else {
      return nil
    }
    return source.bands[band][Int(y.rounded(.down)) * grid.width + Int(column)]
  }

  private func points(_ count: Int, width: Double, height: Double, seed: UInt64)
    -> (x: [Double], y: [Double])
  {
    var generator = SeededGenerator(seed: seed)
    return (
      (0..<count).map { _ in Double.random(in: -0.1 * width...1.1 * width, using: &generator) },
      (0..<count).map { _ in Double.random(in: -0.1 * height...1.1 * height, using: &generator) }
    )
  }

  /// Rasters of one grid share a plan; rasters of other grids are among them.
  @Test(arguments: [1, 4], [0, 1 << 20])
  func manyRastersAtOnce(workers: Int, cacheBytes: Int) throws {
    let sources = [
      source(1, width: 30, height: 20, tile: (7, 6), bands: 2),
      source(2, width: 30, height: 20, tile: (8, 8), bands: 1),
      source(3, width: 30, height: 20, tile: (7, 6), bands: 3),
      source(4, width: 30, height: 20, tile: (7, 6), bands: 2, left: 3),
      source(5, width: 30, height: 20, tile: (7, 6), bands: 1),
    ]
    let bands = [[0, 1], [0], [2, 0, 2], [1], [0]]
    let sampler = try RasterSampler(
      try zip(sources, bands).map {
        RasterSampler.Request(try Raster(name: $0.path, members: [$0]), bands: $1)
      },
      cache: TileCache(capacity: cacheBytes), workers: Workers(count: workers))
    #expect(sampler.congruentGroups() == [[0, 2, 4], [1], [3]])
    let (x, y) = points(3000, width: 32, height: 20, seed: 6)
    // The second time, all tiles are in memory if there is a cache.
    for _ in 0..<2 {
      let answers = sampler.sample(x: x, y: y, keepsProvenance: true)
      for ((answer, source), bands) in zip(zip(answers, sources), bands) {
        #expect(answer.columns.count == bands.count)
        for (column, band) in zip(answer.columns, bands) {
          let wrong = x.indices.filter { i in
            let value = expected(source, band, x[i], y[i])
            return column.status(at: i) != (value == nil ? .outside : .ok)
              || column[i] != value.map { .float64($0) }
          }
          #expect(wrong.isEmpty)
        }
      }
    }
    let reads = sources.flatMap { $0.reads.withLock { Array($0.values) } }
    // Each tile is read at most once per batch, and once overall if it could be cached.
    if cacheBytes > 0 { #expect(reads.allSatisfy { $0 == 1 }) }
  }

  /// An invalid point has its status in every column and is not looked up.
  @Test func pointsKeepTheirReasons() throws {
    let source = source(1, width: 10, height: 10, tile: (5, 5), bands: 2)
    let sampler = try RasterSampler([
      RasterSampler.Request(try Raster(name: "m", members: [source]))
    ])
    let reasons: [SampleStatus] = [
      .ok, .badPoint, .transformFailed, .ok, .readError, .outside, .nodata,
    ]
    let x = TrivialBuffer<Double>([1.5, 1.5, 1.5, 99, 1.5, 1.5, 1.5])
    let y = TrivialBuffer<Double>([Double](repeating: 2.5, count: 7))
    let status = TrivialBuffer<UInt8>(reasons.map(\.rawValue))
    for _ in 0..<2 {
      let answer = sampler.sample(
        [PointCoordinates(x: x.base, y: y.base, status: status.base, count: 7)],
        keepsProvenance: false)[0]
      var wanted = reasons
      wanted[3] = .outside
      for column in answer.columns {
        #expect((0..<7).map { column.status(at: $0) } == wanted)
        #expect((0..<7).compactMap { column[$0] }.count == 1)
      }
    }
  }

  /// Mosaics, which use separate code, also keep the reasons.
  @Test func mosaicsKeepReasonsToo() throws {
    let members = [0, 10].map {
      source(1, width: 10, height: 10, tile: (5, 5), bands: 1, left: Double($0))
    }
    let sampler = try RasterSampler([
      RasterSampler.Request(try Raster(name: "m", members: members))
    ])
    let reasons: [SampleStatus] = [.ok, .badPoint, .transformFailed, .ok]
    let x = TrivialBuffer<Double>([1.5, 11.5, 11.5, 11.5])
    let y = TrivialBuffer<Double>([Double](repeating: 2.5, count: 4))
    let status = TrivialBuffer<UInt8>(reasons.map(\.rawValue))
    let answer = sampler.sample([
      PointCoordinates(x: x.base, y: y.base, status: status.base, count: 4)
    ])[0]
    #expect((0..<4).map { answer.status(at: $0) } == reasons)
  }

  @Test func emptyBatch() throws {
    let sampler = try RasterSampler([
      RasterSampler.Request(
        try Raster(
          name: "m", members: [source(1, width: 2, height: 2, tile: (2, 2), bands: 1)]))
    ])
    let answer = sampler.sample(x: [], y: [])[0]
    #expect(answer.columns.count == 1 && answer.columns[0].count == 0)
  }

  /// Counts around the sizes at which points are located, distributed and planned.
  @Test(arguments: [4095, 4096, 4097, 32_767, 32_768, 32_769, 70_001])
  func countsAtTheBordersOfParts(count: Int) throws {
    let source = source(1, width: 97, height: 61, tile: (16, 16), bands: 1)
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: [source]))],
      workers: Workers(count: 3))
    let (x, y) = points(count, width: 97, height: 61, seed: UInt64(count))
    for _ in 0..<2 {
      let answer = sampler.sample(x: x, y: y, keepsProvenance: true)[0]
      let (values, status) = (
        answer.columns[0].bytes.assumingMemoryBound(to: Double.self),
        answer.columns[0].status.base
      )
      let provenance = try #require(answer.provenance)
      var wrong = 0
      for i in 0..<count {
        if let value = expected(source, 0, x[i], y[i]) {
          let cell = Int(value) - 1_000_000
          let isRight =
            status[i] == SampleStatus.ok.rawValue && values[i] == value
            && provenance.column.base[i] == Int32(cell % 97)
            && provenance.row.base[i] == Int32(cell / 97) && provenance.member.base[i] == 0
          if !isRight { wrong += 1 }
        } else if status[i] != SampleStatus.outside.rawValue || provenance.member.base[i] != -1 {
          wrong += 1
        }
      }
      #expect(wrong == 0)
    }
  }

  /// More points than fit in one part: the second part continues where the first ends.
  @Test func moreThanOneBatch() throws {
    let source = source(1, width: 50, height: 40, tile: (50, 40), bands: 1)
    let sampler = try RasterSampler([
      RasterSampler.Request(try Raster(name: "m", members: [source]))
    ])
    let count = 1 << 21 + 1000
    let (x, y) = (TrivialBuffer<Double>(count: count), TrivialBuffer<Double>(count: count))
    for i in 0..<count {
      x.base[i] = Double(i % 53) + 0.5
      y.base[i] = Double(i % 37) + 0.5
    }
    let answer = sampler.sample([PointCoordinates(x: x.base, y: y.base, count: count)])[0]
    let values = answer.columns[0].bytes.assumingMemoryBound(to: Double.self)
    let status = answer.columns[0].status.base
    var wrong = 0
    for i in 0..<count {
      let (column, row) = (i % 53, i % 37)
      let isRight =
        column < 50
        ? status[i] == SampleStatus.ok.rawValue
          && values[i] == Double(1_000_000 + row * 50 + column)
        : status[i] == SampleStatus.outside.rawValue
      if !isRight { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func refusesBandsThatAreNotThere() throws {
    let raster = try Raster(
      name: "m", members: [source(1, width: 2, height: 2, tile: (2, 2), bands: 2)])
    #expect(throws: RasterError.self) {
      try RasterSampler([RasterSampler.Request(raster, bands: [2])])
    }
    #expect(throws: RasterError.self) {
      try RasterSampler([RasterSampler.Request(raster, bands: [-1])])
    }
  }
}
