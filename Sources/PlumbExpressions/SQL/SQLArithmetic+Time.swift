/// Arithmetic with dates and intervals.
extension SQLArithmetic {
  /// The kind of an operator's result for operands of two kinds; nil if the operator does not
  /// accept the kinds. Text combined with an interval or a date is parsed as a date.
  static func kind(_ sign: SQLSign, _ a: SQLKind, _ b: SQLKind) -> SQLKind? {
    let isSum = sign == .plus || sign == .minus
    switch (a, b) {
    case (.null, .boolean), (.boolean, .null): return nil
    case (.months, .null), (.duration, .null): return isSum ? .null : a
    case (.null, .months), (.null, .duration): return isSum ? .null : b
    case (.null, _), (_, .null): return .null
    case (.number, .number): return .number
    case (.moment, .months), (.moment, .duration), (.text, .months), (.text, .duration):
      return isSum ? .moment : nil
    case (.months, .moment), (.duration, .moment), (.months, .text), (.duration, .text):
      return sign == .plus ? .moment : nil
    case (.moment, .moment), (.moment, .text), (.text, .moment):
      return sign == .minus ? .duration : nil
    case (.months, .months), (.duration, .duration): return isSum ? a : nil
    case (.months, .number), (.duration, .number):
      return sign == .times || sign == .divided ? a : nil
    case (.number, .months), (.number, .duration): return sign == .times ? b : nil
    default: return nil
    }
  }

  /// The result of an operator with dates or intervals; NULL outside the years 0 to 9999, beyond 64 bits, and
  /// for text that is not a date.
  static func applyToTimes(_ sign: SQLSign, _ a: SQLValue, _ b: SQLValue) -> SQLValue {
    switch (a, b) {
    case (.text(let text), .interval), (.text(let text), .moment):
      return SQLMoment(text).map { applyToTimes(sign, .moment($0), b) } ?? .null
    case (.interval, .text(let text)), (.moment, .text(let text)):
      return SQLMoment(text).map { applyToTimes(sign, a, .moment($0)) } ?? .null
    case (.moment(let moment), .interval(let interval)):
      return signed(interval, sign).flatMap { moment.adding($0) }.map { .moment($0) } ?? .null
    case (.interval(let interval), .moment(let moment)):
      return moment.adding(interval).map { .moment($0) } ?? .null
    case (.moment(let a), .moment(let b)):
      return .interval(.microseconds(a.microseconds - b.microseconds))
    case (.interval(let a), .interval(let b)):
      return signed(b, sign).flatMap { a.adding($0) }.map { .interval($0) } ?? .null
    case (.interval(let interval), _):
      guard let number = b.double, sign != .divided || number != 0 else { return .null }
      let scaled = interval.scaled { sign == .divided ? $0 / number : $0 * number }
      return scaled.map { .interval($0) } ?? .null
    case (_, .interval(let interval)):
      guard let number = a.double else { return .null }
      return interval.scaled { $0 * number }.map { .interval($0) } ?? .null
    default: return apply(sign, a, b)
    }
  }

  private static func signed(_ interval: SQLInterval, _ sign: SQLSign) -> SQLInterval? {
    sign == .minus ? interval.negated : interval
  }
}
