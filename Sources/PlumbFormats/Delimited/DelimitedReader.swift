import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whole records of a delimited file, cut where each part can be parsed on its own.
public final class DelimitedBlock: Sendable {
  /// The text of the records, line ends among them.
  public let bytes: TrivialBuffer<UInt8>
  /// Consecutive ranges of `bytes`, each of whole records.
  public let parts: [Range<Int>]

  init(bytes: TrivialBuffer<UInt8>, parts: [Range<Int>]) {
    self.bytes = bytes
    self.parts = parts
  }
}

/// Streams comma-, semicolon-, tab- and space-separated text (RFC 4180, quotes with newlines among
/// them) in blocks of whole records.
public final class DelimitedReader {
  /// The columns, and how the file is written.
  public private(set) var header: DelimitedHeader
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let measure: () -> Int
  /// What `measure` said behind the block that was handed out last, whatever has been read since.
  public private(set) var position: Int
  private let readsAhead: Bool
  /// The block that comes next, while it is read.
  private var ahead: BackgroundValue<RawBlock>?
  private let isPaused: ((_ milliseconds: Int) -> Bool)?
  private var carried: TrivialBuffer<UInt8>
  private var carriedCount: Int
  private var isAtEnd = false
  /// The header row with its line end.
  private var firstRecord: [UInt8]

  /// The longest record that is taken, in bytes.
  public static let longestRecord = 64 << 20
  /// The longest header row that is taken, in bytes.
  public static let longestHeader = 4 << 20
  /// How long records wait for more to come, in milliseconds.
  private static let patience = 40
  /// The longest part that is not one record, in bytes; for small blocks less, so that there are some
  /// for each worker.
  private static let longestPart = 1 << 18
  private static let (partsOfBlock, shortestPart) = (8, 1 << 14)

  /// - Parameters:
  ///   - delimiter: nil guesses from the header.
  ///   - allowsSpaces: whether the guess may be spaces.
  ///   - isPaused: waits so long for more of the input and tells whether none came; nil for an input
  ///     that never pauses, as a file.
  ///   - measure: how far the input has been read, in a measure of the caller's.
  ///   - readsAhead: whether a block is read on another thread while the caller has the one before;
  ///     not for an input that pauses.
  ///   - read: fills a buffer and returns how many bytes it got; 0 at the end.
  public init(
    delimiter: UInt8? = nil, allowsSpaces: Bool = false,
    isPaused: ((_ milliseconds: Int) -> Bool)? = nil, readsAhead: Bool = false,
    measure: @escaping () -> Int = { 0 },
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    self.read = read
    self.measure = measure
    position = 0
    self.isPaused = isPaused
    self.readsAhead = readsAhead && isPaused == nil
    var buffer = TrivialBuffer<UInt8>(count: 1 << 16)
    var count = 0
    var progress = RecordScanner.Progress(position: 0)
    while true {
      let got = try read(
        UnsafeMutableRawBufferPointer(start: buffer.base + count, count: buffer.count - count))
      count += got
      isAtEnd = got == 0
      let text = UnsafeBufferPointer(start: buffer.base, count: count)
      try Self.refuseWideEncodings(text)
      if count < 3, !isAtEnd { continue }
      let start = Self.hasMark(text) ? 3 : 0
      progress.position = max(progress.position, start)
      let isTerminated = RecordScanner(text, delimiter: nil).finish(&progress)
      if isTerminated || isAtEnd {
        guard count > start else { throw FormatError("the file of points is empty") }
        let end = isTerminated ? progress.position : count
        header = try Self.parseHeader(
          text, start..<end, delimiter: delimiter, allowsSpaces: allowsSpaces)
        firstRecord = Array(text[start..<end])
        let rest = count - end
        carried = TrivialBuffer(count: max(rest, 1))
        carried.base.update(from: buffer.base + end, count: rest)
        carriedCount = rest
        return
      }
      guard count < Self.longestHeader else {
        throw FormatError(
          "the first line is over \(Self.longestHeader >> 20) MB long; is this text in lines, one a "
            + "row?")
      }
      if count == buffer.count {
        let larger = TrivialBuffer<UInt8>(count: buffer.count * 4)
        larger.base.update(from: buffer.base, count: count)
        buffer = larger
      }
    }
  }

