#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds the ends of records. An opening quote must be at the start of a field. Newlines within
/// quotes belong to the field.
///
/// The scanner applies the same rules as `DelimitedField`, but it can stop at the end of the text
/// and continue when more text is available. It is also faster, because it finds only the ends of
/// records and not each field.
package struct RecordScanner {
  package let text: UnsafeBufferPointer<UInt8>
  /// The delimiter; nil while it is unknown. If it is unknown, a field may start after any of the
  /// usual delimiters.
  package let delimiter: UInt8?

  package init(_ text: UnsafeBufferPointer<UInt8>, delimiter: UInt8?) {
    self.text = text
    self.delimiter = delimiter
  }

  /// The state of a scan within a record. The scan continues from this state when more text is
  /// available.
  package struct Progress {
    package var position: Int
    var isFieldStart = true
    var isQuoted = false

    package init(position: Int) { self.position = position }
  }

  package var hasQuotes: Bool {
    guard let base = text.baseAddress else { return false }
    return memchr(base, Int32(UInt8(ascii: "\"")), text.count) != nil
  }

  /// The position after the last newline; 0 if there is none.
  package var lastLineEnd: Int {
    var position = text.count
    while position > 0, text[position - 1] != 0x0A { position -= 1 }
    return position
  }

  /// The position after the next newline, or the end of the text.
  package func lineEnd(from start: Int) -> Int {
    guard let base = text.baseAddress, start < text.count,
      let found = memchr(base + start, 0x0A, text.count - start)
    else { return text.count }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found)) + 1
  }

  /// The position after the record that starts at `start`, and whether the record ends with a
  /// newline.
  package func record(from start: Int) -> (end: Int, isTerminated: Bool) {
    var progress = Progress(position: start)
    let isTerminated = finish(&progress)
    return (isTerminated ? progress.position : text.count, isTerminated)
  }

  /// Continues the search for the end of the record.
  ///
  /// - Returns: whether the record's newline was found. If so, the position is after the newline.
  package func finish(_ progress: inout Progress) -> Bool {
    switch delimiter {
    // The delimiter space also represents tabs.
    case DelimitedHeader.space?: finish(&progress) { $0 == 0x20 || $0 == 0x09 }
    case let known?: finish(&progress) { $0 == known }
    case nil: finish(&progress) { DelimitedHeader.delimiters.contains($0) }
    }
  }

  @inline(__always)
  private func finish(_ progress: inout Progress, _ isDelimiter: (UInt8) -> Bool) -> Bool {
    var (position, isFieldStart) = (progress.position, progress.isFieldStart)
    var isQuoted = progress.isQuoted
    defer {
      (progress.position, progress.isFieldStart) = (position, isFieldStart)
      progress.isQuoted = isQuoted
    }
    while position < text.count {
      if isQuoted {
        guard text[position] == UInt8(ascii: "\"") else {
          position = nextQuote(from: position)
          continue
        }
        // The byte after the quote determines whether the quote is doubled or closes the field.
        guard position + 1 < text.count else { return false }
        if text[position + 1] == UInt8(ascii: "\"") {
          position += 2
        } else {
          position += 1
          (isQuoted, isFieldStart) = (false, false)
        }
        continue
      }
      if isFieldStart, text[position] == UInt8(ascii: "\"") {
        isQuoted = true
        position += 1
        continue
      }
      var byte = text[position]
      while byte != 0x0A, !isDelimiter(byte) {
        isFieldStart = false
        position += 1
        guard position < text.count else { return false }
        byte = text[position]
      }
      position += 1
      isFieldStart = true
      if byte == 0x0A { return true }
    }
    return false
  }

  /// The position of the next quote, or the end of the text.
  private func nextQuote(from start: Int) -> Int {
    guard let base = text.baseAddress,
      let found = memchr(base + start, Int32(UInt8(ascii: "\"")), text.count - start)
    else { return text.count }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }
}
