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

  /// How far a record has been looked at, so that more text can follow.
  struct Progress {
    var position: Int
    var isFieldStart = true
    var isQuoted = false
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
    var progress = Progress(position: start)
    let isTerminated = finish(&progress)
    return (isTerminated ? progress.position : text.count, isTerminated)
  }

  /// Looks for the record's end from where it was left off.
  ///
  /// - Returns: whether its newline is there; the position is behind it then.
  func finish(_ progress: inout Progress) -> Bool {
    var position = progress.position
    defer { progress.position = position }
    while position < text.count {
      let byte = text[position]
      if progress.isQuoted {
        guard byte == UInt8(ascii: "\"") else {
          position = nextQuote(from: position)
          continue
        }
        // What follows the quote decides what it is.
        guard position + 1 < text.count else { return false }
        if text[position + 1] == UInt8(ascii: "\"") {
          position += 2
        } else {
          position += 1
          (progress.isQuoted, progress.isFieldStart) = (false, false)
        }
        continue
      }
      position += 1
      if byte == UInt8(ascii: "\""), progress.isFieldStart {
        progress.isQuoted = true
        continue
      }
      if byte == 0x0A { return true }
      progress.isFieldStart = isDelimiter(byte)
    }
    return false
  }

  /// The position of the next quote, or the text's end.
  private func nextQuote(from start: Int) -> Int {
    guard let base = text.baseAddress,
      let found = memchr(base + start, Int32(UInt8(ascii: "\"")), text.count - start)
    else { return text.count }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    guard let delimiter else { return DelimitedHeader.delimiters.contains(byte) }
    return byte == delimiter || delimiter == DelimitedHeader.space && byte == 0x09
  }
}
