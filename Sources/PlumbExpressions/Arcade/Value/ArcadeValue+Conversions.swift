/// How the language turns one kind of value into another, unasked.
///
/// | from | as a number | as a text | true in `Boolean()` |
/// |---|---|---|---|
/// | null | 0 | empty | no |
/// | boolean | 0 or 1 | `true`, `false` | itself |
/// | number | itself | as short as it reads back | all but 0 and NaN |
/// | text | what it spells, else NaN; 0 when blank | itself | `true`, whatever its case |
/// | date | milliseconds since 1970 | ISO 8601 | no |
/// | all else | NaN | JSON | no |
extension ArcadeValue {
  /// The value as a number, as arithmetic takes it; NaN where it is none.
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

  /// The value as a text, as `+` and template literals take it.
  ///
  /// - Throws: when a value of many parts nests deeper than 64 levels, or takes more than 16
  ///   million bytes.
  package func text() throws(ExpressionError) -> String {
    do throws(ArcadeFailure) {
      return try wholeText()
    } catch {
      throw ExpressionError(error.message)
    }
  }

  /// As `text()`, for functions.
  func wholeText() throws(ArcadeFailure) -> String {
    switch self {
    case .array, .dictionary, .feature, .geometry:
      var writer = ArcadeJSONWriter(byteLimit: 1 << 24)
      writer.append(self)
      return try writer.wholeText()
    default: return asText
    }
  }

  /// The value as a text, for errors and for values of one part: one of many parts is cut at
  /// 16 million bytes, and at 64 levels.
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

  /// Whether `Boolean()` makes true of the value.
  package var isTrue: Bool {
    switch self {
    case .boolean(let boolean): boolean
    case .number(let number): number != 0 && !number.isNaN
    case .text(let text): text.lowercased() == "true"
    case .null, .date, .array, .dictionary, .feature, .geometry, .function: false
    }
  }

  /// As TypeOf names it.
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
  /// What `==` says: values of different kinds differ, texts are distinguished by case, and arrays,
  /// dictionaries and features are equal only to themselves.
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

  /// -1, 0 or 1 as `<` and its kin order values; nil where they have no order, and then all four
  /// are false.
  ///
  /// Two texts go by code point; every other pair of null, booleans, numbers, texts and dates by
  /// the numbers that they are.
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
