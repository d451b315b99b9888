import PlumbCore
import PlumbIO

/// A point in well-known text, which is read without allocation. For other geometries, only the
/// type is recognized.
///
/// The form is `POINT (x y)`, or `MULTIPOINT ((x y))` or `MULTIPOINT (x y)` with one point, case-insensitive,
/// with or without Z and M, optionally after `SRID=number;` (EWKT).
public struct WKTPoint: Sendable, Hashable {
  /// The easting or longitude.
  public var x: Double
  /// The northing or latitude.
  public var y: Double
  /// The SRID in the text; nil if the text has no SRID.
  public var srid: Int32?

  /// The reason why the text is not a point.
  public enum Failure: Error, Hashable {
    /// The text is empty, an empty point, or a geometry of another type.
    case fault(PointFault)
  }

  /// - Parameter bytes: the text; surrounding spaces are allowed.
  public init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) {
    var position = 0
    Self.skipSpaces(bytes, &position)
    srid = nil
    if Self.consume("SRID", bytes, &position) {
      Self.skipSpaces(bytes, &position)
      guard Self.consume("=", bytes, &position),
        let end = bytes[position...].firstIndex(of: UInt8(ascii: ";")),
        let code = NumberText.parse(UnsafeBufferPointer(rebasing: bytes[position..<end])),
        code >= 0, code <= 999_999_999, code == code.rounded()
      else { throw .fault(.missing) }
      if code > 0 { srid = Int32(code) }
      position = end + 1
      Self.skipSpaces(bytes, &position)
    }
    let isMulti = Self.consume("MULTIPOINT", bytes, &position)
    guard isMulti || Self.consume("POINT", bytes, &position) else {
      throw .fault(Self.kind(bytes, position))
    }
    Self.skipSpaces(bytes, &position)
    // Skips Z, M or ZM, with or without a space before the letters.
    for letter in ["Z", "M"] as [StaticString] { _ = Self.consume(letter, bytes, &position) }
    Self.skipSpaces(bytes, &position)
    guard Self.consume("(", bytes, &position) else { throw .fault(.missing) }
    Self.skipSpaces(bytes, &position)
    let isNested = isMulti && Self.consume("(", bytes, &position)
    guard let first = Self.number(bytes, &position), let second = Self.number(bytes, &position)
    else { throw .fault(.missing) }
    while Self.number(bytes, &position) != nil {}
    if isNested {
      guard Self.consume(")", bytes, &position) else { throw .fault(.missing) }
      Self.skipSpaces(bytes, &position)
    }
    if isMulti, Self.consume(",", bytes, &position) { throw .fault(.multiPoint) }
    guard Self.consume(")", bytes, &position) else { throw .fault(.missing) }
    Self.skipSpaces(bytes, &position)
    guard position == bytes.count else { throw .fault(.missing) }
    (x, y) = (first, second)
  }

  private static func kind(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int
  ) -> PointFault {
    let kinds: [(StaticString, PointFault)] = [
      ("LINESTRING", .line), ("MULTILINESTRING", .line),
      ("POLYGON", .polygon), ("MULTIPOLYGON", .polygon), ("GEOMETRYCOLLECTION", .collection),
      ("CIRCULARSTRING", .line), ("COMPOUNDCURVE", .line), ("MULTICURVE", .line),
      ("CURVEPOLYGON", .polygon), ("MULTISURFACE", .polygon), ("POLYHEDRALSURFACE", .polygon),
      ("TIN", .polygon), ("TRIANGLE", .polygon),
    ]
    for (word, kind) in kinds {
      var position = start
      guard consume(word, bytes, &position) else { continue }
      let isEmpty = bytes[position...].contains { $0 | 0x20 == UInt8(ascii: "e") }
      return isEmpty && !bytes[position...].contains(UInt8(ascii: "(")) ? .missing : kind
    }
    return .missing
  }

  /// Skips an upper-case word if the text continues with the word, ignoring case.
  private static func consume(
    _ word: StaticString, _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int
  ) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count {
      let (byte, wanted) = (bytes[position + index], word.utf8Start[index])
      if byte.lowercasedASCII != wanted.lowercasedASCII { return false }
    }
    position += count
    return true
  }

  private static func skipSpaces(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int
  ) {
    while position < bytes.count, isSpace(bytes[position]) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Reads the number at the position, up to a space, a comma or a parenthesis.
  private static func number(
    _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int
  ) -> Double? {
    skipSpaces(bytes, &position)
    let start = position
    while position < bytes.count, !isSpace(bytes[position]), bytes[position] != UInt8(ascii: ")"),
      bytes[position] != UInt8(ascii: ",")
    {
      position += 1
    }
    guard position > start,
      let number = NumberText.parse(UnsafeBufferPointer(rebasing: bytes[start..<position]))
    else {
      position = start
      return nil
    }
    return number
  }
}
