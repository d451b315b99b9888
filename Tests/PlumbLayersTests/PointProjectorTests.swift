import Foundation
import PlumbCore
import PlumbGeometry
import PlumbRaster
import PlumbTestSupport
import Testing

@testable import PlumbLayers

/// Polynomials replace PROJ only where the cell is certainly the same.
@Suite struct PointProjectorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var source: String
    var target: String
    /// West, south, east, north in the source.
    var box: [Double]
    var cell: Double
    var testDescription: String { "\(source) to \(target), cells of \(cell)" }
  }

  static let cases = [
    Case(source: "EPSG:4326", target: "EPSG:32734", box: [18, -35, 20, -33], cell: 10),
    Case(source: "EPSG:4326", target: "EPSG:32734", box: [-30, -70, 60, 70], cell: 0.5),
    Case(source: "EPSG:4326", target: "EPSG:3857", box: [-180, -85, -170, 85], cell: 30),
    Case(source: "EPSG:4326", target: "EPSG:3035", box: [-10, 35, 30, 70], cell: 25),
    Case(
      source: "EPSG:4326", target: "+proj=sinu +R=6371007.181 +type=crs", box: [16, -36, 22, -30],
      cell: 231.656358),
    Case(source: "EPSG:32734", target: "EPSG:4326", box: [2e5, 6.1e6, 6e5, 6.4e6], cell: 0.0001),
    Case(source: "EPSG:3857", target: "EPSG:32633", box: [1e6, 5e6, 2e6, 7e6], cell: 20),
  ]

  @Test(arguments: cases)
  func everyCellIsProjs(_ example: Case) throws {
    let count = 300_000
    var random = SeededGenerator(seed: 5)
    let (x, y) = (TrivialBuffer<Double>(count: count), TrivialBuffer<Double>(count: count))
    for i in 0..<count {
      x[i] = Double.random(in: example.box[0]...example.box[2], using: &random)
      y[i] = Double.random(in: example.box[1]...example.box[3], using: &random)
    }
    let (source, target) = (
      try SpatialReference(example.source), try SpatialReference(example.target)
    )
    let exact = try Transformation(from: source, to: target)
    var (ex, ey) = (x.array, y.array)
    exact.apply(x: &ex, y: &ey, count: count)
    // A grid whose first cell starts at the westernmost and northernmost point.
    let finite = (0..<count).filter { ex[$0].isFinite && ey[$0].isFinite }
    let (west, north) = (finite.map { ex[$0] }.min() ?? 0, finite.map { ey[$0] }.max() ?? 0)
    let grid = try #require(
      GridTransform(coefficients: [west, example.cell, 0, north, 0, -example.cell]))
    // Some points exactly on borders, within the rounding of the inverse transformation.
    let back = try Transformation(from: target, to: source)
    for i in stride(from: 0, to: count, by: 97) where ex[i].isFinite && ey[i].isFinite {
      let corner = grid.coordinates(
        column: ((ex[i] - west) / example.cell).rounded(),
        row: ((north - ey[i]) / example.cell).rounded())
      (x[i], y[i]) = corner
      back.apply(x: x.base + i, y: y.base + i, count: 1)
    }
    (ex, ey) = (x.array, y.array)
    exact.apply(x: &ex, y: &ey, count: count)

    let projector = try PointProjector(
      from: source, to: [target], grids: [[grid]], workers: Workers(count: 3))
    let locator = CellLocator(width: 1 << 30, height: 1 << 30, transform: grid)
    let points = PointCoordinates(x: x.base, y: y.base, count: count)
    let (quick, slow) = projector.project(points) { coordinates in
      (cells(locator, coordinates[0].x, coordinates[0].y, count), cells(locator, ex, ey, count))
    }
    #expect(quick == slow)
    let shared = projector.project(points) { coordinates in
      (0..<count).count { coordinates[0].x[$0] == ex[$0] && coordinates[0].y[$0] == ey[$0] }
    }
    report("\(example.testDescription): \(count - shared) of \(count) by polynomials")
  }

  private func cells(
    _ locator: CellLocator, _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, _ count: Int
  ) -> [SIMD2<Int32>] {
    var (columns, rows) = (
      [Int32](repeating: 0, count: count), [Int32](repeating: 0, count: count)
    )
    locator.locate(x: x, y: y, count: count, columns: &columns, rows: &rows)
    return zip(columns, rows).map { SIMD2($0, $1) }
  }

  @Test func areasAndGridsAreLeftToPROJ() throws {
    // If there are several operations by area, or one with a grid, polynomials are not used.
    let nad27 = try Transformation(
      from: SpatialReference("EPSG:4267"), to: SpatialReference("EPSG:4326"))
    let utm = try Transformation(
      from: SpatialReference("EPSG:4326"), to: SpatialReference("EPSG:32734"))
    let isSmooth = [nad27.isSmooth, utm.isSmooth]
    #expect(isSmooth == [false, true])
  }
}
