import PlumbCore
import PlumbIO

/// A message of an Arrow stream, valid until the next message is read.
struct ArrowIncoming {
  let kind: ArrowMessage.Kind
  /// The metadata version, counted from 0: 3 is V4, and 4 is V5.
  let version: Int16
  let header: FlatBufferTable
  /// The bytes that follow the message, with readable padding (`PaddedBytes.padding`) after them.
  let body: UnsafeRawBufferPointer
}

/// Reads the messages of an Arrow stream, or of an Arrow file from its first byte on.
///
/// Only one thread at a time uses the object.
final class ArrowMessageReader {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let metadata = PaddedBytes()
  private let body = PaddedBytes()
  private var hasBegun = false
  private var isAtEnd = false
  private var isFile = false

  /// The maximum number of bytes that are allocated before any byte of a message is read, because the
  /// message may be shorter than it declares.
  private static let step = 16 << 20
  private static let mark: UInt32 = 0xFFFF_FFFF

  /// - Parameter read: fills a buffer with the next bytes, and returns their number; 0 at the end.
  init(read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.read = read }

  /// Returns the next message; nil at the end.
  func next() throws -> ArrowIncoming? {
    guard !isAtEnd, let size = try size() else { return nil }
    guard size <= ParquetLimits.footerBytes else {
      throw ArrowFault.tooLarge("a message of the Arrow stream has \(size) bytes")
    }
    let message = try bytes(size, into: metadata)
    let table = try FlatBufferTable(root: message)
    guard let kind = ArrowMessage.Kind(rawValue: try table.number(1, default: 0)) else {
      throw FormatError("Arrow messages other than tables are not supported", code: .unsupported)
    }
    guard let header = try table.table(2) else {
      throw ArrowFault.damaged("a message has no header")
    }
    let bodySize: Int64 = try table.number(3, default: 0)
    guard bodySize >= 0 else { throw ArrowFault.damaged("a message has a negative size") }
    guard bodySize <= Int64(ParquetLimits.rowGroupBytes) else {
      throw ArrowFault.tooLarge(
        "a record batch has \(bodySize >> 20) MB, more than \(ParquetLimits.rowGroupBytes >> 20) MB",
        remedies: ["write smaller record batches"])
    }
    return ArrowIncoming(
      kind: kind, version: try table.number(0, default: 0), header: header,
      body: try bytes(Int(bodySize), into: body))
  }

  /// Reads the size of the next message; nil at the end.
  private func size() throws -> Int? {
    guard var word = try word() else { return end() }
    if !hasBegun {
      hasBegun = true
      if word == UInt32(littleEndian: Self.word("ARRO")) {
        try skipFileMark()
        guard let first = try self.word() else { return end() }
        // Some writers store the schema only at the end.
        guard first == Self.mark || first == 0 else {
          throw FormatError(
            "the Arrow file has no schema at its start, and its end is not read",
            code: .unsupported,
            remedies: ["write an Arrow stream (write_ipc_stream in polars) or Parquet"])
        }
        (word, isFile) = (first, true)
      } else if word == UInt32(littleEndian: Self.word("FEA1")) {
        throw FormatError("Feather version 1 is not supported", code: .unsupported)
      } else if word != Self.mark {
        throw FormatError("this is not an Arrow stream: it does not begin with a message")
      }
    }
    // Old writers end a stream with only a size of 0.
    if word == 0 { return try finish() }
    guard word == Self.mark else {
      throw ArrowFault.damaged("a message does not begin with the continuation marker")
    }
    guard let size = try self.word() else { throw Self.truncation }
    if size == 0 { return try finish() }
    return Int(size)
  }

  private func end() -> Int? {
    isAtEnd = true
    return nil
  }

  /// Reads and discards the index at the end of a file, so that a program that writes the file to a
  /// pipe can finish.
  private func finish() throws -> Int? {
    isAtEnd = true
    guard isFile else { return nil }
    metadata.reserve(1 << 16)
    while try read(metadata.prefix(1 << 16)) > 0 {}
    return nil
  }

  /// Reads the rest of a file's mark, `ARROW1` and two bytes of padding.
  private func skipFileMark() throws {
    let rest = try word()
    guard let rest, rest & 0xFFFF == UInt32(littleEndian: Self.word("W1\0\0")) else {
      throw FormatError("this is not an Arrow file: it does not begin with ARROW1")
    }
  }

  private static func word(_ text: StaticString) -> UInt32 {
    UnsafeRawPointer(text.utf8Start).loadUnaligned(as: UInt32.self)
  }

  private static var truncation: FormatError {
    ArrowFault.damaged("the stream ends within a message")
  }

  /// Reads a number; nil at the end of the stream.
  private func word() throws -> UInt32? {
    var word: UInt32 = 0
    let count = try withUnsafeMutableBytes(of: &word) { try fill($0) }
    if count == 0 { return nil }
    guard count == 4 else { throw Self.truncation }
    return UInt32(littleEndian: word)
  }

  /// Reads bytes into memory that grows with the bytes that have arrived.
  private func bytes(_ count: Int, into memory: PaddedBytes) throws -> UnsafeRawBufferPointer {
    var done = 0
    while done < count {
      memory.reserve(min(count, max(Self.step, 2 * done)), keeping: done)
      let part = UnsafeMutableRawBufferPointer(
        start: memory.base + done, count: min(count, memory.capacity) - done)
      guard try fill(part) == part.count else { throw Self.truncation }
      done += part.count
    }
    return UnsafeRawBufferPointer(start: memory.base, count: count)
  }

  /// Fills a buffer, and returns the number of bytes, which is smaller only at the end of the stream.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count {
      let got = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      guard got > 0 else { break }
      done += got
    }
    return done
  }
}
