import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// A cell contains its top and left edges, where edge k is `origin + k * step` in doubles.
@Suite struct CellBorderTests {
  /// Columns of points along the first row, rows of points along the first column.
  private func locate(_ c: [Double], cells: Int, alongX: Bool, _ values: [Double]) -> [Int32] {
    let transform = GridTransform(coefficients: c)!
    let locator = CellLocator(
      width: alongX ? cells : 1, height: alongX ? 1 : cells, transform: transform)
    let middle = transform.coordinates(column: 0.5, row: 0.5)
    let x = TrivialBuffer(alongX ? values : values.map { _ in middle.x })
    let y = TrivialBuffer(alongX ? values.map { _ in middle.y } : values)
    let columns = TrivialBuffer<Int32>(count: values.count)
    let rows = TrivialBuffer<Int32>(count: values.count)
    locator.locate(
      x: x.base, y: y.base, count: values.count, columns: columns.base, rows: rows.base)
    return alongX ? columns.array : rows.array
  }

  private func check(origin: Double, step: Double, cells: Int, edges: [Int]) {
    for alongX in [true, false] {
      let c = alongX ? [origin, step, 0, 7, 0, -3] : [7, 3, 0, origin, 0, step]
      let on = edges.map { origin + Double($0) * step }
      let before = on.map { step > 0 ? $0.nextDown : $0.nextUp }
      let found = locate(c, cells: cells, alongX: alongX, on)
      let foundBefore = locate(c, cells: cells, alongX: alongX, before)
      for (index, edge) in edges.enumerated() {
        let owner = edge < cells ? Int32(edge) : CellLocator.outside
        let previous = edge > 0 ? Int32(edge - 1) : CellLocator.outside
        if found[index] != owner || foundBefore[index] != previous {
          Issue.record(
            """
            origin \(origin), step \(step), edge \(edge), along x: \(alongX): \(found[index]), \
            before it \(foundBefore[index])
            """)
          return
        }
      }
    }
  }

  @Test func everyEdgeBelongsToTheCellBehindIt() {
    var generator = SeededGenerator(seed: 3)
    let steps: [Double] = [
      1.0 / 3600, 1.0 / 1200, 1.0 / 3, 231.65635826395825, 0.1, 30, 0.00026949458523585647, 1e-7,
      926.625433055833, 1,
    ]
    let origins: [Double] = [18, -34, 1e7, 0, -180, 179.9999, -20_015_109.354, 6_250_000.5, 1e-9]
    for step in steps {
      for origin in origins {
        // Cells exist only if their edges differ as doubles.
        guard origin + step.ulp * 64 != origin || step > origin.ulp * 64 else { continue }
        let cells = 3601
        var edges = [0, 1, 2, cells - 1, cells]
        for _ in 0..<150 { edges.append(Int.random(in: 0...cells, using: &generator)) }
        check(origin: origin, step: step, cells: cells, edges: edges)
        check(origin: origin, step: -step, cells: cells, edges: edges)
      }
    }
  }

