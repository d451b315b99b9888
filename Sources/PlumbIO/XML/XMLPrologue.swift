import PlumbCore

/// Checks the text before the root element of XML, because parsers accept entity declarations only
/// there.
///
/// The text is decoded from UTF-16 and UTF-32 and read character by character, as in a parser,
/// with a window of fixed size. A construct that this type does not support is a fault, because it
/// is not known which parser will read the file.
package struct XMLPrologue {
  /// A function that fills a buffer with the next bytes and returns their number; 0 at the end.
  package typealias Source = (UnsafeMutableRawBufferPointer) -> Int

  /// The maximum length of an entity's text in code units. Each reference to an entity has only a
  /// few characters but inserts the whole text, so longer entities could expand a small document to
  /// a huge one.
  private static let entityLimit = 1024
  private static let windowSize = 1 << 12

  package struct Finding: Hashable, Sendable {
    /// The reason why the file must not be parsed, as a clause; nil for safe XML, and for a file
    /// that is not XML.
    package var fault: String?
    /// Whether the DOCTYPE refers to an external DTD, which some parsers fetch.
    package var namesDeclarations = false
  }

  /// Checks a file up to its first element.
  ///
  /// - Parameter limit: the maximum number of bytes before the element.
  package static func look(limit: Int = 64 << 20, _ read: Source) -> Finding {
    withoutActuallyEscaping(read) { read in
      var prologue = XMLPrologue(read, limit)
      let fault = prologue.fault()
      return Finding(fault: fault, namesDeclarations: prologue.namesDeclarations)
    }
  }

  private struct Fault: Error { var clause: String }

  private enum Width: Int { case one = 1, two = 2, four = 4 }

  private let read: Source
  private let limit: Int
  private var window: [UInt8]
  private var (position, end) = (0, 0)
  private var isAtEnd = false
  private var length = 0
  private var width = Width.one
  private var isBigEndian = false
  /// Whether the XML declaration specifies an encoding with a different character width.
  private var isContradicted = false
  /// The next character; nil at the end. Characters beyond ASCII are represented by 0x80.
  private var next: UInt8?
  private var namesDeclarations = false

  private init(_ read: @escaping Source, _ limit: Int) {
    (self.read, self.limit) = (read, limit)
    window = [UInt8](repeating: 0, count: Self.windowSize)
  }

  // MARK: Characters

  private mutating func fill() {
    guard !isAtEnd else { return }
    // A character may span two windows.
    let rest = end - position
    for index in 0..<rest { window[index] = window[position + index] }
    let count = window.withUnsafeMutableBytes { bytes in
      read(UnsafeMutableRawBufferPointer(rebasing: bytes[rest...]))
    }
    (position, end) = (0, rest + max(0, count))
    if count <= 0 { isAtEnd = true }
  }

  private mutating func advance() throws(Fault) {
    while end - position < width.rawValue, !isAtEnd { fill() }
    guard end - position >= width.rawValue else {
      next = nil
      return
    }
    length += width.rawValue
    guard length <= limit else {
      throw Fault(clause: "more than \(limit) bytes precede its first element")
    }
    var letter: UInt32 = 0
    for index in 0..<width.rawValue {
      let byte = UInt32(window[position + index])
      letter = isBigEndian ? letter << 8 | byte : letter | byte << (8 * UInt32(index))
    }
    position += width.rawValue
    next = letter < 0x80 ? UInt8(letter) : 0x80
  }

  /// Skips one character if it is `letter`.
  private mutating func consume(_ letter: UInt8) throws(Fault) -> Bool {
    guard next == letter else { return false }
    try advance()
    return true
  }

  private mutating func skipBlanks() throws(Fault) {
    while let letter = next, Self.isBlank(letter) { try advance() }
  }

  private static func isBlank(_ letter: UInt8) -> Bool {
    letter == 0x20 || letter == 0x09 || letter == 0x0A || letter == 0x0D
  }

  /// Reads the characters up to whitespace or a punctuation mark.
  private mutating func word() throws(Fault) -> String {
    var word: [UInt8] = []
    while let letter = next,
      letter.isAlphanumericASCII || "-._:".utf8.contains(letter)
        || letter == 0x80
    {
      if word.count < 64 { word.append(letter == 0x80 ? UInt8(ascii: "?") : letter) }
      try advance()
    }
    return String(decoding: word, as: UTF8.self)
  }

  /// Skips all characters up to and including a mark, such as `?>` or `-->`. The first two
  /// characters of a mark of three characters must be equal.
  private mutating func skip(to mark: StaticString) throws(Fault) {
    let bytes = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
    var matched = 0
    while let letter = next {
      try advance()
      if letter == bytes[matched] {
        matched += 1
        if matched == bytes.count { return }
      } else if letter == bytes[0] {
        // In `--->`, the last three characters are the mark.
        matched = bytes.count == 3 && matched == 2 ? 2 : 1
      } else {
        matched = 0
      }
    }
    throw Fault(clause: "the text before its first element does not end")
  }

  /// Skips a quoted string.
  private mutating func skipQuoted(_ quote: UInt8) throws(Fault) {
    try advance()
    while let letter = next {
      try advance()
      if letter == quote { return }
    }
    throw Fault(clause: "a quoted string does not end")
  }

  // MARK: The document

  private mutating func fault() -> String? {
    do throws(Fault) {
      fill()
      guard try findEncoding() else { return nil }
      guard try !findElement(), isContradicted else { return nil }
      // A parser that uses the declared encoding may read different characters.
      return "its XML declaration does not match its encoding"
    } catch {
      return error.clause
    }
  }

  /// Reads up to the first element.
  ///
  /// - Returns: whether there is an element.
  private mutating func findElement() throws(Fault) -> Bool {
    var isFirst = true
    while true {
      try skipBlanks()
      // Parsers report an error if text precedes the first element.
      guard try consume(UInt8(ascii: "<")) else { return false }
      if try consume(UInt8(ascii: "?")) {
        try instruction(isFirst: isFirst)
      } else if try consume(UInt8(ascii: "!")) {
        guard try declaration() else { return false }
      } else {
        return next.map { $0.isAlphanumericASCII || $0 == UInt8(ascii: "_") || $0 == 0x80 } ?? false
      }
      isFirst = false
    }
  }

  /// Detects the width of a character from the byte order mark or from the zero bytes in the first
  /// character.
  ///
  /// - Returns: whether the first character opens an element.
  private mutating func findEncoding() throws(Fault) -> Bool {
    while end < 4, !isAtEnd { fill() }
    let start = (0..<4).map { $0 < end ? window[$0] : 0xFF }
    if start == [0x4C, 0x6F, 0xA7, 0x94] { throw Fault(clause: "its encoding is not known") }
    switch (start[0], start[1], start[2], start[3]) {
    case (0, 0, 0xFE, 0xFF), (0, 0, 0, 1...): (width, isBigEndian) = (.four, true)
    case (0xFF, 0xFE, 0, 0), (1..., 0, 0, 0): width = .four
    case (0xFE, 0xFF, _, _), (0, 1..., _, _): (width, isBigEndian) = (.two, true)
    case (0xFF, 0xFE, _, _), (1..., 0, _, _): width = .two
    default: break
    }
    let marks: Set<UInt8> = [0, 0xFF, 0xFE, 0xEF, 0xBB, 0xBF]
    if width == .one {
      while position < end, marks.contains(window[position]) { position += 1 }
    }
    try advance()
    // Skip the byte order mark, which may be repeated.
    while width != .one, next == 0x80, position < 32 { try advance() }
    try skipBlanks()
    return next == UInt8(ascii: "<")
  }

  /// Skips `<?…?>`. The first of these instructions may declare the encoding.
  private mutating func instruction(isFirst: Bool) throws(Fault) {
    let target = try word()
    if isFirst, target.lowercasedASCII == "xml" {
      while let letter = next, letter != UInt8(ascii: "?") {
        if Self.isBlank(letter) || letter == UInt8(ascii: "=") {
          try advance()
          continue
        }
        if letter == UInt8(ascii: "\"") || letter == UInt8(ascii: "'") {
          try skipQuoted(letter)
          continue
        }
        let name = try word()
        guard !name.isEmpty else { throw Fault(clause: "its XML declaration is not understood") }
        if name.lowercasedASCII == "encoding" { try checkEncoding() }
      }
    }
    try skip(to: "?>")
  }

  /// The known encodings by character width. In any other encoding, the characters of declarations
  /// may have bytes that differ from those in ASCII.
  private static let names: [Width: Set<String>] = [
    .one: [
      "utf-8", "utf8", "us-ascii", "ascii", "koi8-r", "koi8-u", "macintosh", "tis-620",
      "shift_jis", "shift-jis", "sjis", "windows-31j", "cp932", "euc-jp", "euc-kr", "gb2312", "gbk",
      "gb18030", "big5", "big5-hkscs", "latin1", "latin-1",
    ],
    .two: ["utf-16", "utf-16le", "utf-16be", "utf16", "iso-10646-ucs-2", "ucs-2", "unicode"],
    .four: ["utf-32", "utf-32le", "utf-32be", "utf32", "iso-10646-ucs-4", "ucs-4"],
  ]

  private mutating func checkEncoding() throws(Fault) {
    while let letter = next, Self.isBlank(letter) || letter == UInt8(ascii: "=") { try advance() }
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw Fault(clause: "its XML declaration is not understood")
    }
    try advance()
    let name = try word().lowercasedASCII
    guard try consume(quote) else { throw Fault(clause: "its XML declaration is not understood") }
    let isNumbered = ["iso-8859-", "iso8859-", "iso_8859-", "windows-125", "cp125", "koi8-"]
      .contains { name.hasBytes(atStart: $0) }
    let declared =
      isNumbered ? .one : Self.names.first { $0.value.contains(name) }?.key
    guard let declared else { throw Fault(clause: "its encoding is not known: \(name.printable)") }
    // The detected width takes precedence, because parsers use it or report an error.
    isContradicted = declared != width
  }

  /// Reads `<!…`, which is a comment or a DOCTYPE.
  ///
  /// - Returns: whether parsers continue after the declaration.
  private mutating func declaration() throws(Fault) -> Bool {
    if try consume(UInt8(ascii: "-")) {
      guard try consume(UInt8(ascii: "-")) else { return false }
      try skip(to: "-->")
      return true
    }
    guard try word().lowercasedASCII.hasBytes(atStart: "doctype") else { return false }
    while let letter = next {
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        namesDeclarations = true
        try skipQuoted(letter)
      case UInt8(ascii: "["):
        try advance()
        try subset()
      case UInt8(ascii: ">"):
        try advance()
        return true
      case UInt8(ascii: "<"): throw Fault(clause: "its DOCTYPE is not understood")
      default: try advance()
      }
    }
    throw Fault(clause: "its DOCTYPE does not end")
  }

  /// Checks the declarations in a DOCTYPE, up to and including the `]` after them.
  private mutating func subset() throws(Fault) {
    while true {
      try skipBlanks()
      if try consume(UInt8(ascii: "]")) { return }
      guard try consume(UInt8(ascii: "<")) else {
        throw Fault(
          clause: next == UInt8(ascii: "%")
            ? "it is XML with parameter entities" : "its DOCTYPE is not understood")
      }
      if try consume(UInt8(ascii: "?")) {
        try skip(to: "?>")
        continue
      }
      guard try consume(UInt8(ascii: "!")) else {
        throw Fault(clause: "its DOCTYPE is not understood")
      }
      if try consume(UInt8(ascii: "-")) {
        guard try consume(UInt8(ascii: "-")) else {
          throw Fault(clause: "its DOCTYPE is not understood")
        }
        try skip(to: "-->")
        continue
      }
      switch try word().lowercasedASCII {
      case "entity": try entity()
      case "element", "attlist", "notation": try skipDeclaration()
      default: throw Fault(clause: "its DOCTYPE is not understood")
      }
    }
  }

  private mutating func skipDeclaration() throws(Fault) {
    while let letter = next {
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipQuoted(letter)
      case UInt8(ascii: ">"):
        try advance()
        return
      case UInt8(ascii: "%"), UInt8(ascii: "<"):
        throw Fault(clause: "its DOCTYPE is not understood")
      default: try advance()
      }
    }
    throw Fault(clause: "its DOCTYPE does not end")
  }

  /// Checks the part of an entity declaration after `<!ENTITY`.
  private mutating func entity() throws(Fault) {
    try skipBlanks()
    guard next != UInt8(ascii: "%") else {
      throw Fault(clause: "it is XML with parameter entities")
    }
    _ = try word()
    try skipBlanks()
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw Fault(clause: "it is XML with an external entity")
    }
    try advance()
    var count = 0
    while let letter = next {
      try advance()
      if letter == quote {
        try skipDeclaration()
        return
      }
      count += 1
      guard count <= Self.entityLimit else {
        throw Fault(clause: "it is XML with an entity of more than \(Self.entityLimit) characters")
      }
      let isReference =
        try letter == UInt8(ascii: "&") ? !isPlainReference() : letter == UInt8(ascii: "%")
      if isReference {
        throw Fault(
          clause: "it is XML with nested entities, which may expand without limit")
      }
    }
    throw Fault(clause: "its DOCTYPE does not end")
  }

  /// Whether the text after `&` is a reference to a predefined entity, or to a character that does
  /// not begin another reference.
  private mutating func isPlainReference() throws(Fault) -> Bool {
    guard try consume(UInt8(ascii: "#")) else {
      let name = try word()
      guard try consume(UInt8(ascii: ";")) else { return false }
      return ["lt", "gt", "amp", "apos", "quot"].contains { $0.hasSameBytes(as: name) }
    }
    let text = try word()
    guard try consume(UInt8(ascii: ";")) else { return false }
    let isHexadecimal = text.utf8.first == UInt8(ascii: "x")
    let code = isHexadecimal ? UInt32(text.dropFirst(), radix: 16) : UInt32(text)
    return code.map { $0 != 0x26 && $0 != 0x25 } ?? false
  }
}
