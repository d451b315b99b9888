import PlumbCore
import PlumbIO

/// The start of delimited text, up to its header.
struct DelimitedStart {
  /// The bytes read so far.
  private(set) var buffer = TrivialBuffer<UInt8>(count: 1 << 16)
  private(set) var count = 0
  private(set) var isAtEnd = false
  /// The delimiter that the caller or a `sep=` line specifies; nil if unknown.
  private(set) var delimiter: UInt8?
  /// The number of lines before the header, including comments.
  private(set) var lineCount = 0
  private(set) var commentCount = 0
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int

  /// The maximum length of the header row in bytes.
  static let longestHeader = 4 << 20

  init(
    delimiter: UInt8?, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    (self.delimiter, self.read) = (delimiter, read)
  }

  var text: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafePointer(buffer.base), count: count)
  }

  var hasByteOrderMark: Bool {
    count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
  }

  /// Reads up to the end of the header.
  ///
  /// Skips blank lines, a line `sep=;`, and comments, which start with `#`. If `isRecord` returns true for a
  /// line with `#`, the line is not a comment but the header or the first row.
  ///
  /// - Parameter allowsSpaces: whether spaces may be delimiters.
  /// - Returns: the range of the header with its line end.
  /// - Throws: if there is no header.
  mutating func header(
    allowsSpaces: Bool, _ isRecord: DelimitedReader.RecordTest?
  ) throws -> Range<Int> {
    while count < 3, !isAtEnd { try fill() }
    var start = hasByteOrderMark ? 3 : 0
    if start < count || !isAtEnd {
      let end = try lineEnd(from: start)
      if let named = DelimitedPreamble.separator(of: content(start..<end)) {
        (delimiter, start, lineCount) = (named, end, 1)
      }
    }
    while start < count || !isAtEnd {
      let end = try lineEnd(from: start)
      guard end > start else { break }
      let line = content(start..<end)
      let isComment =
        try DelimitedPreamble.isMarked(line)
        && !isFirstRecord(start..<end, allowsSpaces, isRecord)
      guard isComment || DelimitedPreamble.isBlank(line) else {
        return try start..<recordEnd(from: start)
      }
      if isComment { commentCount += 1 }
      lineCount += 1
      start = end
    }
    let what = commentCount > 0 ? "contains only comments" : "is empty"
    throw FormatError("the file of points \(what)")
  }

  /// Whether a line that starts with `#` is the header or the first row.
  private mutating func isFirstRecord(
    _ line: Range<Int>, _ allowsSpaces: Bool, _ isRecord: DelimitedReader.RecordTest?
  ) throws -> Bool {
    guard let isRecord else { return false }
    let nextEnd = try lineEnd(from: line.upperBound)
    let next = content(line.upperBound..<nextEnd)
    guard let names = try? fields(DelimitedPreamble.unmarked(content(line)), allowsSpaces),
      let nextFields = try? fields(DelimitedPreamble.unmarked(next), allowsSpaces)
    else { return false }
    return isRecord(names, nextFields)
  }

  private func fields(
    _ line: UnsafeBufferPointer<UInt8>, _ allowsSpaces: Bool
  ) throws(FormatError) -> [String] {
    try DelimitedHeader.names(
      line,
      delimiter: delimiter ?? DelimitedHeader.guessDelimiter(line, allowsSpaces: allowsSpaces))
  }

  // MARK: Lines

  /// A line without its line end.
  private func content(_ line: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    var end = line.upperBound
    if end > line.lowerBound, text[end - 1] == 0x0A { end -= 1 }
    if end > line.lowerBound, text[end - 1] == 0x0D { end -= 1 }
    return UnsafeBufferPointer(rebasing: text[line.lowerBound..<end])
  }

  /// The position after the line that starts at `start`.
  private mutating func lineEnd(from start: Int) throws -> Int {
    while true {
      let end = RecordScanner(text, delimiter: nil).lineEnd(from: start)
      if isAtEnd || end > start && text[end - 1] == 0x0A { return end }
      try fill(behind: start)
    }
  }

  /// The position after the record that starts at `start`, which may contain line ends within
  /// quotes.
  private mutating func recordEnd(from start: Int) throws -> Int {
    var progress = RecordScanner.Progress(position: start)
    while true {
      if RecordScanner(text, delimiter: delimiter).finish(&progress) { return progress.position }
      if isAtEnd { return count }
      try fill(behind: start)
    }
  }

  /// Reads more text.
  ///
  /// - Parameter start: the start of the incomplete line.
  private mutating func fill(behind start: Int = 0) throws {
    guard count - start < Self.longestHeader else {
      throw FormatError(
        "the first line is over \(Self.longestHeader >> 20) MB long; does the file have one "
          + "row per line?")
    }
    if count == buffer.count {
      let larger = TrivialBuffer<UInt8>(count: buffer.count * 4)
      larger.base.update(from: buffer.base, count: count)
      buffer = larger
    }
    let got = try read(
      UnsafeMutableRawBufferPointer(start: buffer.base + count, count: buffer.count - count))
    count += got
    isAtEnd = got == 0
    try refuseWideEncodings()
  }

  private func refuseWideEncodings() throws(FormatError) {
    guard count >= 2 else { return }
    let isMarked = text[0] == 0xFF && text[1] == 0xFE || text[0] == 0xFE && text[1] == 0xFF
    let isBare = count >= 4 && (text[1] == 0 || text[0] == 0)
    if isMarked || isBare {
      throw FormatError("the file of points is UTF-16 or UTF-32 text; save it as UTF-8")
    }
  }
}

