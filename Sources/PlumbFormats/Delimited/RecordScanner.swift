#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds where records end. A quote opens only at the start of a field, and newlines within quotes
/// belong to the field.
struct RecordScanner {
  let text: UnsafeBufferPointer<UInt8>
  /// Nil while it is not known: any of the usual ones starts a field.
  let delimiter: UInt8?

  init(_ text: UnsafeBufferPointer<UInt8>, delimiter: UInt8?) {
    self.text = text
    self.delimiter = delimiter
  }

  var hasQuotes: Bool {
    guard let base = text.baseAddress else { return false }
    return memchr(base, Int32(UInt8(ascii: "\"")), text.count) != nil
  }

  /// The position after the last newline; 0 when there is none.
  var lastLineEnd: Int {
    var position = text.count
    while position > 0, text[position - 1] != 0x0A { position -= 1 }
    return position
  }

  /// The position after the next newline, or the text's end.
  func lineEnd(from start: Int) -> Int {
    guard let base = text.baseAddress, start < text.count,
      let found = memchr(base + start, 0x0A, text.count - start)
    else { return text.count }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found)) + 1
  }

  /// The position after the record that starts at `start`, and whether its newline is there.
  func record(from start: Int) -> (end: Int, isTerminated: Bool) {
    var position = start
    var isFieldStart = true
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\""), isFieldStart {
        position += 1
        var isClosed = false
        while position < text.count {
          if text[position] == UInt8(ascii: "\"") {
            if position + 1 < text.count, text[position + 1] == UInt8(ascii: "\"") {
              position += 2
              continue
            }
            isClosed = true
            position += 1
            break
          }
          position += 1
        }
        if !isClosed { return (text.count, false) }
        isFieldStart = false
        continue
      }
      position += 1
      if byte == 0x0A { return (position, true) }
      isFieldStart = isDelimiter(byte)
    }
    return (text.count, false)
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    if let delimiter { return byte == delimiter }
    return DelimitedHeader.delimiters.contains(byte)
  }
}
