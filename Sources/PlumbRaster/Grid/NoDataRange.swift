import PlumbCore

/// The floating-point values that are equal to a nodata value. As in GDAL, values that differ from it only by a
/// few units in the last place are equal, because files store the nodata value as text.
struct NoDataRange<Value: BinaryFloatingPoint & Sendable>: Sendable {
  /// The least and the greatest of the values; infinity and negative infinity if there are none.
  let low: Value
  let high: Value

  init(low: Value, high: Value) { (self.low, self.high) = (low, high) }

  /// No values.
  static var empty: Self { Self(low: .infinity, high: -.infinity) }

  /// Creates the range of the values that are equal to a value.
  ///
  /// - Parameter noData: a value of any kind; the range of NaN is empty.
  init(around noData: Value) {
    if noData.isNaN {
      self = .empty
    } else if noData.isInfinite {
      (low, high) = (noData, noData)
    } else {
      (low, high) = (Self.last(noData, towards: -1), Self.last(noData, towards: 1))
    }
  }

  /// Converts a range of doubles. The type must represent both ends exactly.
  init(_ range: NoDataRange<Double>) { (low, high) = (Value(range.low), Value(range.high)) }

  /// GDAL's rule. A value far from the nodata value is also equal if the sum of the two is infinite.
  private static func isEqual(_ value: Value, _ noData: Value) -> Bool {
    value == noData
      || (value - noData).magnitude < Value.ulpOfOne * (value + noData).magnitude * 2
  }

  /// Returns the last value in a direction such that all values up to it are equal to the nodata value.
  private static func last(_ noData: Value, towards sign: Value) -> Value {
    let most = sign * .greatestFiniteMagnitude
    // If twice the nodata value overflows, so does its sum with every value beyond it, and the rule is true for
    // all of them.
    if (noData * 2).isInfinite, isEqual(most, noData) { return most }
    // `far` is not equal to the nodata value, and `near` is.
    var (near, far, step) = (noData, most, noData.ulp * sign)
    while true {
      let next = noData + step
      guard next.isFinite, isEqual(next, noData) else {
        if next.isFinite { far = next }
        break
      }
      (near, step) = (next, step * 2)
    }
    while true {
      let middle = near / 2 + far / 2
      if middle == near || middle == far { return near }
      if isEqual(middle, noData) { near = middle } else { far = middle }
    }
  }
}

extension NoDataRange<Double> {
  /// Creates the range of a band's nodata value. The comparison uses the precision of the band's type.
  init(_ validity: Validity, _ type: PixelType) {
    guard case .noData(let noData) = validity, type.isFloatingPoint || type.isComplex else {
      self = .empty
      return
    }
    let value: Double
    switch noData {
    case .integer(let number): value = Double(number)
    case .unsigned(let number): value = Double(number)
    case .real(let number): value = number
    }
    switch type {
    case .float32, .complexFloat32:
      let range = NoDataRange<Float>(around: Float(value))
      self.init(low: Double(range.low), high: Double(range.high))
    default: self.init(around: value)
    }
  }
}
