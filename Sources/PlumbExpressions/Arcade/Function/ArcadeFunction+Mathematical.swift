#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The mathematical functions. Angles are in radians. Null is 0, and values that are not numbers
/// result in NaN.
extension ArcadeFunction {
  static let mathematics: [ArcadeFunction] =
    [
      ofNumber("Abs") { abs($0) },
      ofNumber("Acos") { acos($0) },
      ofNumber("Asin") { asin($0) },
      ofNumber("Atan") { atan($0) },
      ofNumber("Cos") { cos($0) },
      ofNumber("Exp") { exp($0) },
      ofNumber("Log") { log($0) },
      ofNumber("Sin") { sin($0) },
      ofNumber("Sqrt") { $0.squareRoot() },
      ofNumber("Tan") { tan($0) },
      ArcadeFunction("Atan2", .mathematical, 2...2) {
        .number(atan2($0[0].asNumber, $0[1].asNumber))
      },
      ArcadeFunction("Pow", .mathematical, 2...2) { .number(pow($0[0].asNumber, $0[1].asNumber)) },
      ArcadeFunction("Constrain", .mathematical, 3...3) { values throws(ArcadeFailure) in
        let (value, low, high) = (values[0].asNumber, values[1].asNumber, values[2].asNumber)
        if value.isNaN || low.isNaN || high.isNaN { return .number(.nan) }
        return .number(value < low ? low : value > high ? high : value)
      },
      rounding("Round", .toNearestOrAwayFromZero),
      rounding("Ceil", .up),
      rounding("Floor", .down),
    ] + statistics

  private static func ofNumber(
    _ name: String, _ value: @escaping @Sendable (Double) -> Double
  ) -> ArcadeFunction {
    ArcadeFunction(name, .mathematical, 1...1) { .number(value($0[0].asNumber)) }
  }

  /// Rounds to a number of decimal places, which is 0 by default. A negative number of places
  /// rounds to tens, hundreds and so on. With `.toNearestOrAwayFromZero`, halves are rounded away
  /// from 0. As in `Text`, the decimal representation is rounded: 1.005 to two decimals is 1.01,
  /// although the binary value is slightly less.
  private static func rounding(_ name: String, _ rule: FloatingPointRoundingRule) -> ArcadeFunction
  {
    ArcadeFunction(name, .mathematical, 1...2) { values throws(ArcadeFailure) in
      let number = values[0].asNumber
      let decimals = try values.whole(1, orElse: 0)
      guard number.isFinite, decimals != 0 else { return .number(number.rounded(rule)) }
      // Beyond this scale, a double has no further decimals, or is rounded to 0.
      let scale = pow(10, Double(min(decimals.magnitude, 308)))
      if decimals > 0 {
        let scaled = number * scale
        guard abs(scaled) < 4_503_599_627_370_496 else { return .number(number) }
        // The product may differ slightly from the integer or half-integer that the decimal
        // representation would give.
        let half = (scaled * 2).rounded() / 2
        let isNear = abs(scaled - half) <= abs(scaled) * 0x1p-50
        let exact = isNear ? shifted(number, decimals) : scaled
        return .number(exact.rounded(rule) / scale)
      }
      return .number((number / scale).rounded(rule) * scale)
    }
  }

  /// The decimal representation of a number, times a power of ten.
  private static func shifted(_ number: Double, _ power: Int) -> Double {
    let parts = number.description.split(separator: "e", maxSplits: 1)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    return Double("\(parts[0])e\(exponent + power)") ?? number
  }

  // MARK: Many numbers

  /// Statistics of the numbers in one array, or of all arguments. Without numbers, the sum is 0,
  /// and the other results are null. The variance and the standard deviation are computed for a
  /// population, not for a sample.
  private static let statistics: [ArcadeFunction] = [
    ofNumbers("Sum") { $0.reduce(0, +) },
    ofNumbers("Min") { numbers in
      numbers.reduce(numbers.first) { minimum, number in
        minimum.map { $0.isNaN || number.isNaN ? .nan : Swift.min($0, number) }
      }
    },
    ofNumbers("Max") { numbers in
      numbers.reduce(numbers.first) { maximum, number in
        maximum.map { $0.isNaN || number.isNaN ? .nan : Swift.max($0, number) }
      }
    },
    ofNumbers("Average") { mean($0) },
    ofNumbers("Mean") { mean($0) },
    ofNumbers("Variance") { variance($0) },
    ofNumbers("Stdev") { variance($0)?.squareRoot() },
  ]

  private static func ofNumbers(
    _ name: String, _ value: @escaping @Sendable ([Double]) -> Double?
  ) -> ArcadeFunction {
    ArcadeFunction(name, .mathematical, 1...Int.max) { values throws(ArcadeFailure) in
      var all = values.values
      if all.count == 1, case .array(let array) = all[0] { all = array.elements }
      try values.context.spend(steps: all.count, bytes: 0)
      return value(all.map(\.asNumber)).map { .number($0) } ?? .null
    }
  }

  private static func mean(_ numbers: [Double]) -> Double? {
    numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
  }

  private static func variance(_ numbers: [Double]) -> Double? {
    guard let mean = mean(numbers) else { return nil }
    return numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
  }
}
