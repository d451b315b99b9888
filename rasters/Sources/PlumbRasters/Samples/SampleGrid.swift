import PlumbCore

/// A north-up grid on the ground, with the longitude and latitude of each cell.
struct SampleGrid {
  var width: Int
  var height: Int
  /// The upper left corner, in the units of the projection.
  var left: Double
  var top: Double
  /// The side of a cell, in the units of the projection.
  var cell: Double
  var projection: Projection

  /// GDAL's geotransform.
  var geotransform: [Double] { [left, cell, 0, top, 0, -cell] }

  /// The sight at a position in a cell; 0.5, 0.5 is its centre.
  func look(
    at world: World, column: Int, row: Int, across: Double = 0.5, down: Double = 0.5
  ) -> World.Sight {
    let place = degrees(column: column, row: row, across: across, down: down)
    return world.look(longitude: place.longitude, latitude: place.latitude)
  }

  func degrees(
    column: Int, row: Int, across: Double = 0.5, down: Double = 0.5
  ) -> (longitude: Double, latitude: Double) {
    projection.degrees(
      x: left + (Double(column) + across) * cell, y: top - (Double(row) + down) * cell)
  }

  /// The values of all cells, rows from the top.
  func render<Value: BitwiseCopyable & Sendable>(
    _ value: @Sendable (_ column: Int, _ row: Int) -> Value
  ) -> [Value] {
    Array(unsafeUninitializedCapacity: width * height) { buffer, count in
      let cells = SharedPointer(buffer)
      let width = width
      Workers().run(height) { _, row in
        for column in 0..<width {
          cells.pointer.initializeElement(at: row * width + column, to: value(column, row))
        }
      }
      count = width * height
    }
  }
}
