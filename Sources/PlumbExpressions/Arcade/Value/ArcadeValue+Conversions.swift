/// Implicit conversions of the language.
///
/// | from | as a number | as text | true in `Boolean()` |
/// |---|---|---|---|
/// | null | 0 | empty | no |
/// | boolean | 0 or 1 | `true`, `false` | itself |
/// | number | itself | the shortest that parses to it | all but 0 and NaN |
/// | text | parsed, NaN if invalid; 0 if blank | itself | `true`, regardless of case |
/// | date | milliseconds since 1970 | ISO 8601 | no |
/// | function | NaN | its name | no |
/// | all others | NaN | JSON | no |
extension ArcadeValue {
  /// The value as a number for arithmetic; NaN if it cannot be converted.
  package var asNumber: Double {
    switch self {
    case .null: 0
    case .boolean(let boolean): boolean ? 1 : 0
    case .number(let number): number
    case .text(let text): ArcadeNumber.read(text)
    case .date(let date): Double(date.milliseconds)
    case .array, .dictionary, .feature, .geometry, .function: .nan
    }
  }

  /// The value as text, for `+` and template literals.
  ///
  /// - Throws: if a compound value nests deeper than 64 levels, or its text exceeds 16 million bytes.
  package func text() throws(ExpressionError) -> String {
    do throws(ArcadeFailure) {
      return try wholeText()
    } catch {
      throw ExpressionError(error.message)
    }
  }

  /// Like `text()`, for use by functions.
  func wholeText() throws(ArcadeFailure) -> String {
    switch self {
    case .array, .dictionary, .feature, .geometry:
      var writer = ArcadeJSONWriter(byteLimit: 1 << 24)
      writer.append(self)
      return try writer.wholeText()
    default: return asText
    }
  }

  /// The value as text, for errors and for simple values. Compound values are cut at 16 million
  /// bytes and 64 levels.
  package var asText: String {
    switch self {
    case .null: return ""
    case .boolean(let boolean): return boolean ? "true" : "false"
    case .number(let number): return ArcadeNumber.text(number)
    case .text(let text): return text
    case .date(let date): return date.iso
    case .function(let function): return function.name
    case .array, .dictionary, .feature, .geometry:
      var writer = ArcadeJSONWriter(byteLimit: 1 << 24)
      writer.append(self)
      return writer.text
    }
  }

  /// The value of `Boolean()`.
  package var isTrue: Bool {
    switch self {
    case .boolean(let boolean): boolean
    case .number(let number): number != 0 && !number.isNaN
    case .text(let text): text.lowercased() == "true"
    case .null, .date, .array, .dictionary, .feature, .geometry, .function: false
    }
  }

  /// The name of the type in TypeOf.
  package var typeName: String {
    switch self {
    case .null: "Null"
    case .boolean: "Boolean"
    case .number: "Number"
    case .text: "String"
    case .date: "Date"
    case .array: "Array"
    case .dictionary: "Dictionary"
    case .feature: "Feature"
    case .function: "Function"
    case .geometry(let geometry):
      switch geometry {
      case .point: "Point"
      case .multipoint: "Multipoint"
      case .polyline: "Polyline"
      case .polygon: "Polygon"
      case .envelope: "Extent"
      }
    }
  }
}

// MARK: Comparison

extension ArcadeValue {
  /// The result of `==`. Values of different kinds are not equal, text is case-sensitive, and
  /// arrays, dictionaries and features are equal only to themselves.
  package func isEqual(to other: ArcadeValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.text(let a), .text(let b)): SQLText.order(a, b) == 0
    case (.date(let a), .date(let b)): a == b
    case (.array(let a), .array(let b)): a === b
    case (.dictionary(let a), .dictionary(let b)): a === b
    case (.feature(let a), .feature(let b)): a === b
    case (.geometry(let a), .geometry(let b)): a == b
    case (.function(let a), .function(let b)): a.isSame(as: b)
    default: false
    }
  }

  /// -1, 0 or 1 in the order of `<`, `<=`, `>` and `>=`; nil if the values are not ordered. In this
  /// case, all four operators return false.
  ///
  /// Two strings are compared by code point. All other pairs of null, booleans, numbers, text and
  /// dates are compared as numbers.
  package func order(to other: ArcadeValue) -> Int? {
    if case .number(let a) = self, case .number(let b) = other {
      return a < b ? -1 : a > b ? 1 : a == b ? 0 : nil
    }
    if case .text(let a) = self, case .text(let b) = other { return SQLText.order(a, b) }
    let (a, b) = (asNumber, other.asNumber)
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : nil
  }
}

extension ArcadeCallable {
  func isSame(as other: ArcadeCallable) -> Bool {
    switch (target, other.target) {
    case (.builtIn(let a), .builtIn(let b)): a.name == b.name
    case (.declared(let a), .declared(let b)): a == b
    default: false
    }
  }
}
