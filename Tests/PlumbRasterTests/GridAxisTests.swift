import PlumbCore
import PlumbRaster
import PlumbTestSupport
import Testing

/// Compares axes with cells of different sizes with a search through all cells.
@Suite struct GridAxisTests {
  private static func axis(_ generator: inout SeededGenerator, count: Int) -> [Double] {
    var value = Double.random(in: -1000...1000, using: &generator)
    var values: [Double] = []
    for _ in 0..<count {
      values.append(value)
      // The axes range from nearly regular to very irregular.
      value +=
        Bool.random(using: &generator)
        ? Double.random(in: 1...1.001, using: &generator)
        : Double.random(in: 0.001...30, using: &generator)
    }
    return Bool.random(using: &generator) ? values : values.map { -$0 }
  }

  private func cells(_ axis: GridAxis, _ points: [Double]) throws -> [Int] {
    let count = axis.count
    let source = AxisSource(
      columns: axis, rows: .even(origin: 0, step: 1, count: 1), width: count, height: 1)
    let sampler = try RasterSampler([.init(try Raster(name: "a", members: [source]))])
    let answer = sampler.sample(
      x: points, y: points.map { _ in 0.5 }, keepsProvenance: true)[0]
    return points.indices.map { Int(answer.provenance?.column[$0] ?? -9) }
  }

  @Test(arguments: 0..<30) func aPointBelongsToTheNearestCoordinate(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = [2, 3, 7, 64, 700][seed % 5]
    let values = Self.axis(&generator, count: count)
    let axis = try #require(UnevenAxis(centres: values))
    let (first, last) = (axis.edges(of: 0).start, axis.edges(of: count - 1).end)
    let points = (0..<200).map { number in
      number < 40
        ? values[number % count]
        : Double.random(in: min(first, last) - 5...max(first, last) + 5, using: &generator)
    }
    let found = try cells(.uneven(axis), points)
    let wrong = zip(points, found).filter { point, cell in
      let isInside = point > min(first, last) && point < max(first, last)
      guard isInside else { return cell != -1 && point != first }
      let distances = values.map { ($0 - point).magnitude }
      return cell < 0 || distances[cell] > distances.min()! * (1 + 1e-12) + 1e-12
    }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: [1.0, -1]) func aCellOwnsItsFirstEdgeInTheOrderOfTheGrid(sign: Double) throws {
    let values = [0, 1, 3, 6, 10].map { $0 * sign }
    let axis = try #require(UnevenAxis(centres: values))
    // The outer edges mirror the half steps: -0.5 and 12.
    let edges = [-0.5, 0.5, 2, 4.5, 8, 12].map { $0 * sign }
    #expect(try cells(.uneven(axis), edges) == [0, 1, 2, 3, 4, -1])
    #expect(try cells(.uneven(axis), edges.map { $0 - sign * 1e-9 }) == [-1, 0, 1, 2, 3, 4])
    #expect(try cells(.uneven(axis), [.nan, .infinity, -.infinity]) == [-1, -1, -1])
  }

