import PlumbRaster
import Testing

@Suite struct GridTransformTests {
  @Test func refusesWhatCannotBeInverted() {
    #expect(GridTransform(coefficients: [0, 0, 0, 0, 0, 1]) == nil)
    #expect(GridTransform(coefficients: [0, 1, 1, 0, 1, 1]) == nil)
    #expect(GridTransform(coefficients: [.nan, 1, 0, 0, 0, 1]) == nil)
    #expect(GridTransform(coefficients: [0, 1, 0, 0, 0]) == nil)
  }

  /// The coefficients in GDAL's order, and the documented formulas in both directions.
  @Test func coefficientsKeepTheirOrder() throws {
    let sheared = [100, 2, 0.5, -7, 0.25, -3]
    let transform = try #require(GridTransform(coefficients: sheared))
    #expect(transform.coefficients == sheared)
    #expect(
      [transform.originX, transform.columnX, transform.rowX] == [100, 2, 0.5]
        && [transform.originY, transform.columnY, transform.rowY] == [-7, 0.25, -3])
    let point = transform.coordinates(column: 10, row: 20)
    #expect(point == (100 + 20 + 10, -7 + 2.5 - 60))
    #expect(transform.gridPosition(x: point.x, y: point.y) == (10, 20))
    #expect(transform != .identity && GridTransform(coefficients: sheared) == transform)
  }
}
