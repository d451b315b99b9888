import PlumbCore

/// The response body of one request. It is shared by all threads that wait for it.
final class Download: Sendable {
  private enum Stage: Sendable {
    case waiting
    case running
    case done(Result<FetchedBytes, HTTPError>)
    /// The bytes are no longer needed.
    case dropped
  }

  private struct State: Sendable {
    var stage = Stage.waiting
    /// Whether the size of the download is counted against the pool's budget.
    var isCounted = false
  }

  /// The time in seconds between a waiting thread's checks for cancellation.
  private static let pollInterval = 0.1

  /// The number of bytes that the completed download occupies.
  let size: Int
  private let state = WaitableState(State())
  private let load: @Sendable (HTTPConnection) -> Result<FetchedBytes, HTTPError>

  /// - Parameters:
  ///   - size: the number of bytes that the completed download occupies.
  ///   - load: called once, on a thread of the pool.
  init(
    size: Int, load: @escaping @Sendable (HTTPConnection) -> Result<FetchedBytes, HTTPError>
  ) {
    self.size = size
    self.load = load
  }

  /// Waits for the bytes.
  func bytes(from pool: HTTPPool) throws(HTTPError) -> FetchedBytes {
    guard let bytes = try bytesUnlessDropped(from: pool) else {
      throw HTTPError("the download was cancelled")
    }
    return bytes
  }

  /// Waits for the bytes. Returns nil if another thread that shares the download has dropped it.
  func bytesUnlessDropped(from pool: HTTPPool) throws(HTTPError) -> FetchedBytes? {
    if state.withLock({ if case .waiting = $0.stage { true } else { false } }) {
      pool.hurry(self)
    }
    while true {
      let result: Result<FetchedBytes?, HTTPError>? = state.wait(seconds: Self.pollInterval) {
        state in
        switch state.stage {
        case .waiting, .running: nil
        case .done(let result): result.map { $0 }
        case .dropped: .success(nil)
        }
      }
      if let result { return try result.get() }
      if WorkCancellation.isCurrentCancelled { throw HTTPError("the work was cancelled") }
    }
  }

  // MARK: For the pool

  /// Whether no thread has started the download yet.
  var isWaiting: Bool {
    state.withLock { if case .waiting = $0.stage { true } else { false } }
  }

  /// Marks the download as started by the calling thread, and its bytes as counted against the
  /// pool's budget.
  ///
  /// - Returns: false if another thread has already started the download, or if the download was
  ///   dropped.
  func begin() -> Bool {
    state.withLock { state in
      guard case .waiting = state.stage else { return false }
      state.stage = .running
      state.isCounted = true
      return true
    }
  }

  func run(_ connection: HTTPConnection) { finish(load(connection)) }

  func finish(_ result: Result<FetchedBytes, HTTPError>) {
    state.change { state in
      if case .running = state.stage { state.stage = .done(result) }
      if case .waiting = state.stage { state.stage = .done(result) }
    }
  }

  /// Marks the download as no longer needed. Bytes that have already been received remain valid.
  ///
  /// - Returns: the number of bytes to subtract from the bytes that are counted against the pool's
  ///   budget.
  func drop() -> Int {
    state.change { state in
      if case .done = state.stage {} else { state.stage = .dropped }
      defer { state.isCounted = false }
      return state.isCounted ? size : 0
    }
  }
}
