/// An input whose first bytes have been read in advance. These bytes show whether the input is
/// compressed with gzip. Compressed input is decompressed.
package final class PeekedInput {
  package let input: ByteInput
  private var head: [UInt8] = []
  private var used = 0
  private var gzip: GzipReader?
  private var hasPaused = false

  package convenience init(path: String) throws { try self.init(try ByteInput(path: path)) }

  private init(_ input: ByteInput) throws {
    self.input = input
    head = try Self.head { try input.read($0) }
    if GzipReader.isGzip(head) {
      let start = HeadedInput(head, input)
      let gzip = try GzipReader { try start.read($0) }
      self.gzip = gzip
      head = try Self.head { try gzip.read($0) }
    }
  }

  /// Reads until at least one byte is not blank, because a pipe may first deliver a few blank
  /// bytes.
  private static func head(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while count < buffer.count {
      let got = try buffer.withUnsafeMutableBytes {
        try read(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      count += got
      let isHalfMark = marks.contains { $0.count > count && $0.starts(with: buffer[..<count]) }
      if got == 0 || !isHalfMark && !buffer[..<count].allSatisfy(isBlank) { break }
    }
    return Array(buffer[..<count])
  }

  /// The first bytes of the binary formats gzip, Arrow and Parquet. A pipe may deliver these bytes
  /// one by one.
  private static let marks: [[UInt8]] = [
    [0x1F, 0x8B], [0xFF, 0xFF, 0xFF, 0xFF], Array("ARROW1".utf8), Array("PAR1".utf8),
  ]

  /// Whether the input can be read again from its first byte.
  package var isRewindable: Bool { input.byteCount != nil }

  /// The input itself, or a copy in a temporary file if the input is a pipe.
  package func rewindable() throws -> PeekedInput {
    if isRewindable { return self }
    return try PeekedInput(try ByteInput(spooling: { try self.read($0) }))
  }

  /// Returns to the first byte.
  package func rewind() throws {
    try input.rewind()
    (head, used) = ([], 0)
    if gzip != nil {
      let input = input
      gzip = try GzipReader { try input.read($0) }
    }
  }

  /// Returns the same input from its first byte. This object must not be read again.
  package func restarted() throws -> PeekedInput {
    try input.rewind()
    return try PeekedInput(input)
  }

  /// Whether the end of a file may contain a string; always true for a compressed file, and always
  /// false for a pipe.
  package func tailContains(_ word: String) throws -> Bool {
    gzip == nil ? try input.tailContains(word) : isRewindable
  }

  /// Waits for more bytes. Returns true if none arrived in time; always false for a file.
  package func isPaused(milliseconds: Int) -> Bool {
    guard used >= head.count, gzip?.hasPending != true,
      input.isPaused(milliseconds: milliseconds)
    else { return false }
    hasPaused = true
    return true
  }

  /// Whether `isPaused` has returned true since the last call of this method.
  package func consumePause() -> Bool {
    defer { hasPaused = false }
    return hasPaused
  }

  /// The bytes that have been read in advance.
  package var firstBytes: [UInt8] { head }

  package var startsLikeJSON: Bool {
    let first = head.drop(while: Self.isBlank).first
    return first == UInt8(ascii: "{") || first == 0x1E
  }

  /// Whether the input starts with a string, ignoring the case of letters.
  package func starts(with word: String) -> Bool {
    let start = head.prefix(word.utf8.count)
    return String(decoding: start, as: UTF8.self).lowercased() == word.lowercased()
  }

  /// Whether a byte is whitespace or part of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte)
  }

  package func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if used < head.count {
      let count = min(buffer.count, head.count - used)
      head.withUnsafeBytes { bytes in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<used + count]))
      }
      used += count
      return count
    }
    return try gzip?.read(buffer) ?? input.read(buffer)
  }
}

/// An input whose first bytes have already been read. Returns these bytes and then the rest of the
/// input.
private final class HeadedInput {
  private let head: [UInt8]
  private let input: ByteInput
  private var used = 0

  init(_ head: [UInt8], _ input: ByteInput) { (self.head, self.input) = (head, input) }

  func read(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard used < head.count else { return try input.read(buffer) }
    let count = min(buffer.count, head.count - used)
    head.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<used + count]))
    }
    used += count
    return count
  }
}

/// The properties of an input that follow from its file extension. A trailing `.gz` is ignored.
package struct InputEnding {
  package let isGeoJSON: Bool
  package let isDelimited: Bool
  /// Whether the extension specifies that tabs separate fields.
  package let isTab: Bool
  /// Whether GeoJSON that could be either one document or a sequence is treated as a sequence.
  package let isSequence: Bool
  /// Whether formats other than GeoJSON also use the extension.
  package let isPlainJSON: Bool

  package init(path: String) {
    var name = path.lowercased()
    if name.hasSuffix(".gz") { name.removeLast(3) }
    let has = { (endings: [String]) in endings.contains { name.hasSuffix($0) } }
    isSequence = !has([".geojson", ".json"])
    isGeoJSON =
      has([".geojson", ".json", ".geojsonl", ".geojsons", ".geojsonseq"])
      || has([".ndjson", ".jsonl", ".ndgeojson"])
    isDelimited = has([".csv", ".tsv", ".tab", ".txt", ".ssv", ".psv"])
    isTab = has([".tsv"])
    isPlainJSON = has([".json"])
  }
}
