/// Arithmetic that never traps. Integers remain exact, and results beyond 64 bits are doubles.
enum SQLArithmetic {
  static func apply(_ sign: SQLSign, _ a: SQLValue, _ b: SQLValue) -> SQLValue {
    if case .integer(let a) = a, case .integer(let b) = b { return apply(sign, a, b) }
    guard let a = a.double, let b = b.double else { return .null }
    switch sign {
    case .plus: return SQLValue(number: a + b)
    case .minus: return SQLValue(number: a - b)
    case .times: return SQLValue(number: a * b)
    case .divided: return b == 0 ? .null : SQLValue(number: a / b)
    case .remainder: return b == 0 ? .null : SQLValue(number: a.truncatingRemainder(dividingBy: b))
    default: return .null
    }
  }

  private static func apply(_ sign: SQLSign, _ a: Int64, _ b: Int64) -> SQLValue {
    let (result, isOver): (Int64, Bool)
    switch sign {
    case .plus: (result, isOver) = a.addingReportingOverflow(b)
    case .minus: (result, isOver) = a.subtractingReportingOverflow(b)
    case .times: (result, isOver) = a.multipliedReportingOverflow(by: b)
    case .divided:
      if b == 0 { return .null }
      (result, isOver) = a.dividedReportingOverflow(by: b)
    case .remainder:
      if b == 0 { return .null }
      // Int64.min % -1 would overflow. The remainder is 0.
      return .integer(b == -1 ? 0 : a % b)
    default: return .null
    }
    return isOver ? apply(sign, .real(Double(a)), .real(Double(b))) : .integer(result)
  }

  static func negated(_ value: SQLValue) -> SQLValue {
    switch value {
    case .integer(let integer): integer == .min ? .real(0x1p63) : .integer(-integer)
    case .real(let real): .real(-real)
    case .interval(let interval): interval.negated.map { .interval($0) } ?? .null
    default: .null
    }
  }

  /// Rounds a value to a number of decimals, halves away from zero. A negative number of decimals
  /// rounds to tens, hundreds and so on.
  static func rounded(_ value: SQLValue, digits: Int64) -> SQLValue {
    switch value {
    case .integer(let integer):
      guard digits < 0 else { return value }
      guard digits >= -19 else { return .integer(0) }
      return rounded(integer, digits: Int(-digits))
    case .real(let real): return SQLValue(number: rounded(real, digits: digits))
    default: return value
    }
  }

  private static func rounded(_ integer: Int64, digits: Int) -> SQLValue {
    var power: UInt64 = 1
    for _ in 0..<digits { power *= 10 }
    let (quotient, remainder) = integer.magnitude.quotientAndRemainder(dividingBy: power)
    let (up, isOver) = (quotient + (remainder >= power - power / 2 ? 1 : 0))
      .multipliedReportingOverflow(by: power)
    let limit: UInt64 = integer < 0 ? 1 << 63 : 1 << 63 - 1
    guard !isOver, up <= limit else {
      return .real((integer < 0 ? -1 : 1) * Double(quotient + 1) * Double(power))
    }
    return .integer(integer < 0 ? Int64(truncatingIfNeeded: 0 &- up) : Int64(up))
  }

  private static func rounded(_ real: Double, digits: Int64) -> Double {
    if digits == 0 || real == 0 || real.isInfinite {
      return real.rounded(.toNearestOrAwayFromZero)
    }
    guard digits > -309 else { return 0 }
    guard digits < 0 else {
      guard digits < 309 else { return real }
      let power = powerOfTen(digits)
      let scaled = real * power
      // From 2^52 on, doubles have no fraction.
      guard abs(scaled) < 0x1p52 else { return real }
      return scaled.rounded(.toNearestOrAwayFromZero) / power
    }
    let power = powerOfTen(-digits)
    return (real / power).rounded(.toNearestOrAwayFromZero) * power
  }

  /// Truncates a value to a number of decimals. A negative number of decimals truncates to tens,
  /// hundreds and so on.
  static func truncated(_ value: SQLValue, digits: Int64) -> SQLValue {
    switch value {
    case .integer(let integer):
      guard digits < 0 else { return value }
      guard digits >= -18 else { return .integer(0) }
      var power: Int64 = 1
      for _ in 0..<(-digits) { power *= 10 }
      return .integer(integer / power * power)
    case .real(let real): return SQLValue(number: truncated(real, digits: digits))
    default: return value
    }
  }

  private static func truncated(_ real: Double, digits: Int64) -> Double {
    if digits == 0 || real == 0 || real.isInfinite { return real.rounded(.towardZero) }
    guard digits > -309 else { return 0 }
    guard digits < 0 else {
      guard digits < 309 else { return real }
      let power = powerOfTen(digits)
      let scaled = real * power
      guard abs(scaled) < 0x1p52 else { return real }
      // 0.29 * 100 is less than 29, although 0.29 has two decimals.
      if scaled.rounded() / power == real { return real }
      let whole = scaled.rounded(.towardZero)
      let scaledDown = whole / power
      return abs(scaledDown) <= abs(real) ? scaledDown : (whole - (real < 0 ? -1 : 1)) / power
    }
    let power = powerOfTen(-digits)
    return (real / power).rounded(.towardZero) * power
  }

  /// A number rounded to a decimal's scale; NULL if it has more digits before the point than the
  /// precision allows.
  static func decimal(_ value: SQLValue, _ form: SQLType.Decimal?) -> SQLValue {
    guard let form else { return value }
    let rounded = rounded(value, digits: Int64(form.scale))
    guard let size = rounded.double.map({ abs($0) }),
      size < powerOfTen(Int64(form.precision - form.scale))
    else { return .null }
    return rounded
  }

  private static func powerOfTen(_ exponent: Int64) -> Double { Double("1e\(exponent)") ?? 1 }
}
