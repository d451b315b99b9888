#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Iterates over the lines of an input file and splits them into words.
///
/// Spaces, tabs and carriage returns separate words. `;` starts a comment, even within quotes. A
/// word that starts with a quote extends to the next quote, or to the end of the line.
struct EPANETLines {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The byte that ends a line: a line feed, or a carriage return if the file has no line feed.
  let lineEnd: UInt8
  /// The start of the next line.
  private(set) var position: Int
  let limit: Int
  /// The number of the current line. The first line is 1.
  private(set) var line: Int
  /// The current line without its line end.
  private(set) var content = 0..<0
  /// The words of the current line, without their quotes.
  private(set) var words: [Range<Int>] = []

  /// - Parameter line: the number of the line before the first line of the range.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, lineEnd: UInt8, after line: Int
  ) {
    self.bytes = bytes
    self.lineEnd = lineEnd
    position = range.lowerBound
    limit = range.upperBound
    self.line = line
  }

  /// The line end that a file uses.
  static func lineEnd(of bytes: UnsafeBufferPointer<UInt8>) -> UInt8 {
    bytes.contains(0x0A) ? 0x0A : 0x0D
  }

  /// Advances to the next line without splitting it into words. Returns false after the last line.
  mutating func nextLine() -> Bool {
    guard position < limit, let base = bytes.baseAddress else { return false }
    let found = memchr(base + position, Int32(lineEnd), limit - position)
    let end =
      found.map { UnsafeRawPointer(base).distance(to: UnsafeRawPointer($0)) } ?? limit
    content = position..<end
    position = min(limit, end + 1)
    line += 1
    return true
  }

  /// Advances to the next line that has a word, and splits the line. Returns false after the last
  /// line.
  mutating func nextWords() -> Bool {
    while nextLine() {
      splitIntoWords()
      if !words.isEmpty { return true }
    }
    return false
  }

  /// Splits the current line into words.
  mutating func splitIntoWords() {
    words.removeAll(keepingCapacity: true)
    var position = content.lowerBound
    let end = content.upperBound
    while position < end {
      let byte = bytes[position]
      if byte == UInt8(ascii: ";") { return }
      if Self.isBlank(byte) {
        position += 1
        continue
      }
      let isQuoted = byte == UInt8(ascii: "\"")
      if isQuoted { position += 1 }
      let start = position
      while position < end {
        let byte = bytes[position]
        if byte == UInt8(ascii: ";") { break }
        if isQuoted ? byte == UInt8(ascii: "\"") : Self.isBlank(byte) { break }
        position += 1
      }
      words.append(start..<position)
      if isQuoted, position < end, bytes[position] == UInt8(ascii: "\"") { position += 1 }
    }
  }

  /// The first byte of the current line that is not a space.
  var firstByte: Int? {
    var position = content.lowerBound
    while position < content.upperBound, Self.isBlank(bytes[position]) { position += 1 }
    return position < content.upperBound ? position : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }
}
