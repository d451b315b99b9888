import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Compares the covered fractions of cells with polygons that are clipped to each cell.
@Suite struct CoverageTests {
  /// The covered fraction of each cell, by row and column; cells that are not covered are missing.
  private func fractions(
    _ polygon: Polygon, _ grid: TileGrid, _ transform: GridTransform
  ) -> [[Int]: Double] {
    let builder = CoverageBuilder(grid: grid, transform: transform)
    builder.add(polygon)
    #expect(builder.store.areas[0].condition == .valid)
    return fractions(builder.store, 0)
  }

  private func fractions(_ store: CoverageStore, _ index: Int) -> [[Int]: Double] {
    var found: [[Int]: Double] = [:]
    for run in store.runs[store.areas[index].runs] {
      for column in run.start..<run.end { found[[Int(run.row), Int(column)]] = 1 }
    }
    for cell in store.cells[store.areas[index].cells] {
      #expect(cell.fraction > 0 && cell.fraction < 1)
      #expect(found.updateValue(cell.fraction, forKey: [Int(cell.row), Int(cell.column)]) == nil)
    }
    return found
  }

  private func polygon(_ rings: [[SIMD2<Double>]]) -> Polygon {
    var ends: [Int] = []
    for ring in rings { ends.append((ends.last ?? 0) + ring.count) }
    return Polygon(VertexList(rings.flatMap { $0 }), ringEnds: ends)
  }

  // MARK: The oracle

  /// The area of a ring within a cell of the grid, by clipping at each side in turn.
  private func clippedArea(_ ring: [SIMD2<Double>], column: Int, row: Int) -> Double {
    var points = ring
    for (axis, limit, keepsAbove) in [
      (0, Double(column), true), (0, Double(column + 1), false), (1, Double(row), true),
      (1, Double(row + 1), false),
    ] {
      var kept: [SIMD2<Double>] = []
      for index in points.indices {
        let (a, b) = (points[index], points[(index + 1) % points.count])
        let isInside = keepsAbove ? a[axis] >= limit : a[axis] <= limit
        let isNextInside = keepsAbove ? b[axis] >= limit : b[axis] <= limit
        if isInside { kept.append(a) }
        if isInside != isNextInside {
          kept.append(a + (b - a) * ((limit - a[axis]) / (b[axis] - a[axis])))
        }
      }
      points = kept
      if points.isEmpty { return 0 }
    }
    var twice = 0.0
    for index in points.indices {
      let (a, b) = (points[index] - points[0], points[(index + 1) % points.count] - points[0])
      twice += a.x * b.y - a.y * b.x
    }
    return abs(twice / 2)
  }

  private func check(
    _ rings: [[SIMD2<Double>]], _ grid: TileGrid, _ transform: GridTransform,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = fractions(polygon(rings), grid, transform)
    let placed = rings.map { ring in
      ring.dropLast().map { point in
        let (column, row) = transform.gridPosition(x: point.x, y: point.y)
        return SIMD2(column, row)
      }
    }
    for row in 0..<grid.height {
      for column in 0..<grid.width {
        var wanted = clippedArea(placed[0], column: column, row: row)
        for hole in placed.dropFirst() { wanted -= clippedArea(hole, column: column, row: row) }
        let fraction = found[[row, column]] ?? 0
        if abs(fraction - wanted) > 1e-9 {
          Issue.record(
            "cell \(column), \(row): \(fraction) instead of \(wanted): \(rings)",
            sourceLocation: sourceLocation)
          return
        }
      }
    }
  }

  private let grid = TileGrid(width: 12, height: 9, tileWidth: 4, tileHeight: 4)

  private static let placements: [[Double]] = [
    [0, 1, 0, 0, 0, 1], [0, 1, 0, 9, 0, -1], [100, 0.25, 0, -30, 0, 0.5],
    [18, 0.25, 0, -34, 0, -0.25], [5, -0.5, 0, 3, 0, -0.5], [10, 0.3, 0.4, 20, -0.4, 0.3],
    [10, 0.3, -0.4, 20, 0.4, 0.3], [500_000, 0, 30, 6_000_000, 30, 0],
  ]

