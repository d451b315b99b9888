import CKernels

/// Sums of the values of an area's cells, weighted by coverage.
package struct ZonalMoments: Sendable {
  /// The sum of the coverage of the cells with a value.
  package private(set) var count = 0.0
  /// The sum of the coverage of all cells, with or without a value.
  package internal(set) var coverage = 0.0
  /// The size, in cells, of the part of the area that is covered by cells with a value, regardless
  /// of the inclusion rule. Used only if some covered cells are not weighted by their coverage.
  var surface = 0.0
  /// The size, in cells, of the part of the area that is covered by cells with or without a value.
  /// Used under the same condition as `surface`.
  var touched = 0.0
  /// The sum of the values, weighted by coverage.
  package private(set) var sum = 0.0
  /// The minimum value; infinity without values.
  package private(set) var minimum = Double.infinity
  /// The maximum value; negative infinity without values.
  package private(set) var maximum = -Double.infinity
  /// The first value. It is subtracted from all values to reduce rounding errors; NaN without
  /// values.
  private var shift = Double.nan
  private var deviation = 0.0
  private var square = 0.0

  /// Creates the sums of no cells.
  package init() {}

  /// Adds the value of a cell.
  @inline(__always)
  mutating func add(_ value: Double, weight: Double) {
    if shift.isNaN { shift = value }
    count += weight
    sum += value * weight
    let difference = value - shift
    deviation += difference * weight
    square += difference * difference * weight
    minimum = value < minimum ? value : minimum
    maximum = value > maximum ? value : maximum
  }

  /// Adds the values of cells, four at a time.
  mutating func add(
    _ values: UnsafePointer<Double>, weights: UnsafePointer<Double>, count cellCount: Int
  ) {
    guard cellCount > 0 else { return }
    if shift.isNaN { shift = values[0] }
    let shift = shift
    var (counts, sums, deviations, squares) = (
      SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero
    )
    var (low, high) = (SIMD4(repeating: minimum), SIMD4(repeating: maximum))
    var index = 0
    while index &+ 4 <= cellCount {
      let value = UnsafeRawPointer(values + index).loadUnaligned(as: SIMD4<Double>.self)
      let weight = UnsafeRawPointer(weights + index).loadUnaligned(as: SIMD4<Double>.self)
      let difference = value - shift
      let product = difference * weight
      counts += weight
      sums += value * weight
      deviations += product
      squares += difference * product
      low.replace(with: value, where: value .< low)
      high.replace(with: value, where: value .> high)
      index &+= 4
    }
    count += counts.sum()
    sum += sums.sum()
    deviation += deviations.sum()
    square += squares.sum()
    minimum = low.min()
    maximum = high.max()
    while index < cellCount {
      add(values[index], weight: weights[index])
      index &+= 1
    }
  }

  /// Adds the cells of an area in a tile.
  ///
  /// - Parameter kernel: the function for the type of the tile's values.
  mutating func add(_ tile: plumb_zonal_tile, _ kernel: ZonalKernel) {
    var sums = plumb_zonal_sums(
      count: count, coverage: coverage, sum: sum, minimum: minimum, maximum: maximum,
      first: shift, deviation: deviation, square: square)
    withUnsafePointer(to: tile) { kernel($0, &sums) }
    (count, coverage, sum) = (sums.count, sums.coverage, sums.sum)
    (minimum, maximum) = (sums.minimum, sums.maximum)
    (shift, deviation, square) = (sums.first, sums.deviation, sums.square)
  }

  /// The mean; NaN without values.
  package var mean: Double { shift.isFinite ? shift + deviation / count : sum / count }

  /// The variance of the population; NaN without values.
  package var variance: Double {
    let mean = deviation / count
    let variance = square / count - mean * mean
    return variance < 0 ? 0 : variance
  }
}
