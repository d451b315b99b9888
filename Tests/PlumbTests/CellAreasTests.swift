@testable import PlumbBatch
@testable import PlumbCore
@testable import PlumbGeometry
@testable import PlumbRaster
import PlumbTestSupport
import Testing

/// The sizes of a grid's cells, compared with the size of each cell.
@Suite struct CellAreasTests {
  /// Compares cells of tiles that one instance reads one after another.
  private func check(
    _ crs: String, _ coefficients: [Double], _ tiles: [CellWindow], sampled: Int? = nil
  ) throws {
    let reference = try SpatialReference(userInput: crs)
    let transform = try #require(GridTransform(coefficients: coefficients))
    let areas = try CellAreas(transform, reference, workers: 1)
    let ground = try GroundArea(reference)
    var random = SeededGenerator(seed: 412)
    for tile in tiles {
      let plane = try areas.weights(tile, worker: 0)
      let all = 0..<tile.width * tile.height
      let cells =
        sampled.map { count in (0..<count).map { _ in Int.random(in: all, using: &random) } }
        ?? Array(all)
      for cell in cells {
        let (row, column) = (cell / tile.width, cell % tile.width)
        let expected = ground.area(
          transform.corners(column: tile.column + column, row: tile.row + row))
        let found = plane.value(row: row, column: column)
        let allowed = 2e-10 * expected + 2e-8 * expected.squareRoot()
        #expect((found - expected).magnitude <= allowed, "column \(column), row \(row)")
      }
      for _ in 0..<50 {
        let row = Int.random(in: 0..<tile.height, using: &random)
        let start = Int.random(in: 0..<tile.width, using: &random)
        let end = Int.random(in: start...min(tile.width, start + 300), using: &random)
        let expected = (start..<end).reduce(0) { $0 + plane.value(row: row, column: $1) }
        let sum = plane.sum(row: row, columns: start..<end)
        #expect((sum - expected).magnitude <= 1e-10 * expected, "row \(row)")
      }
    }
  }

  private func tile(_ column: Int, _ row: Int, _ width: Int, _ height: Int) -> CellWindow {
    CellWindow(column: column, row: row, width: width, height: height)
  }

  @Test func projectedGrids() throws {
    // Tiles of the same size, and those at the right and the lower edge.
    try check(
      "EPSG:32734", [300_000, 10, 0, 6_240_000, 0, -10],
      [
        tile(0, 0, 64, 48), tile(6400, 4800, 64, 48), tile(128, 0, 37, 48), tile(0, 96, 64, 21),
        tile(64, 48, 64, 48),
      ])
    try check(
      "EPSG:3857", [-20_037_508, 5000, 0, 15_000_000, 0, -5000], [tile(0, 0, 64, 64)])
    // A rotated grid.
    try check(
      "EPSG:32734", [300_000, 8, 6, 6_240_000, 6, -8], [tile(0, 0, 40, 40), tile(80, 40, 40, 40)])
  }

  @Test func gridsInDegrees() throws {
    try check(
      "EPSG:4326", [10, 0.25, 0, 60, 0, -0.25], [tile(0, 0, 32, 32), tile(32, 64, 32, 16)])
  }

  /// Interpolation is not accurate near a pole, so the tile is divided into parts.
  @Test func poles() throws {
    try check(
      "EPSG:3413", [-400_000, 25_000, 0, 400_000, 0, -25_000],
      [tile(0, 0, 32, 32), tile(32, 0, 32, 32)])
  }

  @Test func longTiles() throws {
    try check(
      "EPSG:32734", [300_000, 5, 0, 6_240_000, 0, -5], [tile(0, 0, 70_000, 300)], sampled: 200)
    try check(
      "EPSG:32734", [300_000, 5, 0, 6_240_000, 0, -5], [tile(0, 0, 3000, 2)], sampled: 200)
  }
}
