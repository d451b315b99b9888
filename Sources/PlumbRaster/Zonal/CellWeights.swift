/// A number for each cell of a grid, such as its size on the ground.
package protocol CellWeights: Sendable {
  /// Returns the numbers of a tile's cells.
  ///
  /// - Parameters:
  ///   - window: the window of the grid that the tile covers.
  ///   - worker: the number of the calling worker.
  /// - Throws: if the source of the numbers cannot be read.
  func weights(_ window: CellWindow, worker: Int) throws(RasterError) -> CellPlane
}

/// The numbers of a tile's cells; NaN for a cell without a number.
package final class CellPlane: Sendable {
  private let values: [Double]
  private let rowStep: Int
  private let columnStep: Int

  /// Creates a plane with a number for each cell, row by row.
  package init(_ values: [Double], width: Int) {
    (self.values, rowStep, columnStep) = (values, width, 1)
  }

  /// Creates a plane in which all cells of a row have the same number.
  package init(rows: [Double]) { (values, rowStep, columnStep) = (rows, 1, 0) }

  /// The number of a cell, counted from the tile's first row and column.
  @inline(__always)
  func value(row: Int, column: Int) -> Double {
    values[row &* rowStep &+ column &* columnStep]
  }
}

/// The most recently used planes of a worker.
package final class CellPlaneCache {
  private var planes: [(key: CellWindow, plane: CellPlane)] = []
  private static let limit = 8

  package init() {}

  /// Returns the plane of a tile's cells. Creates the plane if it is not in the cache.
  package func plane(
    _ key: CellWindow, make: () throws(RasterError) -> CellPlane
  ) throws(RasterError) -> CellPlane {
    let plane: CellPlane
    if let index = planes.firstIndex(where: { $0.key == key }) {
      plane = planes.remove(at: index).plane
    } else {
      plane = try make()
    }
    if planes.count >= Self.limit { planes.removeLast() }
    planes.insert((key, plane), at: 0)
    return plane
  }
}
