import PlumbCore

/// Which version of a file has been seen, and where.
struct RemoteVersion: Sendable {
  /// Bytes of the file; 0 before the first answer.
  private(set) var byteCount = 0
  private var isKnown = false
  /// Of the first answer.
  private var seen = HTTPHead()
  /// The file itself, where the server gave no part of it.
  private(set) var whole: FetchedBytes?
  /// Where redirects led to.
  var redirected: String?
  /// What ended the reading of this file: that it has changed for good, anything else for some seconds.
  var fault: HTTPError? {
    guard let own = ended else { return nil }
    let isOver = ContinuousClock.now - own.time >= Self.patience
    return isOver && own.error.message != HTTPError.changed.message ? nil : own.error
  }
  private var ended: (error: HTTPError, time: ContinuousClock.Instant)?
  private static let patience = Duration.seconds(5)
  /// Whether a request has failed for good, and none has come through since: no more time is spent
  /// on tries.
  private(set) var isStruggling = false

  /// Keeps a failure.
  mutating func failed(_ error: HTTPError) {
    guard error.isFinal else {
      isStruggling = true
      return
    }
    if fault == nil { ended = (error, .now) }
  }

  /// Takes in an answer.
  ///
  /// - Returns: the bytes of the range, fewer at the end of the file alone.
  /// - Throws: when it is not one of the version that has been seen.
  mutating func take(
    _ head: HTTPHead, _ body: FetchedBytes, of range: Range<Int>, from redirected: String?
  ) throws(HTTPError) -> FetchedBytes {
    let isWhole = head.status == 200
    // A server that does not say with a part how long the file is was asked before.
    let known = isKnown ? byteCount : nil
    guard let total = isWhole ? body.count : head.part?.total ?? known else {
      throw HTTPError("the server does not say how long the file is (Content-Range)")
    }
    if !isWhole, let part = head.part, part.range.upperBound != min(range.upperBound, total) {
      throw HTTPError(
        "the server sends bytes up to \(part.range.upperBound - 1) of \(total), asked for "
          + "\(range.lowerBound) to \(range.upperBound - 1)")
    }
    if isKnown {
      guard total == byteCount, seen.isSameVersion(as: head) else { throw .changed }
    } else {
      (isKnown, byteCount, seen) = (true, total, head)
    }
    isStruggling = false
    if let redirected { self.redirected = redirected }
    guard isWhole else { return body }
    whole = body
    let part = range.clamped(to: 0..<total)
    let bytes = TrivialBuffer<UInt8>(count: part.count)
    UnsafeMutableRawPointer(bytes.base).copyMemory(
      from: body.buffer.base + part.lowerBound, byteCount: part.count)
    return FetchedBytes(buffer: bytes, count: part.count)
  }
}