  @Test func boundsCountBeforeCoordinates() throws {
    let axis = try #require(
      UnevenAxis(centres: [10, 20, 40], bounds: [(12, 0), (12, 30), (35, 50)]))
    // There is no cell in the gap between two bounds.
    #expect(
      try cells(.uneven(axis), [0, 11.9, 12, 29.9, 30, 34.9, 35, 49.9, 50])
        == [0, 0, 1, 1, -1, -1, 2, 2, -1])
    #expect(axis.edges(of: 1) == (12, 30))
    let single = try #require(UnevenAxis(centres: [5], bounds: [(4, 7)]))
    #expect(try cells(.uneven(single), [3.9, 4, 6.9, 7]) == [-1, 0, 0, -1])
  }

  @Test func axesThatAreNoneAreRefused() {
    #expect(UnevenAxis(centres: []) == nil)
    #expect(UnevenAxis(centres: [1]) == nil)
    #expect(UnevenAxis(centres: [1, 2, 2]) == nil)
    #expect(UnevenAxis(centres: [1, 3, 2]) == nil)
    #expect(UnevenAxis(centres: [1, .nan, 2]) == nil)
    #expect(UnevenAxis(centres: [1, 2], bounds: [(0, 2), (1, 3)]) == nil)
    #expect(UnevenAxis(centres: [1, 2], bounds: [(0, 1), (1, 1)]) == nil)
    #expect(UnevenAxis(centres: [1, 2], bounds: [(0, 1)]) == nil)
  }

  @Test func positionsAndCoordinatesAreInverse() throws {
    var generator = SeededGenerator(seed: 5)
    let values = Self.axis(&generator, count: 50)
    let axis = GridPlacement.axes(
      GridAxes(
        columns: .uneven(try #require(UnevenAxis(centres: values))),
        rows: .even(origin: 5, step: -2, count: 9)))
    for column in stride(from: -3.0, to: 53, by: 0.25) {
      let point = axis.coordinates(column: column, row: 4.5)
      let back = axis.gridPosition(x: point.x, y: point.y)
      #expect((back.column - column).magnitude < 1e-9 && back.row == 4.5)
    }
  }

  @Test func interpolationIsBetweenTheCoordinates() throws {
    let columns = try #require(UnevenAxis(centres: [0, 1, 3, 6, 10]))
    let rows = try #require(UnevenAxis(centres: [9, 5, 4]))
    let source = AxisSource(
      columns: .uneven(columns), rows: .uneven(rows), width: 5, height: 3,
      values: { Double($0 * 10 + $1) })
    let raster = try Raster(name: "a", members: [source])
    let sampler = try RasterSampler([.init(raster)], resampling: .bilinear)
    let answer = sampler.sample(x: [2, 4.5, 0, -0.4, 11], y: [7, 4.5, 9, 10, 4])[0]
    // Column 1.5 and row 0.5; column 2.5 and row 1.5; a coordinate of the axis; positions beyond
    // the outer coordinates.
    #expect((0..<5).map { answer.columns[0][$0]?.real } == [6.5, 17.5, 0, 0, 24])
    #expect(throws: RasterError.self) {
      try RasterSampler([.init(raster)], resampling: .cubic)
    }
  }

  @Test func longitudesHaveTheirPeriodOnUnevenAxes() throws {
    let columns = try #require(UnevenAxis(centres: [10, 30, 100, 200, 330]))
    let source = AxisSource(
      columns: .uneven(columns), rows: .even(origin: 0, step: 1, count: 1), width: 5, height: 1,
      period: 360)
    let sampler = try RasterSampler([.init(try Raster(name: "a", members: [source]))])
    let answer = sampler.sample(
      x: [-30, 330, -160, 460, 5], y: [0.5, 0.5, 0.5, 0.5, 0.5], keepsProvenance: true)[0]
    #expect((0..<5).map { answer.provenance?.column[$0] } == [4, 4, 3, 2, 0])
  }
}

/// A raster with axes, in memory.
private final class AxisSource: TileSource {
  let path = "axes"
  let profile: RasterProfile
  let route = "memory"
  let files = ["axes"]
  private let values: @Sendable (_ row: Int, _ column: Int) -> Double

  init(
    columns: GridAxis, rows: GridAxis, width: Int, height: Int, period: Double? = nil,
    values: @escaping @Sendable (Int, Int) -> Double = { Double($1) }
  ) {
    self.values = values
    profile = RasterProfile(
      grid: TileGrid(width: width, height: height, tileWidth: width, tileHeight: height),
      mapping: .axes(GridAxes(columns: columns, rows: rows)), reference: nil,
      longitudePeriod: period, bands: [Band(pixelType: .float64)], isInterleaved: false)
  }

  func makeReader() throws(RasterError) -> any TileReader { Reader(self) }

  private final class Reader: TileReader {
    private let source: AxisSource
    init(_ source: AxisSource) { self.source = source }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      let cells = buffer.bindMemory(to: Double.self)
      let grid = source.profile.grid
      for row in 0..<grid.height {
        for column in 0..<grid.width {
          cells[row * grid.width + column] = source.values(row, column)
        }
      }
    }
  }
}
