import PlumbCore
import PlumbRaster
import PlumbTestSupport
import Testing

/// Compares interpolation with a second implementation: sums over all cells with the kernels of the
/// two methods, and the rule of RasterSampler+Interpolation.swift near nodata and edges.
@Suite struct InterpolationTests {
  private static let (width, height) = (23, 17)

  private func source(noData: Double? = nil, holes: Double = 0, broken: Set<Int> = [])
    -> MemorySource
  {
    var generator = SeededGenerator(seed: 11)
    let cells = (0..<Self.width * Self.height).map { _ in
      let value = Double.random(in: -50...50, using: &generator)
      return Double.random(in: 0..<1, using: &generator) < holes ? noData ?? .nan : value
    }
    return MemorySource(
      width: Self.width, height: Self.height, tile: (5, 4),
      transform: GridTransform(coefficients: [100, 2, 0, 50, 0, -0.5])!, noData: noData,
      broken: broken, bands: [cells])
  }

  /// Bilinear: a tent over each cell's centre; cells without a value are omitted.
  private func bilinear(_ source: MemorySource, _ gx: Double, _ gy: Double) -> Double? {
    guard value(source, Int(gx.rounded(.down)), Int(gy.rounded(.down))) != nil else { return nil }
    var (sum, weights) = (0.0, 0.0)
    for row in 0..<Self.height {
      for column in 0..<Self.width {
        let weight =
          max(0, 1 - (gx - Double(column) - 0.5).magnitude)
          * max(0, 1 - (gy - Double(row) - 0.5).magnitude)
        guard weight > 0, let value = value(source, column, row) else { continue }
        sum += weight * value
        weights += weight
      }
    }
    return sum / weights
  }

  /// Keys' cubic convolution with a = -1/2 over the sixteen nearest cells; bilinear if any of them
  /// is missing.
  private func cubic(_ source: MemorySource, _ gx: Double, _ gy: Double) -> Double? {
    func keys(_ t: Double) -> Double {
      let (a, t) = (-0.5, t.magnitude)
      if t <= 1 { return ((a + 2) * t - (a + 3)) * t * t + 1 }
      return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0
    }
    guard value(source, Int(gx.rounded(.down)), Int(gy.rounded(.down))) != nil else { return nil }
    let (left, top) = (Int((gx - 0.5).rounded(.down)) - 1, Int((gy - 0.5).rounded(.down)) - 1)
    var sum = 0.0
    for row in top..<top + 4 {
      for column in left..<left + 4 {
        guard let value = value(source, column, row) else { return bilinear(source, gx, gy) }
        sum += value * keys(gx - Double(column) - 0.5) * keys(gy - Double(row) - 0.5)
      }
    }
    return sum
  }

  private func value(_ source: MemorySource, _ column: Int, _ row: Int) -> Double? {
    guard (0..<Self.width).contains(column), (0..<Self.height).contains(row) else { return nil }
    let value = source.bands[0][row * Self.width + column]
    if value.isNaN { return nil }
    if case .noData(.real(let noData)) = source.profile.bands[0].validity, value == noData {
      return nil
    }
    return value
  }

  /// Grid positions everywhere on the raster, including centres and borders.
  private var positions: [(x: Double, y: Double)] {
    var generator = SeededGenerator(seed: 12)
    var list = (0..<3000).map { _ in
      (
        Double.random(in: 0..<Double(Self.width), using: &generator),
        Double.random(in: 0..<Double(Self.height), using: &generator)
      )
    }
    for row in 0..<Self.height {
      for column in 0..<Self.width {
        list.append((Double(column) + 0.5, Double(row) + 0.5))
        list.append((Double(column), Double(row)))
      }
    }
    return list
  }

