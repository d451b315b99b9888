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
  private enum Numbers {
    /// A number for each cell, row by row.
    case cells([Double], width: Int)
    /// A number for each row.
    case rows([Double])
    /// The number of a cell is the sum of the products of the factors of its row and its column.
    case products(rows: [SIMD8<Double>], columns: ColumnFactors)
  }

  /// The factors of columns, which several planes may share.
  package struct ColumnFactors: Sendable {
    package let factors: [SIMD8<Double>]
    /// Element i is the sum of the factors of the first i columns.
    let sums: [SIMD8<Double>]

    package init(_ factors: [SIMD8<Double>]) {
      self.factors = factors
      var sum = SIMD8<Double>.zero
      sums =
        [sum]
        + factors.map { factor in
          sum += factor
          return sum
        }
    }
  }

  private let numbers: Numbers

  /// Creates a plane with a number for each cell, row by row.
  package init(_ values: [Double], width: Int) { numbers = .cells(values, width: width) }

  /// Creates a plane in which all cells of a row have the same number.
  package init(rows: [Double]) { numbers = .rows(rows) }

  /// Creates a plane in which the number of a cell is the sum of the products of the factors of its row and its
  /// column.
  package init(rows: [SIMD8<Double>], columns: ColumnFactors) {
    numbers = .products(rows: rows, columns: columns)
  }

  /// The number of a cell, counted from the tile's first row and column.
  @inline(__always)
  func value(row: Int, column: Int) -> Double {
    switch numbers {
    case .cells(let values, let width): values[row &* width &+ column]
    case .rows(let values): values[row]
    case .products(let rows, let columns): (rows[row] * columns.factors[column]).sum()
    }
  }

  /// The sum of the numbers of consecutive cells of a row, counted from the tile's first row and
  /// column.
  @inline(__always)
  func sum(row: Int, columns range: Range<Int>) -> Double {
    switch numbers {
    case .cells(let values, let width):
      return values[row &* width &+ range.lowerBound..<row &* width &+ range.upperBound].reduce(
        0, +)
    case .rows(let values):
      return values[row] * Double(range.count)
    case .products(let rows, let columns):
      if range.count == 1 { return value(row: row, column: range.lowerBound) }
      let sum = columns.sums[range.upperBound] - columns.sums[range.lowerBound]
      return (rows[row] * sum).sum()
    }
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