  /// A ring around a grid position that does not cross itself, in coordinates.
  private func star(
    _ centre: SIMD2<Double>, _ radius: ClosedRange<Double>, _ count: Int,
    _ transform: GridTransform, snaps: Bool, _ random: inout SeededGenerator
  ) -> [SIMD2<Double>] {
    let start = Double.random(in: 0..<6.28, using: &random)
    var ring = (0..<count).map { index -> SIMD2<Double> in
      let angle = start + 6.283185307179586 * Double(index) / Double(count)
      let reach = Double.random(in: radius, using: &random)
      var point = centre + reach * SIMD2(cos(angle), sin(angle))
      if snaps, Bool.random(using: &random) { point.x.round() }
      if snaps, Bool.random(using: &random) { point.y.round() }
      let (x, y) = transform.coordinates(column: point.x, row: point.y)
      return SIMD2(x, y)
    }
    ring.append(ring[0])
    return ring
  }

  // MARK: Fractions

  @Test(arguments: placements)
  func randomPolygons(placement: [Double]) {
    let transform = GridTransform(coefficients: placement)!
    var random = SeededGenerator(seed: 38)
    for _ in 0..<300 {
      // Some are partly or completely outside of the grid.
      let centre = SIMD2(
        Double.random(in: -3...15, using: &random), Double.random(in: -3...12, using: &random))
      let least = pow(10, Double.random(in: -6...0.3, using: &random))
      let outer = star(
        centre, least * 1.01...least * 4, Int.random(in: 3...20, using: &random), transform,
        snaps: false, &random)
      var rings = [outer]
      // A convex ring of this radius is inside only if the outer ring has many sides.
      if outer.count > 9, Bool.random(using: &random) {
        rings.append(
          star(centre, least * 0.1...least * 0.4, 7, transform, snaps: false, &random))
      }
      check(rings, grid, transform)
    }
  }

