extension FieldValue {
  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// The number of an integer or a real, NaN and infinity among them; nil for all else, a text
  /// that spells a number included. Integers beyond 2⁵³ are rounded to the nearest double.
  public var doubleValue: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .null, .text, .boolean, .json: nil
    }
  }

  /// The whole number of an integer, or of a real that is exactly one; nil for all else.
  public var integerValue: Int64? {
    switch self {
    case .integer(let integer): integer
    case .real(let real): Int64(exactly: real)
    case .null, .text, .boolean, .json: nil
    }
  }

  /// The text of a text; nil for all else. `description` has a text for every value.
  public var stringValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The flag of a boolean; nil for all else, 0 and 1 included.
  public var booleanValue: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }
}

extension FieldValue: CustomStringConvertible {
  /// The value alone: a text without quotes, a number in the shortest form that reads back as the
  /// same one, `true` or `false`, JSON text as it stands, and `null`.
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
