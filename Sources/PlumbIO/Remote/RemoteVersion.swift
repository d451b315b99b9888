import PlumbCore

/// The version of a file, which is determined by its first response.
struct RemoteVersion: Sendable {
  /// The size of the file; 0 before the first response.
  private(set) var byteCount = 0
  private var isKnown = false
  /// The header of the first response.
  private var seen = HTTPHead()
  /// The bytes of the whole file, if the server does not support ranges; otherwise nil.
  private(set) var fullFile: FetchedBytes?
  /// The URL after redirects; nil if there were no redirects.
  var redirected: String?
  /// The error after which the file is not read; nil if there is none. The error is permanent if
  /// the file has changed. Otherwise, it is valid for a few seconds.
  var fault: HTTPError? {
    guard let failure = ended else { return nil }
    let isOver = ContinuousClock.now - failure.time >= Self.retryInterval
    return isOver && failure.error.message != HTTPError.changed.message ? nil : failure.error
  }
  private var ended: (error: HTTPError, time: ContinuousClock.Instant)?
  private static let retryInterval = Duration.seconds(5)
  /// Whether requests are not retried, because a request has failed after all retries and no
  /// request has succeeded since then.
  private(set) var skipsRetries = false

  /// Records a failure.
  mutating func failed(_ error: HTTPError) {
    guard error.isFinal else {
      skipsRetries = true
      return
    }
    if fault == nil { ended = (error, .now) }
  }

  /// Checks and records a response.
  ///
  /// - Returns: the bytes of the range. They are fewer than requested only at the end of the file.
  /// - Throws: if the version of the file differs from the version in the first response.
  mutating func accept(
    _ head: HTTPHead, _ body: FetchedBytes, of range: Range<Int>, from redirected: String?
  ) throws(HTTPError) -> FetchedBytes {
    let isFullBody = head.status == 200
    // If the server omits the total size, the size is already known from a separate request.
    let known = isKnown ? byteCount : nil
    guard let total = isFullBody ? body.count : head.part?.total ?? known else {
      throw HTTPError("the server's response has no file size (Content-Range)")
    }
    if !isFullBody, let part = head.part, part.range.upperBound != min(range.upperBound, total) {
      throw HTTPError(
        "the server sends bytes up to \(part.range.upperBound - 1) of \(total), requested "
          + "\(range.lowerBound) to \(range.upperBound - 1)")
    }
    if isKnown {
      guard total == byteCount, seen.isSameVersion(as: head) else { throw .changed }
    } else {
      (isKnown, byteCount, seen) = (true, total, head)
    }
    skipsRetries = false
    if let redirected { self.redirected = redirected }
    guard isFullBody else { return body }
    fullFile = body
    let part = range.clamped(to: 0..<total)
    let bytes = TrivialBuffer<UInt8>(count: part.count)
    UnsafeMutableRawPointer(bytes.base).copyMemory(
      from: body.buffer.base + part.lowerBound, byteCount: part.count)
    return FetchedBytes(buffer: bytes, count: part.count)
  }
}
