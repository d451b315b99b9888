import PlumbCore
import PlumbIO

/// Scans well-known text as bytes.
struct WKTScanner {
  enum Shape: String {
    case point = "POINT"
    case multipoint = "MULTIPOINT"
    case linestring = "LINESTRING"
    case multilinestring = "MULTILINESTRING"
    case polygon = "POLYGON"
    case multipolygon = "MULTIPOLYGON"
    case geometrycollection = "GEOMETRYCOLLECTION"
    // Types that may contain arcs. They are read only if all of their parts are straight.
    case compoundcurve = "COMPOUNDCURVE"
    case curvepolygon = "CURVEPOLYGON"
    case multicurve = "MULTICURVE"
    case multisurface = "MULTISURFACE"

    /// The kind of geometry; nil for a collection.
    var kind: ShapeBuilder.Kind? {
      switch self {
      case .point, .multipoint: .points
      case .linestring, .multilinestring, .compoundcurve, .multicurve: .lines
      case .polygon, .multipolygon, .curvepolygon, .multisurface: .areas
      case .geometrycollection: nil
      }
    }
  }

  struct Tag {
    var shape: Shape
    var hasZ: Bool
    var hasM: Bool
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes.bindMemory(to: UInt8.self)
  }

  /// The start of the next token.
  var offset: Int {
    mutating get {
      _ = peek()
      return position
    }
  }

  mutating func isAtEnd() -> Bool { peek() == nil }

  func fault(_ message: String) -> FormatError { FormatError("WKT: " + message, offset: position) }

  /// The first byte of the next token; nil at the end.
  private mutating func peek() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  /// Whether the next token starts with a byte.
  mutating func isAt(_ byte: UInt8) -> Bool { peek() == byte }

  /// Skips a byte if the next token starts with it.
  mutating func consume(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  mutating func expect(_ byte: UInt8) throws(FormatError) {
    guard consume(byte) else {
      throw fault(
        isAtEnd()
          ? "the text ends too early" : "\(Character(Unicode.Scalar(byte))) was expected")
    }
  }

  /// Returns whether another element of a list follows; false after the end of the list.
  mutating func hasNext() throws(FormatError) -> Bool {
    if consume(UInt8(ascii: ",")) { return true }
    try expect(UInt8(ascii: ")"))
    return false
  }

  /// Reads `EMPTY` or a list in parentheses, and calls `read` for each element.
  mutating func readList(
    _ read: (inout WKTScanner) throws(FormatError) -> Void
  ) throws(FormatError) {
    if try readEmpty() { return }
    try expect(UInt8(ascii: "("))
    repeat { try read(&self) } while try hasNext()
  }

  // MARK: Words

  /// Reads the next letters, in upper case. A word of WKT has at most 30 letters.
  private mutating func readWord() -> String {
    var word: [UInt8] = []
    _ = peek()
    while position < bytes.count, word.count <= 30 {
      let letter = bytes[position] & 0xDF
      guard letter >= UInt8(ascii: "A"), letter <= UInt8(ascii: "Z") else { break }
      word.append(letter)
      position += 1
    }
    return String(decoding: word, as: UTF8.self)
  }

  /// Skips `EMPTY` if it is the next word, and returns whether it was skipped.
  mutating func readEmpty() throws(FormatError) -> Bool {
    guard let byte = peek(), byte & 0xDF == UInt8(ascii: "E") else { return false }
    let start = self
    guard readWord() == "EMPTY" else { throw start.fault("( or EMPTY was expected") }
    return true
  }

  /// Reads `SRID=n;` if it is next in the text.
  mutating func readCode() throws(FormatError) -> Int? {
    let start = self
    guard readWord() == "SRID" else {
      self = start
      return nil
    }
    try expect(UInt8(ascii: "="))
    _ = peek()
    let digits = position
    while position < bytes.count, bytes[position] &- 48 < 10 { position += 1 }
    let text = String(
      decoding: UnsafeBufferPointer(rebasing: bytes[digits..<position]), as: UTF8.self)
    guard let code = Int32(text) else { throw start.fault("an SRID must be a whole number") }
    try expect(UInt8(ascii: ";"))
    return Int(code)
  }

  /// Reads a type such as `POINT`, `POINT Z` or `POINTZM`.
  mutating func readTag() throws(FormatError) -> Tag {
    _ = peek()
    let start = self
    let word = readWord()
    if let shape = Shape(rawValue: word) {
      let before = self
      switch readWord() {
      case "Z": return Tag(shape: shape, hasZ: true, hasM: false)
      case "M": return Tag(shape: shape, hasZ: false, hasM: true)
      case "ZM": return Tag(shape: shape, hasZ: true, hasM: true)
      default:
        self = before
        return Tag(shape: shape, hasZ: false, hasM: false)
      }
    }
    for (suffix, hasZ, hasM) in [("ZM", true, true), ("Z", true, false), ("M", false, true)] {
      guard word.hasSuffix(suffix), let shape = Shape(rawValue: String(word.dropLast(suffix.count)))
      else { continue }
      return Tag(shape: shape, hasZ: hasZ, hasM: hasM)
    }
    let curves: Set<String> = ["CIRCULARSTRING", "POLYHEDRALSURFACE", "TIN", "TRIANGLE"]
    throw start.fault(
      word.isEmpty
        ? "a geometry such as POINT (1 2) was expected"
        : curves.contains(word)
          ? "\(word) is not supported; use points, lines or polygons without curves"
          : "\(word.excerpt) is not a geometry type")
  }

  // MARK: Numbers

  /// Whether the next token is a number instead of the end of the vertex.
  mutating func isAtNumber() -> Bool {
    guard let byte = peek() else { return false }
    return byte != UInt8(ascii: ",") && byte != UInt8(ascii: ")")
  }

  /// Reads a number, which must be finite, or may be NaN if `orNaN` is true.
  mutating func readNumber(orNaN: Bool) throws(FormatError) -> Double {
    guard peek() != nil else { throw fault("the text ends too early") }
    let start = position
    scan: while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"):
        break scan
      default: position += 1
      }
    }
    let literal = UnsafeBufferPointer(rebasing: bytes[start..<position])
    if let value = NumberText.parse(literal) { return value }
    if orNaN, literal.elementsEqual("NaN".utf8, by: { $0 | 0x20 == $1 | 0x20 }) { return .nan }
    let text = String(decoding: literal.prefix(200), as: UTF8.self)
    position = start
    throw fault(text.isEmpty ? "a number was expected" : "\(text.excerpt) is not a finite number")
  }
}