extension DelimitedHeader {
  /// Reads a header row.
  ///
  /// - Parameters:
  ///   - line: the header row, with or without its line end. A `#` at its start is not part of the first
  ///     name.
  ///   - delimiter: the delimiter; nil to infer it.
  ///   - allowsSpaces: whether the delimiter may be inferred as spaces.
  /// - Throws: `limit` if there are more than `maximumColumns` columns.
  package init(
    row line: UnsafeBufferPointer<UInt8>, delimiter: UInt8?, allowsSpaces: Bool = false
  ) throws(FormatError) {
    var content = line.count
    var lineEnd: [UInt8] = [0x0A]
    if content > 0, line[content - 1] == 0x0A { content -= 1 }
    if content > 0, line[content - 1] == 0x0D {
      content -= 1
      lineEnd = [0x0D, 0x0A]
    }
    let row = UnsafeBufferPointer(rebasing: line[..<content])
    if row.contains(0x0D), !row.contains(UInt8(ascii: "\"")) {
      throw FormatError("lines end in a bare carriage return; save the file with newlines")
    }
    let names = DelimitedPreamble.unmarked(row)
    let delimiter = delimiter ?? Self.guessDelimiter(names, allowsSpaces: allowsSpaces)
    self.init(
      delimiter: delimiter,
      names: try Self.names(names, delimiter: delimiter),
      bytes: Array(row), lineEnd: lineEnd, hasByteOrderMark: false,
      lineCount: 1 + row.count { $0 == 0x0A })
  }

  /// Returns the fields of a header row, unquoted and trimmed.
  fileprivate static func names(
    _ row: UnsafeBufferPointer<UInt8>, delimiter: UInt8
  ) throws(FormatError) -> [String] {
    let isBlank: (UInt8) -> Bool = { $0 == space || $0 == 0x09 }
    let separators =
      delimiter == space
      ? zip(row, row.dropFirst()).count { isBlank($0) && !isBlank($1) }
      : row.count { $0 == delimiter }
    guard separators < maximumColumns else {
      throw FormatError(
        "the header has more than \(maximumColumns) columns; is this a table?", code: .limit)
    }
    return DelimitedRow.fields(row, delimiter: delimiter).map { $0.trimmingSpaces() }
  }
}

extension String {
  func trimmingSpaces() -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}
