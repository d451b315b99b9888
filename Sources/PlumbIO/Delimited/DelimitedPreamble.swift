/// Lines before the header of delimited text: a line such as `sep=;`, which Excel reads and writes,
/// and comments, which begin with `#`.
package enum DelimitedPreamble {
  /// The delimiter of a `sep=` line; nil for any other line.
  ///
  /// - Parameter line: the line without its line end.
  package static func separator(of line: UnsafeBufferPointer<UInt8>) -> UInt8? {
    var line = trimmed(line)
    let quote = UInt8(ascii: "\"")
    if line.count > 2, line.first == quote, line.last == quote {
      line = line.dropFirst().dropLast()
    }
    let word = Array("sep=".utf8)
    guard line.count == word.count + 1, let delimiter = line.last,
      zip(line, word).allSatisfy({ $0.lowercasedASCII == $1 })
    else { return nil }
    let isWord = delimiter.isAlphanumericASCII || delimiter >= 0x80
    return isWord || delimiter == quote || delimiter == 0x0D ? nil : delimiter
  }

  /// Whether a line begins with `#`. Such a line is a comment, unless it is the header or the first
  /// row.
  package static func isMarked(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#")
  }

  /// A header line without its leading `#` and blanks.
  package static func unmarked(
    _ line: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    guard isMarked(line) else { return line }
    return UnsafeBufferPointer(
      rebasing: line.drop { $0 == UInt8(ascii: "#") || $0 == 0x20 || $0 == 0x09 })
  }

  package static func isBlank(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
  }

  private static func trimmed(
    _ line: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    var line = line[...]
    // A trailing tab is kept, because it may be the delimiter.
    while let last = line.last, last == 0x0D || last == 0x20 && line.count > 5 { line.removeLast() }
    return line
  }
}
