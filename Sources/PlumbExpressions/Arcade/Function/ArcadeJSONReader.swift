import PlumbCore
import PlumbIO

/// Parses JSON text into values. Objects become dictionaries.
struct ArcadeJSONReader {
  private var scanner: JSONScanner
  private let context: any ArcadeContext
  private var depth = 0

  /// - Throws: an error with the byte offset for invalid JSON, for an unpaired surrogate, or for a
  ///   number that is too large for a double.
  static func value(
    _ text: String, _ context: any ArcadeContext
  ) throws(ArcadeFailure) -> ArcadeValue {
    try context.spend(steps: text.utf8.count / 16, bytes: text.utf8.count)
    return try unsafe Array(text.utf8).withUnsafeBufferPointer { bytes throws(ArcadeFailure) in
      var reader = ArcadeJSONReader(scanner: unsafe JSONScanner(bytes), context: context)
      let value = try reader.value()
      guard reader.scanner.isAtEnd() else {
        throw failure(reader.scanner.fault("unexpected text after the value"))
      }
      return value
    }
  }

  private static func failure(_ error: FormatError) -> ArcadeFailure {
    ArcadeFailure("the text is not JSON: \(error)")
  }

  private mutating func read<Result>(
    _ body: (inout JSONScanner) throws(FormatError) -> Result
  ) throws(ArcadeFailure) -> Result {
    do throws(FormatError) { return try body(&scanner) } catch { throw Self.failure(error) }
  }

  private mutating func value() throws(ArcadeFailure) -> ArcadeValue {
    try context.spend(steps: 1, bytes: 16)
    switch scanner.peek() {
    case UInt8(ascii: "{")?: return .dictionary(try object())
    case UInt8(ascii: "[")?: return .array(try array())
    case UInt8(ascii: "\"")?:
      return .text(try text(read { scanner throws(FormatError) in try scanner.skipString() }))
    case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try number())
    case let first:
      try read { scanner throws(FormatError) in _ = try scanner.skipValue() }
      return first == UInt8(ascii: "n") ? .null : .boolean(first == UInt8(ascii: "t"))
    }
  }

  private mutating func enter() throws(ArcadeFailure) {
    depth += 1
    guard depth <= ArcadeJSONWriter.depthLimit else {
      throw ArcadeFailure("the JSON nests deeper than \(ArcadeJSONWriter.depthLimit) levels")
    }
  }

  private mutating func array() throws(ArcadeFailure) -> ArcadeArray {
    try enter()
    defer { depth -= 1 }
    let array = ArcadeArray()
    try read { scanner throws(FormatError) in try scanner.beginArray() }
    while try read({ scanner throws(FormatError) in try scanner.nextElement() }) {
      array.elements.append(try value())
    }
    return array
  }

  private mutating func object() throws(ArcadeFailure) -> ArcadeDictionary {
    try enter()
    defer { depth -= 1 }
    let dictionary = ArcadeDictionary()
    try read { scanner throws(FormatError) in try scanner.beginObject() }
    while let key = try read({ scanner throws(FormatError) in try scanner.nextKey() }) {
      let name = try text(key)
      try context.spend(steps: 0, bytes: 64 + name.utf8.count)
      dictionary[name] = try value()
    }
    return dictionary
  }

  private mutating func number() throws(ArcadeFailure) -> Double {
    var ahead = scanner
    let value = try read { scanner throws(FormatError) in try scanner.readDouble() }
    guard value.isFinite else {
      _ = ahead.peek()
      throw Self.failure(ahead.fault("a number is too large for a double"))
    }
    return value
  }

  private func text(_ range: Range<Int>) throws(ArcadeFailure) -> String {
    guard let text = scanner.wholeText(of: range) else {
      throw Self.failure(scanner.fault("a string contains an unpaired surrogate"))
    }
    return text
  }
}
