import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A sliding window over a byte stream. It contains the unconsumed bytes, contiguous in memory.
///
/// Feeds use a separate type, `FeedWindow`. A shared type in PlumbIO would cost feeds 2.3 % more
/// instructions, because each access to a struct that another module mutates has an exclusivity check.
struct ByteWindow {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private let isPaused: ((_ milliseconds: Int) -> Bool)?
  private(set) var storage: [UInt8]
  /// The unconsumed bytes are `storage[start..<end]`.
  private(set) var start = 0
  private(set) var end = 0
  /// The number of bytes of the stream before `storage[0]`.
  private(set) var offset = 0
  private(set) var isAtEnd = false
  /// The line number of `start`, from 1.
  private(set) var line = 1
  /// The maximum number of bytes in the window.
  let limit: Int

  /// The time to wait for more input, in milliseconds.
  static let pauseMilliseconds = 40

  /// - Parameter isPaused: a function that waits for more input for at most the given time, and
  ///   returns true if no input arrived; nil for a stream that never pauses.
  init(
    capacity: Int, limit: Int, isPaused: ((_ milliseconds: Int) -> Bool)? = nil,
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.read = read
    self.isPaused = isPaused
    self.limit = limit
    storage = [UInt8](repeating: 0, count: max(16, min(capacity, limit)))
  }

  /// The position of `start` in the stream.
  var position: Int { offset + start }

  /// Discards the bytes before an index of `storage`.
  mutating func advance(to index: Int) {
    storage.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var next = start
      while next < index, let found = memchr(base + next, 0x0A, index - next) {
        line += 1
        next = base.distance(to: UnsafeRawPointer(found)) + 1
      }
    }
    start = index
  }

  /// Whether the input pauses. Waits for a short time, and returns true if no input arrived.
  var pauses: Bool { !isAtEnd && isPaused?(hasPaused ? 0 : Self.pauseMilliseconds) == true }
  /// Whether the last read ended because the input paused.
  private var hasPaused = false

  /// Reads until the storage is full, the stream ends, or the stream pauses after text that may end a
  /// feature. If the storage is already full, it is enlarged first.
  ///
  /// Indices into `storage` change: `start` moves to 0. Does nothing at the end of the stream.
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
          "one feature, or the text outside the features, is over \(limit) bytes long",
          offset: offset)
      }
      storage.append(contentsOf: repeatElement(0, count: min(end, limit - end)))
    }
    var mayBeWhole = false
    hasPaused = false
    var since: ContinuousClock.Instant?
    while end < storage.count {
      if mayBeWhole, let isPaused {
        let now = ContinuousClock.now
        let waited = Int((now - (since ?? now)) / .milliseconds(1))
        since = since ?? now
        if isPaused(max(0, Self.pauseMilliseconds - waited)) {
          hasPaused = true
          return
        }
      }
      let count = try storage.withUnsafeMutableBytes { bytes in
        try read(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
      }
      guard count > 0 else {
        isAtEnd = true
        return
      }
      let before = end
      end += min(count, storage.count - end)
      if isPaused != nil, !mayBeWhole {
        mayBeWhole = storage[before..<end].contains(UInt8(ascii: "}"))
      }
    }
  }

  /// Calls `body` with the bytes of `storage` up to `end`. The first byte is at `offset` in the
  /// stream.
  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try storage.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[..<end])) }
  }
}
