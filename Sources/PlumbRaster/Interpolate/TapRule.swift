import PlumbCore

// The interpolation rules. If the cell that contains a point has no value, the point has no value
// either. Bilinear interpolation weights the two by two cells whose centres surround the point.
// Cells without a value or beyond the raster's edge are omitted, and the weights of the other cells
// are scaled to a sum of 1. Cubic interpolation (Catmull-Rom, a = -0.5) needs values in all sixteen
// cells. If one of the values is missing, bilinear interpolation is used. If a cell with a nonzero
// weight cannot be read, the point has a read error.

/// Computes values from the taps of points, which are `side` rows of `side` cells around each
/// point.
struct TapRule {
  /// 2 for bilinear, 4 for cubic.
  let side: Int

  var count: Int { side * side }
  /// The number of taps, per axis, before the two cells whose centres surround the point.
  var margin: Int { side / 2 - 1 }

  init(_ resampling: Resampling) { side = resampling == .cubic ? 4 : 2 }

  init(side: Int) { self.side = side }

  /// - Parameters:
  ///   - values: the values of the taps, row by row.
  ///   - status: the status of each tap; `ok` if there is a value.
  ///   - centreColumn: the column (0 or 1) of the point's own cell among the four cells that
  ///     surround the point.
  ///   - centreRow: the row (0 or 1) of the point's own cell among these four cells.
  ///   - x: the distance of the point from the left cells' centres, in cells.
  ///   - y: the distance of the point from the upper cells' centres, in cells.
  @inline(__always)
  func combine(
    values: UnsafePointer<Double>, status: UnsafePointer<UInt8>, centreColumn: Int, centreRow: Int,
    x: Double, y: Double
  ) -> (status: UInt8, value: Double) {
    let (ok, readError) = (SampleStatus.ok.rawValue, SampleStatus.readError.rawValue)
    let centreStatus = status[(centreRow + margin) * side + centreColumn + margin]
    if centreStatus != ok { return (centreStatus, 0) }
    if side == 4 {
      var isComplete = true
      for tap in 0..<16 {
        if status[tap] == readError { return (readError, 0) }
        isComplete = isComplete && status[tap] == ok
      }
      if isComplete { return (ok, cubic(values, x, y)) }
    }
    var (sum, weights) = (0.0, 0.0)
    for row in 0...1 {
      for column in 0...1 {
        let weight = (column == 0 ? 1 - x : x) * (row == 0 ? 1 - y : y)
        let tap = (row + margin) * side + column + margin
        guard weight > 0 else { continue }
        if status[tap] == readError { return (readError, 0) }
        guard status[tap] == ok else { continue }
        sum += weight * values[tap]
        weights += weight
      }
    }
    return weights > 0 ? (ok, sum / weights) : (SampleStatus.nodata.rawValue, 0)
  }

  @inline(__always)
  private func cubic(_ values: UnsafePointer<Double>, _ x: Double, _ y: Double) -> Double {
    let (wx, wy) = (Self.cubicWeights(x), Self.cubicWeights(y))
    var sum = 0.0
    for row in 0..<4 {
      var line = 0.0
      for column in 0..<4 { line += wx[column] * values[row * 4 + column] }
      sum += wy[row] * line
    }
    return sum
  }

  /// The Catmull-Rom weights of the cells at -1, 0, 1 and 2 for a point at `t` in 0…1.
  @inline(__always)
  private static func cubicWeights(_ t: Double) -> SIMD4<Double> {
    let (t2, t3) = (t * t, t * t * t)
    return SIMD4(
      -0.5 * t + t2 - 0.5 * t3,
      1 - 2.5 * t2 + 1.5 * t3,
      0.5 * t + 2 * t2 - 1.5 * t3,
      -0.5 * t2 + 0.5 * t3)
  }
}

/// The position of a point relative to the cells' centres.
struct TapPosition: BitwiseCopyable {
  /// The column and row of the nearest cell whose centre is to the left of and above the point.
  var left: Int
  var top: Int
  /// The distance of the point from the centre of the cell at `left` and `top`, in cells.
  var xFraction: Double
  var yFraction: Double
  /// The position of the point's own cell relative to the cell at `left` and `top`: 0 or 1 on each
  /// axis.
  var centreColumn: Int
  var centreRow: Int

  static let none = TapPosition(column: -8, row: -8, x: -8, y: -8)

  /// - Parameters:
  ///   - column: the column of the cell that contains the point.
  ///   - x: the unrounded x of the grid position.
  init(column: Int, row: Int, x: Double, y: Double) {
    (left, xFraction) = Self.split(x, cell: column)
    (top, yFraction) = Self.split(y, cell: row)
    centreColumn = column - left
    centreRow = row - top
  }

  private static func split(_ position: Double, cell: Int) -> (Int, Double) {
    let shifted = position - 0.5
    let base = shifted < Double(cell) ? cell - 1 : cell
    return (base, min(max(shifted - Double(base), 0), 1))
  }

  func cell(tap: Int, side: Int) -> (column: Int, row: Int) {
    let half = side / 2 - 1
    return (left - half + tap % side, top - half + tap / side)
  }
}
