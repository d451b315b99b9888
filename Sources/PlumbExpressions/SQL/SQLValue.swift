/// The value of a part of a condition for one row.
enum SQLValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// A double, which is never NaN, because NaN becomes null.
  case real(Double)
  case text(String)
  case moment(SQLMoment)
  case interval(SQLInterval)
}

/// The kind of a part of a condition for all rows, as known at binding.
enum SQLKind: Sendable, Hashable {
  case boolean, number, text, moment
  /// Intervals of months, and intervals of days and time.
  case months, duration
  /// NULL, which is compatible with every kind.
  case null
}

/// True, false, or unknown because of a NULL.
enum SQLTruth: Sendable {
  case no, yes, unknown

  init(_ isTrue: Bool) { self = isTrue ? .yes : .no }

  init(_ value: SQLValue) {
    guard case .boolean(let boolean) = value else {
      self = .unknown
      return
    }
    self.init(boolean)
  }

  var inverse: SQLTruth {
    switch self {
    case .no: .yes
    case .yes: .no
    case .unknown: .unknown
    }
  }

  var value: SQLValue {
    switch self {
    case .no: .boolean(false)
    case .yes: .boolean(true)
    case .unknown: .null
    }
  }
}

extension SQLValue {
  init(number real: Double) { self = real.isNaN ? .null : .real(real) }

  /// The number as a double; nil if the value is not a number.
  var double: Double? {
    switch self {
    case .boolean(let boolean): boolean ? 1 : 0
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  /// The number without its fraction, clamped to 64 bits; nil if the value is not a number.
  var clamped: Int64? {
    switch self {
    case .boolean(let boolean): boolean ? 1 : 0
    case .integer(let integer): integer
    case .real(let real):
      real >= 0x1p63 ? .max : real < -0x1p63 ? .min : Int64(exactly: real.rounded(.towardZero))
    default: nil
    }
  }

  /// The value as text; nil for NULL.
  var text: String? {
    switch self {
    case .text(let text): text
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .boolean(let boolean): boolean ? "true" : "false"
    case .null, .moment, .interval: nil
    }
  }

  // MARK: Order

  /// -1, 0 or 1 if `a` is before, equal to or after `b`; nil if the order is unknown.
  ///
  /// Numbers are compared exactly. Two texts are compared by code point. For a comparison with a moment,
  /// text is parsed as a date and time.
  static func order(_ a: SQLValue, _ b: SQLValue) -> Int? {
    switch (a, b) {
    case (.text(let a), .text(let b)): return SQLText.order(a, b)
    case (.integer(let a), .integer(let b)): return sign(a, b)
    case (.real(let a), .real(let b)): return sign(a, b)
    case (.integer(let a), .real(let b)): return order(a, b)
    case (.real(let a), .integer(let b)): return -order(b, a)
    case (.moment(let a), .moment(let b)): return sign(a, b)
    case (.moment(let a), .text(let b)): return SQLMoment(b).map { sign(a, $0) }
    case (.text(let a), .moment(let b)): return SQLMoment(a).map { sign($0, b) }
    case (.interval(let a), .interval(let b)): return SQLInterval.order(a, b)
    case (.boolean(let a), _): return order(.integer(a ? 1 : 0), b)
    case (_, .boolean(let b)): return order(a, .integer(b ? 1 : 0))
    default: return nil
    }
  }

  private static func order(_ a: Int64, _ b: Double) -> Int {
    // Double(Int64.max) is 2^63, which is greater than any Int64.
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = b.rounded(.down)
    let order = sign(a, Int64(whole))
    return order == 0 && b > whole ? -1 : order
  }

  private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
}

extension SQLComparison {
  @inline(__always)
  func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}