  @Test func randomGrids() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<400 {
      let step = Double.random(in: 1e-5...1e3, using: &generator)
      let origin = Double.random(in: -2e7...2e7, using: &generator)
      let cells = Int.random(in: 1...20_000, using: &generator)
      let edges =
        [0, 1, cells] + (0..<40).map { _ in Int.random(in: 0...cells, using: &generator) }
      check(
        origin: origin, step: Bool.random(using: &generator) ? step : -step, cells: cells,
        edges: edges)
    }
  }

  @Test(arguments: [[18, 0.25, 0, -34, 0, -0.25], [18, 0, 0.25, -34, 0.25, 0]] as [[Double]])
  func valuesThatAreNotNumbersAreOutside(c: [Double]) {
    for value in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e308] {
      #expect(locate(c, cells: 40, alongX: true, [value]) == [CellLocator.outside])
      #expect(locate(c, cells: 40, alongX: false, [value]) == [CellLocator.outside])
    }
  }

  @Test func cornersOfTheWholeGrid() {
    let locator = CellLocator(
      width: 3, height: 2, transform: GridTransform(coefficients: [10, 2, 0, 50, 0, -5])!)
    let points: [(Double, Double, Int32, Int32)] = [
      (10, 50, 0, 0), (15.9, 40.1, 2, 1), (16, 50, -1, -1), (10, 40, -1, -1), (16, 40, -1, -1),
      (12, 45, 1, 1), (9.99, 45, -1, -1), (12, 50.01, -1, -1),
    ]
    for (x, y, column, row) in points {
      var found = (Int32(7), Int32(7))
      var point = (x, y)
      locator.locate(x: &point.0, y: &point.1, count: 1, columns: &found.0, rows: &found.1)
      #expect(found == (column, row), "\(x), \(y)")
    }
  }

  /// With a rotation by 90° the same rule applies, with columns along y.
  @Test func quarterTurn() {
    let transform = GridTransform(coefficients: [261_000, 0, 231.656, 6_250_000.1, -1.0 / 3, 0])!
    let locator = CellLocator(width: 500, height: 500, transform: transform)
    for k in stride(from: 0, through: 499, by: 7) {
      var x = 261_000 + Double(k) * 231.656
      var y = 6_250_000.1 + Double(k) * (-1.0 / 3)
      var (column, row) = (Int32(0), Int32(0))
      locator.locate(x: &x, y: &y, count: 1, columns: &column, rows: &row)
      #expect(column == k && row == k)
      (x, y) = (x.nextDown, y.nextUp)
      locator.locate(x: &x, y: &y, count: 1, columns: &column, rows: &row)
      #expect(column == (k == 0 ? -1 : k - 1) && row == (k == 0 ? -1 : k - 1))
    }
  }

  /// In rotated and sheared grids a cell contains the corner at its column and row, regardless of
  /// the rounding of the corner's coordinates.
  @Test(
    arguments: [
      [261_000, 25.980762113533157, 15, 6_250_000, 15, -25.980762113533157],
      [18.1, 0.0001, 0.00002, -34.3, 0.00003, -0.0001], [1e7, 30, 7, -2e6, 0, -30],
      [0, 0.1, 0.2, 0, -0.2, 0.1], [-20_015_109.354, 231.656, 10, 10_007_554.677, -10, -231.656],
    ] as [[Double]])
  func cornersOfTurnedGrids(c: [Double]) {
    let transform = GridTransform(coefficients: c)!
    let locator = CellLocator(width: 300, height: 200, transform: transform)
    var generator = SeededGenerator(seed: 5)
    func cell(_ column: Double, _ row: Double) -> (Int32, Int32) {
      var (x, y) = transform.coordinates(column: column, row: row)
      var found = (Int32(0), Int32(0))
      locator.locate(x: &x, y: &y, count: 1, columns: &found.0, rows: &found.1)
      return found
    }
    for _ in 0..<2000 {
      let column = Int.random(in: 0..<300, using: &generator)
      let row = Int.random(in: 0..<200, using: &generator)
      #expect(cell(Double(column), Double(row)) == (Int32(column), Int32(row)))
      #expect(cell(Double(column) + 0.999, Double(row) + 0.001) == (Int32(column), Int32(row)))
      #expect(cell(300, Double(row)) == (-1, -1))
      #expect(cell(Double(column), 200) == (-1, -1))
      #expect(cell(Double(column), -0.001) == (-1, -1))
    }
  }

  /// A batch gives the cells of single points, with any instruction set.
  @Test func batchesEqualSinglePoints() {
    let locator = CellLocator(
      width: 1200, height: 900,
      transform: GridTransform(coefficients: [18, 1.0 / 1200, 0, -34, 0, -1.0 / 1200])!)
    var generator = SeededGenerator(seed: 6)
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1000] {
      let x = TrivialBuffer(
        (0..<count).map { _ in Double.random(in: 17.9...19.1, using: &generator) })
      let y = TrivialBuffer(
        (0..<count).map { point -> Double in
          point % 13 == 12 ? .nan : -34 - Double(point % 1000) / 1200
        })
      let (columns, rows) = (TrivialBuffer<Int32>(count: count), TrivialBuffer<Int32>(count: count))
      locator.locate(
        x: x.base, y: y.base, count: count, columns: columns.base, rows: rows.base)
      for i in 0..<count {
        var (column, row) = (Int32(0), Int32(0))
        locator.locate(x: x.base + i, y: y.base + i, count: 1, columns: &column, rows: &row)
        #expect(columns[i] == column && rows[i] == row)
      }
    }
  }
}