  /// Vertices and edges on the lines of the grid.
  @Test(arguments: placements)
  func edgesOnGridLines(placement: [Double]) {
    let transform = GridTransform(coefficients: placement)!
    func at(_ column: Double, _ row: Double) -> SIMD2<Double> {
      let (x, y) = transform.coordinates(column: column, row: row)
      return SIMD2(x, y)
    }
    func box(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> [SIMD2<Double>] {
      [at(a, b), at(c, b), at(c, d), at(a, d), at(a, b)]
    }
    check([box(2, 3, 5, 6)], grid, transform)
    check([box(2, 3, 5, 6), box(3, 4, 4, 5)], grid, transform)
    check([box(0, 0, 12, 9), box(0, 0, 1, 1)], grid, transform)
    check([box(-4, -4, 20, 20), box(5, 2.5, 6.5, 3)], grid, transform)
    check([box(2, 3.25, 9, 3.75)], grid, transform)
    check([box(2.25, 3, 2.75, 8)], grid, transform)
    check([[at(1, 1), at(6, 1), at(1, 6), at(1, 1)]], grid, transform)
    check([[at(0, 0), at(12, 0), at(12, 9), at(0, 0)]], grid, transform)
    check([[at(2, 2), at(5, 2.5), at(8, 2), at(5, 3), at(2, 2)]], grid, transform)
  }

  @Test func cellsOfAWholeBox() {
    let found = fractions(
      polygon([[[2, 3], [2, 6], [5, 6], [5, 3], [2, 3]]]), grid, .identity)
    #expect(found.count == 9 && found.values.allSatisfy { $0 == 1 })
    let builder = CoverageBuilder(grid: grid, transform: .identity)
    builder.add(polygon([[[2, 3], [2, 6], [5, 6], [5, 3], [2, 3]]]))
    #expect(builder.store.cells.isEmpty && builder.store.runs.count == 3)
  }

  /// The sum of the fractions is the area of the polygon, in windows of all sizes.
  @Test func sumsAreTheArea() {
    var random = SeededGenerator(seed: 3801)
    let grid = TileGrid(width: 50_000, height: 40_000, tileWidth: 512, tileHeight: 512)
    let transform = GridTransform(coefficients: [300_000, 10, 0, 6_400_000, 0, -10])!
    let builder = CoverageBuilder(grid: grid, transform: transform)
    for number in 0..<20_000 {
      let radius = pow(10, Double.random(in: -3...(number % 100 == 0 ? 2.8 : 1), using: &random))
      let centre = SIMD2(
        Double.random(in: 4000...46_000, using: &random),
        Double.random(in: 4000...36_000, using: &random))
      builder.add(
        polygon([
          star(
            centre, radius * 0.3...radius, Int.random(in: 3...60, using: &random), transform,
            snaps: false, &random)
        ]))
      let area = builder.store.areas[0]
      let difference = abs(builder.store.total(of: 0) - area.size)
      // Coordinates of this size have an error of 1e-11 cells.
      let tolerance = 1e-10 * max(1, area.size) + 2e-11 * radius
      #expect(area.condition == .valid && difference <= tolerance, "\(radius): \(difference)")
      builder.removeLast()
    }
    #expect(builder.store.areas.isEmpty && builder.store.cells.isEmpty)
  }

  // MARK: Areas of all kinds

  @Test func smallAreas() {
    for size in [0.5, 1e-3, 1e-6] {
      let low = 0.1
      let found = fractions(
        polygon([
          [
            [low, low], [low, low + size], [low + size, low + size], [low + size, low], [low, low],
          ]
        ]), grid, .identity)
      #expect(found.count == 1)
      #expect(abs((found[[0, 0]] ?? 0) / (size * size) - 1) < 1e-9)
    }
  }

  @Test func areasOutside() {
    let builder = CoverageBuilder(grid: grid, transform: .identity)
    for x in [-1e300, -50, 12, 1e9, 1e300] {
      builder.add(polygon([[[x, 1], [x, 2], [x + 1, 2], [x + 1, 1], [x, 1]]]))
    }
    builder.add(polygon([[[1, 1], [1, 2], [.nan, 2], [1, 1]]]))
    builder.add(polygon([[[1, 1], [1, 2], [.infinity, 2], [1, 1]]]))
    builder.add(.empty())
    builder.add(
      polygon([
        [[-1e300, -1e300], [-1e300, 1e300], [1e300, 1e300], [1e300, -1e300], [-1e300, -1e300]]
      ]))
    builder.add(polygon([[[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]]))
    let areas = builder.store.areas
    #expect(areas.prefix(5).allSatisfy { $0.window.width == 0 && $0.condition == .valid })
    #expect(areas[5...7].allSatisfy { $0.condition == .unusable })
    #expect(builder.store.total(of: 8) == 108)
    #expect(builder.store.total(of: 9) == 1)
  }

  /// Rings that cross or overlap would count cells twice.
  @Test func crossingRings() {
    let builder = CoverageBuilder(grid: grid, transform: .identity)
    // A bow-tie; two parts that overlap; a hole outside of its ring.
    builder.add(polygon([[[1, 1], [5, 5], [5, 1], [1, 5], [1, 1]]]))
    let box = { (x: Double) -> [SIMD2<Double>] in
      [[x, 1], [x, 5], [x + 4, 5], [x + 4, 1], [x, 1]]
    }
    builder.add(
      Polygon(VertexList(box(1) + box(3)), ringEnds: [5, 10], partEnds: [1, 2]))
    builder.add(polygon([box(1), box(7).reversed()]))
    #expect(builder.store.areas.allSatisfy { $0.condition == .inconsistent })
  }

  /// Windows that are too large to store all cells have the same fractions.
  @Test func largeWindows() {
    var random = SeededGenerator(seed: 3802)
    let large = TileGrid(width: 400, height: 300, tileWidth: 64, tileHeight: 64)
    for _ in 0..<20 {
      let ring = star([200, 150], 60...190, 41, .identity, snaps: true, &random)
      let small = star([200, 150], 1...50, 9, .identity, snaps: false, &random)
      let whole = fractions(polygon([ring, small]), large, .identity)
      // The same area in windows of 60 x 50 cells, moved to the origin.
      let part = TileGrid(width: 60, height: 50, tileWidth: 64, tileHeight: 64)
      for row in stride(from: 0, to: 300, by: 50) {
        for column in stride(from: 0, to: 400, by: 60) {
          let offset = SIMD2(Double(column), Double(row))
          let found = fractions(
            polygon([ring.map { $0 - offset }, small.map { $0 - offset }]), part, .identity)
          for (cell, fraction) in found where column + cell[1] < 400 {
            let other = whole[[cell[0] + row, cell[1] + column]] ?? 0
            #expect(abs(other - fraction) < 1e-9)
          }
        }
      }
      let total = whole.values.reduce(0, +)
      #expect(abs(total - whole.keys.reduce(0) { $0 + whole[$1]! }) < 1e-6)
    }
  }
}
