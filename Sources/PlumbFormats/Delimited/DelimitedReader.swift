import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A block of whole records of a delimited file, divided into parts that can be parsed independently.
public final class DelimitedBlock: Sendable {
  /// The text of the records, including line ends.
  public let bytes: TrivialBuffer<UInt8>
  /// The parts, which are consecutive ranges of `bytes`. Each part contains whole records.
  public let parts: [Range<Int>]

  init(bytes: TrivialBuffer<UInt8>, parts: [Range<Int>]) {
    self.bytes = bytes
    self.parts = parts
  }
}

/// Streams comma-, semicolon-, tab-, pipe- and space-separated text (RFC 4180, including quoted
/// newlines) in blocks of whole records. A line `sep=;`, blank lines and comments that start with
/// `#` before the header are skipped.
public final class DelimitedReader {
  /// The column names, and the format of the file.
  public private(set) var header: DelimitedHeader
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let measure: () -> Int
  /// The value of `measure` after the last returned block, even if more has been read since.
  public private(set) var position: Int
  private let readsAhead: Bool
  /// The next block, which is being read on another thread.
  private var ahead: BackgroundValue<RawBlock>?
  private let isPaused: ((_ milliseconds: Int) -> Bool)?
  private var carried: TrivialBuffer<UInt8>
  private var carriedCount: Int
  private var isAtEnd = false
  /// The header row with its line end.
  private var firstRecord: [UInt8]
  /// The number of lines before the header.
  private let linesBefore: Int
  /// The number of lines before the header that are comments, which start with `#`.
  public let commentCount: Int

  /// A function that returns whether the first line, which starts with `#`, is the header or a row
  /// instead of a comment. It receives the fields of the first line, without the `#`, and the
  /// fields of the next line.
  public typealias RecordTest = (_ fields: [String], _ next: [String]) -> Bool

  /// The maximum record length in bytes.
  public static let longestRecord = 64 << 20
  /// The time to wait for more records, in milliseconds.
  private static let pauseMilliseconds = 40
  /// The maximum part length in bytes, unless a part is a single record. In small blocks, parts are
  /// shorter, so that a block has several parts.
  private static let longestPart = 1 << 18
  private static let (partsOfBlock, shortestPart) = (8, 1 << 14)

  /// - Parameters:
  ///   - delimiter: the delimiter; nil to infer it from the header.
  ///   - allowsSpaces: whether the delimiter may be inferred as spaces.
  ///   - isRecord: the test for a first line that starts with `#`; nil to treat all such lines before the
  ///     header as comments.
  ///   - isPaused: a function that waits for more input for at most the given time, and returns
  ///     true if no input arrived; nil for an input that never pauses, such as a file.
  ///   - measure: a function that returns the progress through the input, in a unit of the caller's choice.
  ///   - readsAhead: whether the next block is read on another thread while the caller processes
  ///     the previous block. Must be false for an input that pauses.
  ///   - read: a function that fills a buffer and returns the number of bytes read; 0 at the end.
  public init(
    delimiter: UInt8? = nil, allowsSpaces: Bool = false, isRecord: RecordTest? = nil,
    isPaused: ((_ milliseconds: Int) -> Bool)? = nil, readsAhead: Bool = false,
    measure: @escaping () -> Int = { 0 },
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    self.read = read
    self.measure = measure
    position = 0
    self.isPaused = isPaused
    self.readsAhead = readsAhead && isPaused == nil
    var start = DelimitedStart(delimiter: delimiter, read: read)
    let range = try start.header(allowsSpaces: allowsSpaces, isRecord)
    firstRecord = Array(start.text[range])
    header = try firstRecord.withUnsafeBufferPointer { [delimiter = start.delimiter] row in
      try DelimitedHeader(row: row, delimiter: delimiter, allowsSpaces: allowsSpaces)
    }
    header.hasByteOrderMark = start.hasByteOrderMark
    header.lineCount += start.lineCount
    linesBefore = start.lineCount
    commentCount = start.commentCount
    isAtEnd = start.isAtEnd
    carriedCount = start.count - range.upperBound
    carried = TrivialBuffer(count: max(carriedCount, 1))
    carried.base.update(from: start.buffer.base + range.upperBound, count: carriedCount)
  }

  /// Whether all records have been returned.
  public var isExhausted: Bool { isAtEnd && carriedCount == 0 }

  // MARK: The first records

  /// Treats the first row as data, and names the columns `field_1` and so on. Must be called before
  /// the first block is read.
  public func readHeaderAsRow() {
    guard header.isPresent else { return }
    header.isPresent = false
    header.names = header.names.indices.map { "field_\($0 + 1)" }
    header.bytes = []
    header.lineCount = linesBefore
    let joined = TrivialBuffer<UInt8>(count: firstRecord.count + max(1, carriedCount))
    firstRecord.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress { joined.base.update(from: base, count: bytes.count) }
    }
    (joined.base + firstRecord.count).update(from: carried.base, count: carriedCount)
    carriedCount += firstRecord.count
    carried = joined
    firstRecord = []
  }

  /// The fields of the first record after the header; empty at the end. The record is not consumed.
  public func peekFields() throws -> [String] {
    var progress = RecordScanner.Progress(position: 0)
    while true {
      let text = UnsafeBufferPointer(start: UnsafePointer(carried.base), count: carriedCount)
      let isTerminated = RecordScanner(text, delimiter: header.delimiter).finish(&progress)
      if isTerminated || isAtEnd || carriedCount >= DelimitedStart.longestHeader {
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

  /// A block as read, which may end with an incomplete record. Its whole records are divided into parts.
  private struct RawBlock: Sendable {
    let bytes: TrivialBuffer<UInt8>
    let count: Int
    let isAtEnd: Bool
    /// The value of `measure` after the block was read.
    let position: Int
    let parts: [Range<Int>]
    /// The end of the last whole record.
    let end: Int
  }

  /// Returns the next block of about `size` bytes, or of fewer bytes if the input pauses; nil at the end.
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
          "a record is longer than \(Self.longestRecord >> 20) MB; check for an unclosed quote")
      }
      carried = block.bytes
      carriedCount = block.count
      wanted = min(block.count * 2, Self.longestRecord)
      // The newline is within quotes, and only further input can end the record. The reader must
      // therefore not return at a pause.
      hasLine = false
    }
  }

  /// Reads up to `wanted` bytes, or fewer if the input pauses after a whole line.
  private func readBlock(_ wanted: Int, _ hasLine: inout Bool) throws -> RawBlock {
    let buffer = startingWithCarried(wanted)
    var count = carriedCount
    var start: ContinuousClock.Instant?
    while count < wanted, !isAtEnd {
      if hasLine, let isPaused {
        let now = ContinuousClock.now
        let waited = Int((now - (start ?? now)) / .milliseconds(1))
        start = start ?? now
        if isPaused(max(0, Self.pauseMilliseconds - waited)) { break }
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

  /// Starts to read the block after the block that `next` returns. The block is read on another
  /// thread.
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

  /// Splits the bytes at the ends of records. The bytes after the last record remain for the next
  /// block.
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
}
