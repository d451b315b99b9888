import PlumbCore
import PlumbRaster
import PlumbTestSupport
import Testing

/// A mosaic returns the value of the first file, in order, that has one at a point.
@Suite struct MosaicTests {
  /// Files of one cell size that overlap at random, with holes.
  private func members(
    _ count: Int, seed: UInt64, holes: Double, bands: Int = 1, broken: Bool = false
  ) -> [MemorySource] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      let (width, height) = (
        Int.random(in: 3...20, using: &generator), Int.random(in: 3...20, using: &generator)
      )
      let left = Double(Int.random(in: 0...40, using: &generator))
      let top = Double(Int.random(in: 0...40, using: &generator))
      let isSouthUp = Bool.random(using: &generator)
      let cells = (0..<bands).map { band in
        (0..<width * height).map { cell in
          Double.random(in: 0..<1, using: &generator) < holes
            ? -1 : Double(number * 100_000 + band * 10_000 + cell)
        }
      }
      return MemorySource(
        path: "member \(number)", width: width, height: height, tile: (4, 3),
        transform: GridTransform(coefficients: [left, 1, 0, top, 0, isSouthUp ? 1 : -1])!,
        noData: -1, broken: broken ? [number % 3] : [], bands: cells)
    }
  }

  private struct Sampled: Equatable {
    var status: [SampleStatus]
    var values: [Double?]
    var member = -1
    var column = -1
    var row = -1
  }

  /// Reads one file after the other, cell by cell.
  private func bruteForce(
    _ members: [MemorySource], bands: [Int], _ x: Double, _ y: Double
  ) -> Sampled {
    var answer = Sampled(
      status: bands.map { _ in .outside }, values: bands.map { _ in nil })
    for (number, member) in members.enumerated() {
      guard case .affine(let transform) = member.profile.mapping else { continue }
      let c = transform.coefficients
      let grid = member.profile.grid
      let (column, row) = (
        Int(((x - c[0]) / c[1]).rounded(.down)), Int(((y - c[3]) / c[5]).rounded(.down))
      )
      guard column >= 0, column < grid.width, row >= 0, row < grid.height else { continue }
      let tile = row / grid.tileHeight * grid.tilesAcross + column / grid.tileWidth
      let isBroken = member.broken.contains(tile)
      let values = bands.map { member.bands[$0][row * grid.width + column] }
      answer.status = values.map { isBroken ? .readError : $0 == -1 ? .nodata : .ok }
      answer.values = values.map { isBroken || $0 == -1 ? nil : $0 }
      (answer.member, answer.column, answer.row) = (number, column, row)
      if answer.status.contains(where: { $0 != .nodata }) { return answer }
    }
    return answer
  }

  private func check(
    _ members: [MemorySource], bands: [Int] = [0], cacheBytes: Int = 1 << 20, workers: Int = 3,
    expecting statuses: Set<SampleStatus>
  ) throws {
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: members), bands: bands)],
      cache: TileCache(capacity: cacheBytes), workers: Workers(count: workers))
    var generator = SeededGenerator(seed: 99)
    var x: [Double] = []
    var y: [Double] = []
    for _ in 0..<2000 {
      x.append(Double.random(in: -5...65, using: &generator))
      y.append(Double.random(in: -25...65, using: &generator))
      // Corners of cells, whose coordinates are exact here.
      x.append(Double(Int.random(in: -2...62, using: &generator)))
      y.append(Double(Int.random(in: -22...62, using: &generator)))
    }
    var seen: Set<SampleStatus> = []
    for _ in 0..<2 {
      let answer = sampler.sample(x: x, y: y, keepsProvenance: true)[0]
      let provenance = try #require(answer.provenance)
      for i in x.indices {
        let expected = bruteForce(members, bands: bands, x[i], y[i])
        let found = Sampled(
          status: answer.columns.map { $0.status(at: i) },
          values: answer.columns.map { $0[i]?.real },
          member: Int(provenance.member[i]), column: Int(provenance.column[i]),
          row: Int(provenance.row[i]))
        if found != expected {
          Issue.record("at \(x[i]), \(y[i]): \(found) instead of \(expected)")
          return
        }
        seen.formUnion(found.status)
      }
    }
    #expect(seen.isSuperset(of: statuses))
  }

  @Test func firstValueWins() throws {
    try check(members(2, seed: 1, holes: 0.5), expecting: [.ok, .nodata, .outside])
    try check(members(12, seed: 2, holes: 0.6), expecting: [.ok, .nodata, .outside])
    try check(members(60, seed: 3, holes: 0.9), expecting: [.ok, .nodata, .outside])
    try check(members(400, seed: 4, holes: 0.97), workers: 1, expecting: [.ok, .nodata])
  }

  @Test func tinyCache() throws {
    try check(members(30, seed: 5, holes: 0.7), cacheBytes: 200, expecting: [.ok, .nodata])
    try check(members(30, seed: 5, holes: 0.7), cacheBytes: 0, expecting: [.ok, .nodata])
  }

  /// A value in one requested band determines the file for all requested bands.
  @Test func severalBands() throws {
    let members = members(20, seed: 6, holes: 0.8, bands: 3)
    try check(members, bands: [0, 1, 2], expecting: [.ok, .nodata, .outside])
    try check(members, bands: [2], expecting: [.ok, .nodata, .outside])
    try check(members, bands: [2, 0], expecting: [.ok, .nodata, .outside])
  }

  /// The unreadable file may have had a value, so later files are not used.
  @Test func brokenTilesEndTheSearch() throws {
    try check(
      members(20, seed: 7, holes: 0.7, broken: true),
      expecting: [.ok, .nodata, .outside, .readError])
  }

  /// Each tile is read once for all points of a batch for which it is the first.
  @Test func tilesAreReadOnce() throws {
    let members = members(12, seed: 8, holes: 0)
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: members))],
      workers: Workers(count: 4))
    var generator = SeededGenerator(seed: 1)
    let x = (0..<5000).map { _ in Double.random(in: 0...60, using: &generator) }
    let y = (0..<5000).map { _ in Double.random(in: -20...60, using: &generator) }
    _ = sampler.sample(x: x, y: y)
    _ = sampler.sample(x: x, y: y)
    let counts = members.flatMap { $0.reads.withLock { Array($0.values) } }
    #expect(counts.count > 50)
    #expect(counts.allSatisfy { $0 == 1 })
    #expect(sampler.cache.statistics.decodedTiles == counts.count)
  }

  /// Each tile is also read once if points continue in the next file, with any cache size.
  @Test(arguments: [0.3, 0.8, 0.97], [Resampling.nearest, .bilinear])
  func tilesAreReadOnceOnTheWay(holes: Double, resampling: Resampling) throws {
    let members = members(25, seed: 9, holes: holes)
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: members))], resampling: resampling,
      cache: TileCache(capacity: 0), workers: Workers(count: 4))
    var generator = SeededGenerator(seed: 2)
    let x = TrivialBuffer((0..<5000).map { _ in Double.random(in: 0...60, using: &generator) })
    let y = TrivialBuffer((0..<5000).map { _ in Double.random(in: -20...60, using: &generator) })
    let answer = sampler.sample(
      [PointCoordinates(x: x.base, y: y.base, count: 5000)], keepsTiles: false)[0]
    let counts = members.flatMap { $0.reads.withLock { Array($0.values) } }
    #expect(counts.count > 100)
    #expect(counts.allSatisfy { $0 == 1 })
    #expect(sampler.cache.statistics.decodedTiles == counts.count)
    #expect(sampler.cache.statistics.touchedTiles == counts.count)
    #expect((0..<5000).contains { answer.status(at: $0) == .ok })
  }

  private static func value(_ cell: Int, ofStrip number: Int) -> Double {
    number % 2 == 0 ? -1 : Double(number * 10 + cell)
  }

  /// Files whose extents intersect although their cells do not. If a point is in both of two
  /// adjacent files due to rounding, the earlier file is read first.
  ///
  /// - Parameter partLimit: the number of points of a part. If there are several parts, the tiles
  ///   are read in shares.
  @Test(arguments: [600, 100])
  func neighboursThatMeetByRounding(partLimit: Int) throws {
    let step = 0.1
    let members = (0..<40).map { number in
      MemorySource(
        path: "strip \(number)", width: 3, height: 3, tile: (2, 2),
        transform: GridTransform(
          coefficients: [Double(number) * 3 * step, step, 0, 0, 0, 1])!, noData: -1,
        bands: [(0..<9).map { (cell: Int) -> Double in Self.value(cell, ofStrip: number) }])
    }
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: members))],
      cache: TileCache(capacity: 0))
    var x: [Double] = []
    for number in 0..<120 {
      let edge = Double(number) * step
      x += [edge.nextDown.nextDown, edge.nextDown, edge, edge.nextUp, edge.nextUp.nextUp]
    }
    let (xs, ys) = (TrivialBuffer(x), TrivialBuffer(x.map { _ in 1.5 }))
    let answer = withExtendedLifetime((xs, ys)) {
      sampler.sample(
        [PointCoordinates(x: xs.base, y: ys.base, count: x.count)], keepsProvenance: false,
        keepsTiles: false, partLimit: partLimit, shouldContinue: { true })[0]
    }
    for i in x.indices {
      var expected: Double?
      for member in members where expected == nil {
        guard case .affine(let transform) = member.profile.mapping else { continue }
        for column in 0..<3 {
          let left = transform.originX + Double(column) * step
          let right = transform.originX + Double(column + 1) * step
          guard x[i] >= left, x[i] < right else { continue }
          let value = member.bands[0][3 + column]
          if value != -1 { expected = value }
        }
      }
      #expect(answer.columns[0][i]?.real == expected, "\(x[i])")
    }
  }

  @Test func interpolatedPointsReadTheNextFileToo() throws {
    let hole = MemorySource(
      path: "a", width: 4, height: 4, tile: (2, 2), noData: -1,
      bands: [(0..<16).map { $0 % 4 < 2 ? -1 : 10 }])
    let whole = MemorySource(
      path: "b", width: 4, height: 4, tile: (4, 4), bands: [[Double](repeating: 20, count: 16)])
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: [hole, whole]))],
      resampling: .bilinear)
    let answer = sampler.sample(x: [0.7, 3.1, 1.9, 9], y: [1, 1, 2, 1])[0]
    #expect(answer.columns[0][0] == .float64(20))
    #expect(answer.columns[0][1] == .float64(10))
    #expect(answer.columns[0][2] == .float64(20))
    #expect(answer.status(at: 3) == .outside)
  }

  @Test func membersHaveToFit() throws {
    let one = MemorySource(width: 2, height: 2, tile: (2, 2), bands: [[0, 0, 0, 0]])
    let two = MemorySource(
      width: 2, height: 2, tile: (2, 2), bands: [[0, 0, 0, 0], [0, 0, 0, 0]])
    #expect(throws: RasterError.self) { try Raster(name: "m", members: [one, two]) }
    #expect(throws: RasterError.self) { try Raster(name: "m", members: []) }
    #expect(try Raster(name: "m", members: [one, one]).isMosaic)
  }
}
