/// Sums over an area's cells that only some statistics need.
package struct ZonalExtras: Sendable {
  /// The sum of the sizes of the covered parts of the cells with a value, in m²; NaN if a size is
  /// unknown.
  package private(set) var area = 0.0
  /// The sum of the weights of the cells with a value, times their coverage.
  package private(set) var weight = 0.0
  /// The sum of the values, times weight and coverage.
  package private(set) var weightedSum = 0.0
  /// Whether a cell with a value has no weight.
  package private(set) var isWeightMissing = false
  /// The first cell, by row and column, with the minimum value; nil if there are no values.
  package private(set) var minimumCell: (row: Int, column: Int)?
  /// The first cell, by row and column, with the maximum value; nil if there are no values.
  package private(set) var maximumCell: (row: Int, column: Int)?
  private var minimum = Double.infinity
  private var maximum = -Double.infinity
  /// The first value. It is subtracted from all values to reduce rounding errors; NaN without
  /// values.
  private var shift = Double.nan
  private var deviation = 0.0
  private var square = 0.0

  /// Creates the sums of no cells.
  package init() {}

  mutating func add(size: Double) { area += size }

  /// Adds a value with a weight; NaN for a cell without a weight.
  @inline(__always)
  mutating func add(_ value: Double, coverage: Double, weight: Double) {
    guard !weight.isNaN else {
      isWeightMissing = true
      return
    }
    if shift.isNaN { shift = value }
    let product = weight * coverage
    self.weight += product
    weightedSum += value * product
    let difference = value - shift
    deviation += difference * product
    square += difference * difference * product
  }

  @inline(__always)
  mutating func add(_ value: Double, row: Int, column: Int) {
    if value <= minimum {
      let isFirst = minimumCell.map { (row, column) < $0 } ?? true
      if value < minimum || isFirst { (minimum, minimumCell) = (value, (row, column)) }
    }
    if value >= maximum {
      let isFirst = maximumCell.map { (row, column) < $0 } ?? true
      if value > maximum || isFirst { (maximum, maximumCell) = (value, (row, column)) }
    }
  }

  /// The mean by weight and coverage; NaN if the weights add up to 0.
  package var weightedMean: Double {
    guard weight != 0 else { return .nan }
    return shift.isFinite ? shift + deviation / weight : weightedSum / weight
  }

  /// The variance of the population by weight and coverage; NaN if the weights add up to 0.
  package var weightedVariance: Double {
    guard weight != 0 else { return .nan }
    let mean = deviation / weight
    let variance = square / weight - mean * mean
    return variance < 0 ? 0 : variance
  }
}
