/// A sliding view of a byte stream: what has been read and is still wanted, in one piece.
struct ByteWindow {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private(set) var storage: [UInt8]
  /// The wanted bytes are `storage[start..<end]`.
  private(set) var start = 0
  private(set) var end = 0
  /// Bytes of the stream before `storage[0]`.
  private(set) var offset = 0
  private(set) var isAtEnd = false
  /// The line, from 1, that `start` is on.
  private(set) var line = 1
  /// The most bytes that the view may hold.
  let limit: Int

  init(
    capacity: Int, limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.read = read
    self.limit = limit
    storage = [UInt8](repeating: 0, count: max(16, min(capacity, limit)))
  }

  /// Where `start` is in the stream.
  var position: Int { offset + start }

  /// Gives up the bytes before an index of `storage`.
  mutating func advance(to index: Int) {
    var breaks = 0
    storage.withUnsafeBufferPointer { bytes in
      for position in start..<index { breaks &+= bytes[position] == 0x0A ? 1 : 0 }
    }
    line += breaks
    start = index
  }

  /// Reads more until the storage, enlarged when it was full, is full or the stream ends.
  ///
  /// Indices into `storage` change: `start` moves to 0. Nothing happens at the end of the stream.
  mutating func readMore() throws {
    if isAtEnd { return }
    if start > 0 {
      let kept = end - start
      storage.withUnsafeMutableBytes { bytes in
        if kept > 0 {
          bytes.baseAddress?.copyMemory(
            from: UnsafeRawPointer(bytes.baseAddress! + start), byteCount: kept)
        }
      }
      offset += start
      start = 0
      end = kept
    }
    if end == storage.count {
      guard storage.count < limit else {
        throw FormatError(
          "one feature, or what stands beside the features, is over \(limit) bytes long",
          offset: offset)
      }
      storage.append(contentsOf: repeatElement(0, count: min(end, limit - end)))
    }
    while end < storage.count {
      let count = try storage.withUnsafeMutableBytes { bytes in
        try read(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
      }
      guard count > 0 else {
        isAtEnd = true
        return
      }
      end += min(count, storage.count - end)
    }
  }

  /// Calls `body` with the bytes of `storage` up to `end`, at the stream's offset.
  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try storage.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[..<end])) }
  }
}
