import PlumbCore
import PlumbIO

/// JSON text as an `Encodable` value, so that a result is encoded to the same JSON that Plumb's
/// writer produces.
///
/// Members keep their order if the encoder preserves it. A whole number is encoded as an `Int64` or
/// a `UInt64` if it fits. Other numbers are encoded as the nearest double.
package struct EncodableJSON: Encodable, Sendable {
  private enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
    case list([Value])
    case object([(name: String, value: Value)])
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let value: Value

  /// - Throws: an error with the position and the reason, if the text is not JSON.
  package init(_ bytes: [UInt8]) throws(FormatError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in
        var scanner = JSONScanner(bytes)
        return try Self.read(&scanner)
      }
    }
    value = try result.get()
  }

  // The scanner's nesting limit also limits the depth of this recursion.
  private static func read(_ scanner: inout JSONScanner) throws(FormatError) -> Value {
    switch scanner.peek() {
    case UInt8(ascii: "{")?:
      var members: [(name: String, value: Value)] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        members.append((scanner.text(of: key), try read(&scanner)))
      }
      return .object(members)
    case UInt8(ascii: "[")?:
      var elements: [Value] = []
      try scanner.beginArray()
      while try scanner.nextElement() { elements.append(try read(&scanner)) }
      return .list(elements)
    default:
      var again = scanner
      switch try scanner.readFieldValue() {
      case .null: return .null
      case .boolean(let flag): return .boolean(flag)
      case .integer(let number): return .integer(number)
      case .real(let number): return .real(number)
      case .text(let text): return .text(text)
      case .json(let number):
        if let number = UInt64(number) { return .unsigned(number) }
        return .real(try again.readDouble())
      }
    }
  }

  /// Encodes the value.
  package func encode(to encoder: any Encoder) throws { try Self.encode(value, to: encoder) }

  private static func encode(_ value: Value, to encoder: any Encoder) throws {
    switch value {
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try encode(element, to: container.superEncoder()) }
    case .object(let members):
      var container = encoder.container(keyedBy: Key.self)
      for member in members {
        try encode(member.value, to: container.superEncoder(forKey: Key(stringValue: member.name)))
      }
    default:
      var container = encoder.singleValueContainer()
      switch value {
      case .boolean(let flag): try container.encode(flag)
      case .integer(let number): try container.encode(number)
      case .unsigned(let number): try container.encode(number)
      case .real(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .null, .list, .object: try container.encodeNil()
      }
    }
  }
}
