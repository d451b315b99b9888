/// How a delimited file is written, and its first row.
public struct DelimitedHeader: Sendable {
  /// The byte between fields; a space stands for any run of spaces and tabs.
  public var delimiter: UInt8
  /// Column names, unquoted and trimmed; made up when there is no header row.
  public var names: [String]
  /// Whether the first row names the columns.
  public var isPresent = true
  /// The header row's bytes without its line end.
  public var bytes: [UInt8]
  /// `\n` or `\r\n`.
  public var lineEnd: [UInt8]
  /// A byte order mark that stood before the header.
  public var hasByteOrderMark: Bool
  /// Lines before the first row: the header's, and those of what stands before it.
  public var lineCount: Int

  package init(
    delimiter: UInt8, names: [String], bytes: [UInt8], lineEnd: [UInt8], hasByteOrderMark: Bool,
    lineCount: Int
  ) {
    (self.delimiter, self.names, self.bytes) = (delimiter, names, bytes)
    (self.lineEnd, self.hasByteOrderMark) = (lineEnd, hasByteOrderMark)
    self.lineCount = lineCount
  }

  package static let delimiters: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|"),
  ]
  /// Fields between runs of spaces and tabs.
  public static let space: UInt8 = 0x20

  /// The delimiter that occurs most often outside quotes; a tie goes to comma, semicolon, tab, bar.
  ///
  /// - Parameter allowsSpaces: whether spaces between words are delimiters where there is no other.
  package static func guessDelimiter(
    _ bytes: UnsafeBufferPointer<UInt8>, allowsSpaces: Bool = false
  ) -> UInt8 {
    var counts = [Int](repeating: 0, count: delimiters.count)
    var isQuoted = false
    var hasSpace = false
    var hasWord = false
    var wordAfterSpace = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if let index = delimiters.firstIndex(of: byte) { counts[index] += 1 }
      if byte == space {
        hasSpace = hasWord
      } else {
        wordAfterSpace = wordAfterSpace || hasSpace
        hasWord = true
      }
    }
    let most = counts.max() ?? 0
    if most == 0, allowsSpaces, wordAfterSpace { return space }
    return delimiters[counts.firstIndex(of: most) ?? 0]
  }
}
