import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbRaster

/// Grids whose cells have individual centres, compared with a search of all centres.
@Suite struct CurvilinearGridTests {
  /// A bent grid, some of whose cells may have no centre.
  struct Scene: Sendable, CustomTestStringConvertible {
    var width: Int
    var height: Int
    var isInDegrees = true
    var origin: SIMD2<Double> = [10, 50]
    /// The share of the cells without a centre.
    var missing = 0.0

    var testDescription: String { "\(width) × \(height) at \(origin)" }

    /// The centres row by row.
    func centres() -> (x: [Double], y: [Double]) {
      var random = SeededGenerator(seed: UInt64(width * 100 + height))
      var (x, y): ([Double], [Double]) = ([], [])
      for cell in 0..<width * height {
        let (column, row) = (Double(cell % width), Double(cell / width))
        let isMissing = cell > 0 && Double.random(in: 0..<1, using: &random) < missing
        x.append(isMissing ? .nan : origin.x + 0.5 * column + 0.1 * row + 0.01 * row * row)
        y.append(isMissing ? .nan : origin.y - 0.5 * row + 0.01 * column * column)
      }
      return (x, y)
    }

    func grid() throws -> CurvilinearGrid {
      let (x, y) = centres()
      return try #require(
        CurvilinearGrid(width: width, height: height, x: x, y: y, isInDegrees: isInDegrees))
    }

    /// The square of the straight distance between two points.
    func square(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
      func place(_ point: SIMD2<Double>) -> SIMD3<Double> {
        guard isInDegrees else { return [point.x, point.y, 0] }
        let (longitude, latitude) = (point.x * .pi / 180, point.y * .pi / 180)
        return [
          cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude),
        ]
      }
      let gap = place(a) - place(b)
      return (gap * gap).sum()
    }
  }

  static let scenes = [
    Scene(width: 13, height: 11), Scene(width: 13, height: 9, isInDegrees: false),
    Scene(width: 8, height: 17, origin: [178, -20]), Scene(width: 5, height: 4, origin: [-30, 84]),
    Scene(width: 2, height: 2), Scene(width: 17, height: 14, missing: 0.2),
  ]

  private func positions(
    _ grid: CurvilinearGrid, _ points: [SIMD2<Double>]
  ) -> [SIMD2<Double>] {
    var (x, y) = (points.map(\.x), points.map(\.y))
    x.withUnsafeMutableBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in
        grid.mapToGrid(x: x.baseAddress!, y: y.baseAddress!, count: points.count)
      }
    }
    return zip(x, y).map { SIMD2($0, $1) }
  }

  private func points(
    _ grid: CurvilinearGrid, _ positions: [SIMD2<Double>]
  ) -> [SIMD2<Double>] {
    var (x, y) = (positions.map(\.x), positions.map(\.y))
    x.withUnsafeMutableBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in
        grid.mapFromGrid(x: x.baseAddress!, y: y.baseAddress!, count: positions.count)
      }
    }
    return zip(x, y).map { SIMD2($0, $1) }
  }

  @Test("A point is in the cell with the nearest centre, and far away in none", arguments: scenes)
  func nearest(_ scene: Scene) throws {
    var random = SeededGenerator(seed: 7)
    let centres = zip(scene.centres().x, scene.centres().y).map { SIMD2($0, $1) }
    let known = centres.indices.filter { !centres[$0].x.isNaN }
    var points: [SIMD2<Double>] = []
    for index in known {
      points.append(centres[index])
      let shift = SIMD2<Double>.random(in: -0.3...0.3, using: &random)
      points.append(centres[index] + shift)
      // Points without a cell, between others.
      points.append([.nan, centres[index].y])
      points.append(centres[index] + SIMD2(40, 0))
    }
    var cells = 0
    for (point, position) in zip(points, positions(try scene.grid(), points)) {
      let nearest = known.min {
        scene.square(point, centres[$0]) < scene.square(point, centres[$1])
      }
      let isFar = point.x.isNaN || !known.contains { (centres[$0] - point).magnitude < 20 }
      #expect(position.x.isNaN == position.y.isNaN)
      if isFar { #expect(position.x.isNaN, "\(point)") }
      guard !position.x.isNaN else { continue }
      cells += 1
      #expect(Int(position.y) * scene.width + Int(position.x) == nearest, "\(point)")
    }
    // With missing neighbours, a cell may have no spacing.
    #expect(cells >= (scene.missing == 0 ? known.count * 2 : known.count))
  }

  @Test("The positions of centres and of the middles between them", arguments: scenes)
  func inverse(_ scene: Scene) throws {
    guard scene.missing == 0 else { return }
    let grid = try scene.grid()
    let centres = zip(scene.centres().x, scene.centres().y).map { SIMD2($0, $1) }
    let cells = centres.indices.map {
      SIMD2(Double($0 % scene.width) + 0.5, Double($0 / scene.width) + 0.5)
    }
    func isNear(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ tolerance: Double) -> Bool {
      scene.square(a, b).squareRoot() < tolerance
    }
    for (cell, position) in zip(cells, positions(grid, centres)) {
      #expect((position - cell).magnitude < 1e-6)
    }
    for (index, point) in points(grid, cells).enumerated() {
      #expect(isNear(point, centres[index], 1e-12), "\(cells[index])")
    }
    for (place, step) in [(1, SIMD2(0.5, 0)), (scene.width, SIMD2(0, 0.5))] {
      let starts = cells.indices.filter { cells[$0].x < Double(scene.width) - 1 }
        .filter { $0 + scene.width < cells.count }
      for (index, point) in zip(starts, points(grid, starts.map { cells[$0] + step })) {
        let (a, b) = (centres[index], centres[index + place])
        // The middle of the chord is as far from both ends.
        let (before, after) = (scene.square(point, a), scene.square(point, b))
        #expect((before - after).magnitude < 1e-9 * (before + after), "\(cells[index])")
        #expect(before < 0.26 * scene.square(a, b), "\(cells[index])")
      }
    }
    #expect(points(grid, [[.nan, 0.5]])[0].x.isNaN)
  }

  @Test("Without a centre, or with another number of coordinates, there is no grid")
  func invalid() {
    for (width, x, y): (Int, [Double], [Double]) in [
      (2, [.nan, .nan], [0, 0]), (2, [0], [0]), (0, [], []), (1, [5], [91]),
    ] {
      #expect(CurvilinearGrid(width: width, height: 1, x: x, y: y, isInDegrees: true) == nil)
    }
  }
}

extension SIMD2<Double> {
  fileprivate var magnitude: Double { (self * self).sum().squareRoot() }
}