  private func check(
    _ source: MemorySource, _ method: Resampling, workers: Int = 3,
    against formula: (MemorySource, Double, Double) -> Double?
  ) throws {
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: [source]))], resampling: method,
      workers: Workers(count: workers))
    let positions = positions
    let answer = sampler.sample(
      x: positions.map { 100 + $0.x * 2 }, y: positions.map { 50 - $0.y * 0.5 })[0]
    var (values, holes) = (0, 0)
    for (index, position) in positions.enumerated() {
      let column = answer.columns[0]
      guard let expected = formula(source, position.x, position.y) else {
        #expect(column.status(at: index) == .nodata, "\(position)")
        holes += 1
        continue
      }
      guard case .float64(let value)? = column[index] else {
        Issue.record("no value at \(position)")
        continue
      }
      #expect((value - expected).magnitude < 1e-9, "\(position): \(value), not \(expected)")
      values += 1
    }
    #expect(values > 500)
    let cellsAreWhole = source.bands[0].indices.allSatisfy {
      self.value(source, $0 % Self.width, $0 / Self.width) != nil
    }
    #expect((holes == 0) == cellsAreWhole)
  }

  @Test func bilinearOfWholeRaster() throws {
    try check(source(), .bilinear, against: bilinear)
  }

  @Test func cubicOfWholeRaster() throws {
    try check(source(), .cubic, against: cubic)
  }

  @Test(arguments: [0.03, 0.3, 0.8])
  func besideNoData(holes: Double) throws {
    try check(source(noData: -9999, holes: holes), .bilinear, against: bilinear)
    try check(source(noData: -9999, holes: holes), .cubic, workers: 1, against: cubic)
    try check(source(holes: holes), .cubic, against: cubic)
  }

  /// Both methods reproduce a plane away from the edges.
  @Test(arguments: [Resampling.bilinear, .cubic])
  func planeStaysPlane(method: Resampling) throws {
    let cells = (0..<400).map { cell -> Double in
      let (x, y) = (Double(cell % 20) + 0.5, Double(cell / 20) + 0.5)
      return 3 + 0.5 * x - 2 * y
    }
    let source = MemorySource(width: 20, height: 20, tile: (6, 7), bands: [cells])
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "m", members: [source]))], resampling: method)
    var generator = SeededGenerator(seed: 1)
    let x = (0..<500).map { _ in Double.random(in: 2...18, using: &generator) }
    let y = (0..<500).map { _ in Double.random(in: 2...18, using: &generator) }
    let answer = sampler.sample(x: x, y: y)[0]
    for i in x.indices {
      let value = try #require(answer.columns[0][i]?.real)
      #expect((value - (3 + 0.5 * x[i] - 2 * y[i])).magnitude < 1e-9)
    }
  }

  /// A tile that cannot be read is an error only for points that need it.
  @Test func brokenTile() throws {
    // The tile of columns 5 to 9 and rows 4 to 7.
    let source = self.source(broken: [6])
    for (method, reach) in [(Resampling.nearest, 0.0), (.bilinear, 0.5), (.cubic, 1.5)] {
      let sampler = try RasterSampler(
        [RasterSampler.Request(try Raster(name: "m", members: [source]))], resampling: method)
      let positions = positions
      let answer = sampler.sample(
        x: positions.map { 100 + $0.x * 2 }, y: positions.map { 50 - $0.y * 0.5 })[0]
      for (index, position) in positions.enumerated() {
        // Cubic interpolation uses fewer cells near the edge of the raster, so those points are
        // skipped.
        let isInner = position.x > 2 && position.y > 2 && position.x < 21 && position.y < 15
        guard isInner || method != .cubic else { continue }
        let isBorder =
          [5 - reach, 10 + reach].contains(position.x)
          || [4 - reach, 8 + reach].contains(position.y)
        guard !isBorder || method == .nearest else { continue }
        let isNear =
          position.x >= 5 - reach && position.x < 10 + reach
          && position.y >= 4 - reach && position.y < 8 + reach
        let status = answer.columns[0].status(at: index)
        #expect(status == (isNear ? .readError : .ok), "\(method) at \(position): \(status)")
      }
      #expect(sampler.drainFailures().count > 0)
    }
  }
}
