/// The format of a delimited file and its first row.
public struct DelimitedHeader: Sendable {
  /// The byte that separates fields. A space represents any run of spaces and tabs.
  public var delimiter: UInt8
  /// Column names, unquoted and trimmed. They are generated if there is no header row.
  public var names: [String]
  /// Whether the first row contains the column names.
  public var isPresent = true
  /// The header row's bytes without its line end.
  public var bytes: [UInt8]
  /// `\n` or `\r\n`.
  public var lineEnd: [UInt8]
  /// Whether a byte order mark precedes the header.
  public var hasByteOrderMark: Bool
  /// The number of lines before the first row, including the preamble and the header.
  public var lineCount: Int

  package init(
    delimiter: UInt8, names: [String], bytes: [UInt8], lineEnd: [UInt8], hasByteOrderMark: Bool,
    lineCount: Int
  ) {
    (self.delimiter, self.names, self.bytes) = (delimiter, names, bytes)
    (self.lineEnd, self.hasByteOrderMark) = (lineEnd, hasByteOrderMark)
    self.lineCount = lineCount
  }

  /// The maximum number of columns. It limits memory, because each name takes much more memory than
  /// its text.
  package static let maximumColumns = 65_536

  package static let delimiters: [UInt8] = [
    UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|"),
  ]
  /// The delimiter for fields separated by runs of spaces and tabs.
  public static let space: UInt8 = 0x20

  /// Returns the delimiter that occurs most often outside quotes. If several occur equally often,
  /// returns the first of comma, semicolon, tab and bar.
  ///
  /// - Parameter allowsSpaces: whether spaces between words are the delimiter if none of these four
  ///   delimiters occurs.
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
    let maximum = counts.max() ?? 0
    if maximum == 0, allowsSpaces, wordAfterSpace { return space }
    return delimiters[counts.firstIndex(of: maximum) ?? 0]
  }
}
