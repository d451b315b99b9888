#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Operators on numbers, and unary operators.
enum ArcadeOperator {
  /// The result for two numbers; nil for an operator that is not for numbers.
  @inline(__always)
  static func value(_ sign: ArcadeSign, _ a: Double, _ b: Double) -> ArcadeValue? {
    switch sign {
    case .plus: .number(a + b)
    case .minus: .number(a - b)
    case .times: .number(a * b)
    case .divide: .number(a / b)
    case .remainder: .number(fmod(a, b))
    case .less: .boolean(a < b)
    case .notGreater: .boolean(a <= b)
    case .greater: .boolean(a > b)
    case .notLess: .boolean(a >= b)
    case .equal: .boolean(a == b)
    case .notEqual: .boolean(a != b)
    case .bitAnd: .number(Double(bits(a) & bits(b)))
    case .bitOr: .number(Double(bits(a) | bits(b)))
    case .bitXor: .number(Double(bits(a) ^ bits(b)))
    // Shifts use the five lowest bits of the amount.
    case .shiftLeft: .number(Double(bits(a) << (bits(b) & 31)))
    case .shiftRight: .number(Double(bits(a) >> (bits(b) & 31)))
    default: nil
    }
  }

  /// The result of `-`, `+`, `!` or `~`.
  static func value(
    _ sign: ArcadeSign, _ value: ArcadeValue
  ) throws(ArcadeFailure) -> ArcadeValue {
    switch sign {
    case .minus: return .number(-value.asNumber)
    case .plus: return .number(value.asNumber)
    case .bitNot: return .number(Double(~bits(value.asNumber)))
    default:
      guard case .boolean(let boolean) = value else {
        throw ArcadeFailure("! needs true or false; use Boolean(value) for numbers and text")
      }
      return .boolean(!boolean)
    }
  }

  /// The 32 bits for bitwise operators: the integral part modulo 2³²; 0 for NaN and infinities.
  static func bits(_ number: Double) -> Int32 {
    if let integer = Int32(exactly: number) { return integer }
    guard number.isFinite else { return 0 }
    let whole = fmod(number.rounded(.towardZero), 4_294_967_296)
    return Int32(truncatingIfNeeded: Int64(whole))
  }
}

extension ArcadeValue {
  /// Whether the value is null or empty text.
  var isEmpty: Bool {
    switch self {
    case .null: true
    case .text(let text): text.isEmpty
    default: false
    }
  }
}
