/// A JSON value in memory. If several members of an object have the same name, the last one is
/// used, unless the parser rejects repeated names.
package enum JSONTree: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  /// Infinite if the number in the text is too large for a double.
  case real(Double)
  case text(String)
  case list([JSONTree])
  /// A list of two real numbers or two integers, which uses less memory than a `list`. It occurs
  /// only if the parser packs pairs.
  case pair(Double, Double)
  case integerPair(Int64, Int64)
  case object([String: JSONTree])
  /// The text of an object. It occurs only for the members that the caller of the parser lists in
  /// `sources`.
  case source([UInt8])

  /// Parses JSON, which may begin with a byte order mark.
  ///
  /// - Parameter memory: the approximate limit on the memory of the tree in bytes. The tree may be
  ///   much larger than the JSON, in which a value can be as short as two bytes.
  /// - Parameter packsPairs: whether a list of two numbers, such as a point, becomes a `pair`.
  /// - Parameter allowsRepeats: whether members of the outermost object may have the same name.
  /// - Parameter allowsNonFinite: whether numbers may be `NaN`, `Infinity` and `-Infinity`.
  /// - Parameter sources: the members of the outermost object whose values become a `source` if they are
  ///   objects, for example because the order of their members matters.
  /// - Throws: if the bytes are not JSON, if values are nested deeper than
  ///   `JSONScanner.nestingLimit`, or if the tree needs more memory than the limit.
  package init(
    _ bytes: UnsafeRawBufferPointer, memory: Int = .max, packsPairs: Bool = false,
    allowsRepeats: Bool = true, allowsNonFinite: Bool = false, sources: Set<String> = []
  ) throws(FormatError) {
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var scanner = JSONScanner(bytes, at: mark)
    var left = memory
    self = try Self.read(
      &scanner, &left,
      Rules(
        packsPairs: packsPairs, allowsRepeats: allowsRepeats, allowsNonFinite: allowsNonFinite,
        sources: sources))
    guard scanner.isAtEnd() else {
      throw FormatError(
        "invalid JSON: unexpected text after the value", offset: scanner.position)
    }
  }

  private struct Rules {
    let packsPairs: Bool
    var allowsRepeats: Bool
    let allowsNonFinite: Bool
    var sources: Set<String>
  }

  // The scanner's nesting limit also limits the depth of this recursion.
  private static func read(
    _ scanner: inout JSONScanner, _ left: inout Int, _ rules: Rules
  ) throws(FormatError) -> JSONTree {
    // This is the size of a value in its list. The capacity of the list doubles when it is full.
    try reserve(32, &left, scanner)
    switch scanner.peek() {
    case UInt8(ascii: "{")?:
      try reserve(200, &left, scanner)
      var members: [String: JSONTree] = [:]
      var inner = rules
      (inner.allowsRepeats, inner.sources) = (true, [])
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        try reserve(64, &left, scanner)
        let name = scanner.text(of: key)
        let value: JSONTree
        if rules.sources.contains(name), scanner.peek() == UInt8(ascii: "{") {
          let range = try scanner.skipValue()
          try reserve(range.count, &left, scanner)
          value = .source(Array(scanner.slice(range)))
        } else {
          value = try read(&scanner, &left, inner)
        }
        let former = members.updateValue(value, forKey: name)
        guard former == nil || rules.allowsRepeats else {
          throw FormatError("the member \(name.printable) is repeated", offset: scanner.position)
        }
      }
      return .object(members)
    case UInt8(ascii: "[")?:
      try reserve(32, &left, scanner)
      var elements: [JSONTree] = []
      try scanner.beginArray()
      while try scanner.nextElement() {
        elements.append(try read(&scanner, &left, rules))
      }
      if rules.packsPairs, let pair = Self.pair(elements) {
        left += 96
        return pair
      }
      return .list(elements)
    default:
      if rules.allowsNonFinite, let number = scanner.readNonFinite() { return .real(number) }
      var again = scanner
      return switch try scanner.readFieldValue() {
      case .null: .null
      case .boolean(let flag): .boolean(flag)
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
      // The value is an integer that does not fit in an `Int64`, or a number that is too large for
      // a double.
      case .json: .real(try again.readDouble())
      }
    }
  }

  /// Returns the elements as a pair; nil unless they are two numbers of the same kind.
  private static func pair(_ elements: [JSONTree]) -> JSONTree? {
    guard elements.count == 2 else { return nil }
    return switch (elements[0], elements[1]) {
    case (.real(let first), .real(let second)): .pair(first, second)
    case (.integer(let first), .integer(let second)): .integerPair(first, second)
    default: nil
    }
  }

  /// The elements of a list or a pair; nil for other values.
  package var elements: [JSONTree]? {
    switch self {
    case .list(let elements): elements
    case .pair(let first, let second): [.real(first), .real(second)]
    case .integerPair(let first, let second): [.integer(first), .integer(second)]
    default: nil
    }
  }

  private static func reserve(
    _ bytes: Int, _ left: inout Int, _ scanner: JSONScanner
  ) throws(FormatError) {
    left -= bytes
    guard left >= 0 else {
      throw FormatError(
        "the JSON has too many values", offset: scanner.position, code: .limit)
    }
  }

  /// The kind of the value, for messages.
  package var what: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .integer, .real: "a number"
    case .text: "a string"
    case .list, .pair, .integerPair: "a list"
    case .object, .source: "an object"
    }
  }
}