  /// Whether all records have been handed out.
  public var isExhausted: Bool { isAtEnd && carriedCount == 0 }

  // MARK: The first records

  /// Takes the first row for data: the columns are called `field_1` and so on. To be called before
  /// the first block is read.
  public func takeHeaderAsRow() {
    guard header.isPresent else { return }
    header.isPresent = false
    header.names = header.names.indices.map { "field_\($0 + 1)" }
    header.bytes = []
    header.lineCount = 0
    let whole = TrivialBuffer<UInt8>(count: firstRecord.count + max(1, carriedCount))
    firstRecord.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress { whole.base.update(from: base, count: bytes.count) }
    }
    (whole.base + firstRecord.count).update(from: carried.base, count: carriedCount)
    carriedCount += firstRecord.count
    carried = whole
    firstRecord = []
  }

  /// The fields of the first record behind the header, which stays to be read; none at the end.
  public func peekFields() throws -> [String] {
    var progress = RecordScanner.Progress(position: 0)
    while true {
      let text = UnsafeBufferPointer(start: UnsafePointer(carried.base), count: carriedCount)
      let isTerminated = RecordScanner(text, delimiter: header.delimiter).finish(&progress)
      if isTerminated || isAtEnd || carriedCount >= Self.longestHeader {
        var end = isTerminated ? progress.position : carriedCount
        while end > 0, text[end - 1] == 0x0A || text[end - 1] == 0x0D { end -= 1 }
        return DelimitedRow.fields(
          UnsafeBufferPointer(rebasing: text[..<end]), delimiter: header.delimiter)
      }
      let larger = TrivialBuffer<UInt8>(count: max(1 << 16, carriedCount * 2))
      larger.base.update(from: carried.base, count: carriedCount)
      let got = try read(
        UnsafeMutableRawBufferPointer(
          start: larger.base + carriedCount, count: larger.count - carriedCount))
      isAtEnd = got == 0
      carried = larger
      carriedCount += got
    }
  }

  // MARK: Blocks

  /// Text as it was read, cut where each part can be parsed on its own.
  private struct RawBlock: Sendable {
    let bytes: TrivialBuffer<UInt8>
    let count: Int
    let isAtEnd: Bool
    /// How far the input was read then.
    let position: Int
    let parts: [Range<Int>]
    /// Where the last whole record ends.
    let end: Int
  }

  /// The next block of about `size` bytes, or nil at the end; fewer when the input pauses.
  public func next(size: Int) throws -> DelimitedBlock? {
    var wanted = max(size, carriedCount)
    var hasLine = Self.hasNewline(carried.base, carriedCount)
    while true {
      let block: RawBlock
      if let ahead {
        self.ahead = nil
        block = try ahead.value()
      } else {
        block = try readBlock(wanted, &hasLine)
      }
      (isAtEnd, position) = (block.isAtEnd, block.position)
      if block.count == 0 { return nil }
      if block.end > 0 {
        carriedCount = block.count - block.end
        carried = TrivialBuffer(count: max(1, carriedCount))
        carried.base.update(from: block.bytes.base + block.end, count: carriedCount)
        if readsAhead, !isAtEnd { startReading(max(size, carriedCount)) }
        return DelimitedBlock(bytes: block.bytes, parts: block.parts)
      }
      guard block.count < Self.longestRecord else {
        throw FormatError(
          "a record is longer than \(Self.longestRecord >> 20) MB; is a quote left open?")
      }
      carried = block.bytes
      carriedCount = block.count
      wanted = min(block.count * 2, Self.longestRecord)
      // A newline within a quote: only what comes next can end the record.
      hasLine = false
    }
  }

  /// Reads up to `wanted` bytes, or until the input pauses behind a whole line.
  private func readBlock(_ wanted: Int, _ hasLine: inout Bool) throws -> RawBlock {
    let buffer = startingWithCarried(wanted)
    var count = carriedCount
    var start: ContinuousClock.Instant?
    while count < wanted, !isAtEnd {
      if hasLine, let isPaused {
        let now = ContinuousClock.now
        let waited = Int((now - (start ?? now)) / .milliseconds(1))
        start = start ?? now
        if isPaused(max(0, Self.patience - waited)) { break }
      }
      let got = try read(
        UnsafeMutableRawBufferPointer(start: buffer.base + count, count: wanted - count))
      if got == 0 { isAtEnd = true }
      hasLine = hasLine || Self.hasNewline(buffer.base + count, got)
      count += got
    }
    return Self.split(
      buffer, count, wanted: wanted, isAtEnd: isAtEnd, position: measure(), header.delimiter)
  }

  /// Starts to read the block behind the one that is handed out.
  private func startReading(_ wanted: Int) {
    let (buffer, carriedCount, delimiter) = (
      startingWithCarried(wanted), carriedCount, header.delimiter
    )
    let input = WorkerStates([(read: read, measure: measure)])
    ahead = BackgroundValue {
      let (read, measure) = input[0]
      var (count, isAtEnd) = (carriedCount, false)
      while count < wanted, !isAtEnd {
        let got = try read(
          UnsafeMutableRawBufferPointer(start: buffer.base + count, count: wanted - count))
        isAtEnd = got == 0
        count += got
      }
      return Self.split(
        buffer, count, wanted: wanted, isAtEnd: isAtEnd, position: measure(), delimiter)
    }
  }

  private func startingWithCarried(_ wanted: Int) -> TrivialBuffer<UInt8> {
    let buffer = TrivialBuffer<UInt8>(count: max(1, wanted))
    buffer.base.update(from: carried.base, count: carriedCount)
    return buffer
  }

  private static func hasNewline(_ base: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    count > 0 && memchr(base, 0x0A, count) != nil
  }

  /// Cuts at ends of records; what follows the last one is left for the next block.
  private static func split(
    _ buffer: TrivialBuffer<UInt8>, _ count: Int, wanted: Int, isAtEnd: Bool, position: Int,
    _ delimiter: UInt8
  ) -> RawBlock {
    let partSize = min(longestPart, max(shortestPart, wanted / partsOfBlock))
    let text = UnsafeBufferPointer(start: UnsafePointer(buffer.base), count: count)
    let scanner = RecordScanner(text, delimiter: delimiter)
    var parts: [Range<Int>] = []
    var start = 0
    func block(endingAt end: Int) -> RawBlock {
      RawBlock(
        bytes: buffer, count: count, isAtEnd: isAtEnd, position: position, parts: parts, end: end)
    }
    if count > 0, scanner.hasQuotes {
      var next = 0
      while next < count {
        let (end, isTerminated) = scanner.record(from: next)
        if !isTerminated, !isAtEnd { break }
        next = end
        if next - start >= partSize {
          parts.append(start..<next)
          start = next
        }
      }
      if next > start { parts.append(start..<next) }
      return block(endingAt: next)
    }
    let limit = isAtEnd || count == 0 ? count : scanner.lastLineEnd
    while start < limit {
      let target = min(limit, start + partSize)
      let end = target == limit ? limit : scanner.lineEnd(from: target)
      parts.append(start..<end)
      start = end
    }
    return block(endingAt: start)
  }

  private static func hasMark(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
  }

  private static func refuseWideEncodings(
    _ text: UnsafeBufferPointer<UInt8>
  ) throws(FormatError) {
    guard text.count >= 2 else { return }
    let isMarked = text[0] == 0xFF && text[1] == 0xFE || text[0] == 0xFE && text[1] == 0xFF
    let isBare = text.count >= 4 && (text[1] == 0 || text[0] == 0)
    if isMarked || isBare {
      throw FormatError("the file of points is UTF-16 or UTF-32 text; save it as UTF-8")
    }
  }

  private static func parseHeader(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, delimiter: UInt8?,
    allowsSpaces: Bool
  ) throws(FormatError) -> DelimitedHeader {
    let line = UnsafeBufferPointer(rebasing: text[range])
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
    let delimiter = delimiter ?? DelimitedHeader.guessDelimiter(row, allowsSpaces: allowsSpaces)
    let fields = DelimitedRow.fields(row, delimiter: delimiter)
    return DelimitedHeader(
      delimiter: delimiter, names: fields.map { $0.trimmingSpaces() }, bytes: Array(row),
      lineEnd: lineEnd, hasByteOrderMark: range.lowerBound == 3,
      lineCount: 1 + row.count { $0 == 0x0A })
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
