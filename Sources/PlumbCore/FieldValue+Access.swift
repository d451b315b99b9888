extension FieldValue {
  /// Whether the value is null.
  public var isNull: Bool { self == .null }

  /// The value of an integer or a real, including NaN and infinity; nil for other kinds, including text that
  /// spells a number. Integers beyond 2⁵³ are rounded to the nearest double.
  public var doubleValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .null, .text, .boolean, .json: nil
    }
  }

  /// The value of an integer, or of a real that is a whole number; nil for other values.
  public var integerValue: Int64? {
    switch self {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real)
    case .null, .text, .boolean, .json: nil
    }
  }

  /// The string of a `text`; nil for other kinds. `description` has text for every kind.
  public var stringValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The value of a boolean; nil for other kinds, including 0 and 1.
  public var booleanValue: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }
}

extension FieldValue: CustomStringConvertible {
  /// The value without its kind: text without quotes, a number in the shortest form that is read
  /// back as the same number, `true` or `false`, JSON text unchanged, and `null`.
  public var description: String {
    switch self {
    case .null: "null"
    case .text(let text), .json(let text): text
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .boolean(let flag): flag ? "true" : "false"
    }
  }
}
