import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Interpolation tile by tile: all types, masks and shapes of tiles are compared with a second
/// implementation of the rule for single cells, and each tile is read once.
@Suite struct TypedInterpolationTests {
  private static let (width, height) = (37, 23)

  private func numbers(_ seed: UInt64, _ range: ClosedRange<Int>) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    return (0..<Self.width * Self.height).map { _ in
      Double(Int.random(in: range, using: &generator))
    }
  }

  /// A cell's value and status in the source.
  private func cell(
    _ source: TypedSource, _ band: Int, _ column: Int, _ row: Int
  ) -> (status: SampleStatus, value: Double) {
    guard (0..<Self.width).contains(column), (0..<Self.height).contains(row) else {
      return (.outside, 0)
    }
    let index = row * Self.width + column
    let value = source.cells[band][index]
    switch source.profile.bands[band].validity {
    case .all: return (value.isNaN ? .nodata : .ok, value)
    case .noData(.real(let noData)): return (value == noData || value.isNaN ? .nodata : .ok, value)
    case .noData: return (.ok, value)
    case .alpha(let alpha): return (source.cells[alpha][index] == 0 ? .masked : .ok, value)
    case .mask(let meansNoData):
      let mask = source.cells[source.profile.bands.count + band][index]
      return (mask != 0 ? .ok : meansNoData ? .nodata : .masked, value)
    }
  }

  /// The rule, cell by cell.
  private func expected(
    _ source: TypedSource, _ band: Int, _ method: Resampling, _ x: Double, _ y: Double
  ) -> (status: SampleStatus, value: Double) {
    let nearest = cell(source, band, Int(x.rounded(.down)), Int(y.rounded(.down)))
    guard nearest.status == .ok else { return (nearest.status, 0) }
    let (left, top) = (Int((x - 0.5).rounded(.down)), Int((y - 0.5).rounded(.down)))
    let (fx, fy) = (x - 0.5 - Double(left), y - 0.5 - Double(top))
    if method == .cubic {
      func weights(_ t: Double) -> [Double] {
        [-1.0, 0, 1, 2].map { (index: Double) -> Double in
          let d = (t - index).magnitude
          if d <= 1 { return (1.5 * d - 2.5) * d * d + 1 }
          return ((2.5 - 0.5 * d) * d - 4) * d + 2
        }
      }
      let taps = (0..<16).map { cell(source, band, left - 1 + $0 % 4, top - 1 + $0 / 4) }
      if taps.allSatisfy({ $0.status == .ok }) {
        let (wx, wy) = (weights(fx), weights(fy))
        var sum = 0.0
        for tap in 0..<16 { sum += wx[tap % 4] * wy[tap / 4] * taps[tap].value }
        return (.ok, sum)
      }
    }
    var (sum, weights) = (0.0, 0.0)
    for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let weight = (column == 0 ? 1 - fx : fx) * (row == 0 ? 1 - fy : fy)
      let tap = cell(source, band, left + column, top + row)
      guard weight > 0, tap.status == .ok else { continue }
      sum += weight * tap.value
      weights += weight
    }
    return (.ok, sum / weights)
  }

  private var points: (x: [Double], y: [Double]) {
    var generator = SeededGenerator(seed: 31)
    var points: (x: [Double], y: [Double]) = ([], [])
    for _ in 0..<2000 {
      points.x.append(Double.random(in: -1...Double(Self.width + 1), using: &generator))
      points.y.append(Double.random(in: -1...Double(Self.height + 1), using: &generator))
    }
    for column in 0..<Self.width {
      for row in stride(from: column % 3, to: Self.height, by: 3) {
        points.x += [Double(column), Double(column) + 0.5]
        points.y += [Double(row), Double(row) + 0.5]
      }
    }
    return points
  }

  private func check(
    _ source: TypedSource, _ method: Resampling, bands: [Int], cacheBytes: Int = 0,
    keepsTiles: Bool = false, partLimit: Int = 1 << 20, readsOnce: Bool = true
  ) throws {
    let sampler = try RasterSampler(
      [RasterSampler.Request(try Raster(name: "t", members: [source]), bands: bands)],
      resampling: method, cache: TileCache(capacity: cacheBytes), workers: Workers(count: 2))
    let points = points
    let (x, y) = (TrivialBuffer(points.x), TrivialBuffer(points.y))
    let answer = sampler.sample(
      [PointCoordinates(x: x.base, y: y.base, count: x.count)], keepsProvenance: true,
      keepsTiles: keepsTiles, partLimit: partLimit, shouldContinue: { true })[0]
    var seen: Set<SampleStatus> = []
    for (band, column) in zip(bands, answer.columns) {
      for i in points.x.indices {
        let isInside =
          (0..<Double(Self.width)).contains(points.x[i])
          && (0..<Double(Self.height)).contains(points.y[i])
        let wanted =
          isInside
          ? expected(source, band, method, points.x[i], points.y[i]) : (.outside, 0)
        seen.insert(wanted.status)
        let value = column[i]?.real ?? 0
        let scale = max(1, wanted.value.magnitude)
        guard column.status(at: i) == wanted.status,
          wanted.status != .ok || (value - wanted.value).magnitude < 1e-9 * scale
        else {
          Issue.record(
            """
            band \(band) at \(points.x[i]), \(points.y[i]): \(column.status(at: i)) \(value), not \
            \(wanted)
            """)
          return
        }
        #expect(answer.provenance?.column[i] == (isInside ? Int32(points.x[i]) : -1))
      }
    }
    #expect(seen.contains(.ok) && seen.contains(.outside))
    if readsOnce {
      let reads = source.reads.withLock { Array($0.values) }
      #expect(reads.allSatisfy { $0 == 1 })
      #expect(sampler.cache.statistics.decodedTiles == reads.count)
      #expect(sampler.cache.statistics.touchedTiles == reads.count)
    }
  }

  @Test(
    arguments: PixelType.allCases.filter { !$0.isComplex }, [Resampling.bilinear, .cubic])
  func allTypes(type: PixelType, method: Resampling) throws {
    let isSigned = type.name.hasPrefix("int") || type.isFloatingPoint
    let values = numbers(4, isSigned ? -90...110 : 0...200)
    let source = TypedSource(
      type, width: Self.width, height: Self.height, tile: (8, 6), validity: [.all],
      isInterleaved: false, bands: [values])
    try check(source, method, bands: [0])
    let holes = TypedSource(
      type, width: Self.width, height: Self.height, tile: (8, 6),
      validity: [.noData(.real(values[7]))], isInterleaved: false,
      bands: [values.enumerated().map { $0 % 9 == 4 ? values[7] : $1 }])
    try check(holes, method, bands: [0])
  }

  /// Rows of one cell, columns of one cell, single cells, tiles as large as the raster, and others.
  @Test(
    arguments: [[37, 1], [1, 23], [1, 1], [2, 2], [3, 5], [37, 23], [64, 64], [16, 16]],
    [Resampling.bilinear, .cubic])
  func allShapes(tile: [Int], method: Resampling) throws {
    for partLimit in [1 << 20, 300] {
      for cacheBytes in [0, 900, 1 << 24] {
        let source = TypedSource(
          .int16, width: Self.width, height: Self.height, tile: (tile[0], tile[1]),
          validity: [.noData(.real(3))], isInterleaved: false, bands: [numbers(5, -4...20)])
        try check(
          source, method, bands: [0], cacheBytes: cacheBytes, keepsTiles: cacheBytes == 900,
          partLimit: partLimit)
      }
    }
  }

  /// Alpha bands and masks, by band and interleaved.
  @Test(arguments: [Resampling.bilinear, .cubic], [true, false])
  func masks(method: Resampling, isInterleaved: Bool) throws {
    let alpha = numbers(8, 0...9)
    let source = TypedSource(
      .uint16, width: Self.width, height: Self.height, tile: (9, 7),
      validity: [.alpha(band: 2), .alpha(band: 2), .all], isInterleaved: isInterleaved,
      bands: [numbers(6, 0...500), numbers(7, 0...500), alpha])
    try check(source, method, bands: [1, 0])
    try check(source, method, bands: [2, 0, 1], readsOnce: false)
    let masked = TypedSource(
      .float32, width: Self.width, height: Self.height, tile: (9, 7),
      validity: [.mask(meansNoData: false), .mask(meansNoData: true)], isInterleaved: isInterleaved,
      bands: [numbers(9, -50...50), numbers(10, -50...50)],
      masks: [numbers(11, 0...7), numbers(12, 0...2)])
    try check(masked, method, bands: [0, 1])
  }

  /// A global raster: the cells of the left edge are next to those of the right edge.
  @Test(arguments: [Resampling.bilinear, .cubic], [5, 12, 36])
  func allTheWayRound(method: Resampling, tileWidth: Int) throws {
    let (width, height) = (36, 12)
    let cells = (0..<width * height).map { Double(($0 * 7919) % 101) }
    func make(_ repeats: Int) -> TypedSource {
      TypedSource(
        .float64, width: width * repeats, height: height, tile: (tileWidth, 5), validity: [.all],
        isInterleaved: false,
        bands: [
          (0..<width * height * repeats).map {
            cells[$0 / (width * repeats) * width + $0 % (width * repeats) % width]
          }
        ],
        transform: GridTransform(
          coefficients: [repeats == 1 ? -180 : -540, 10, 0, 60, 0, -10])!,
        period: repeats == 1 ? 360 : nil)
    }
    // The same cells three times side by side do not have an edge there.
    let (round, wide) = (make(1), make(3))
    var answers: [RasterAnswer] = []
    var generator = SeededGenerator(seed: 5)
    let x = (0..<4000).map { _ in Double.random(in: -180..<180, using: &generator) }
    let y = (0..<4000).map { _ in Double.random(in: -59...59, using: &generator) }
    for source in [round, wide] {
      let sampler = try RasterSampler(
        [RasterSampler.Request(try Raster(name: "r", members: [source]))], resampling: method,
        cache: TileCache(capacity: 0), workers: Workers(count: 2))
      let (xs, ys) = (TrivialBuffer(x), TrivialBuffer(y))
      answers.append(
        sampler.sample(
          [PointCoordinates(x: xs.base, y: ys.base, count: x.count)], keepsTiles: false)[0])
    }
    for i in x.indices {
      let (value, wanted) = (answers[0].columns[0][i]?.real, answers[1].columns[0][i]?.real)
      #expect(value != nil && (value! - wanted!).magnitude < 1e-9, "\(x[i]), \(y[i])")
    }
    #expect(round.reads.withLock { $0.values.allSatisfy { $0 == 1 } })
  }
}
