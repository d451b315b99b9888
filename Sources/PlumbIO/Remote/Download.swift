import PlumbCore

/// Bytes that one request brings, for all that wait for them.
package final class Download: Sendable {
  private enum Stage: Sendable {
    case waiting
    case running
    case done(Result<FetchedBytes, HTTPError>)
    /// Nobody wants it any more.
    case dropped
  }

  private struct State: Sendable {
    var stage = Stage.waiting
    /// Whether its bytes count as held by the pool.
    var isHeld = false
  }

  /// Seconds between two looks of a waiting thread at whether its work is still wanted.
  private static let patience = 0.1

  /// Bytes that it holds when it is done.
  let size: Int
  private let state = WaitableState(State())
  private let load: @Sendable (HTTPConnection) -> Result<FetchedBytes, HTTPError>

  /// - Parameters:
  ///   - size: bytes that it holds when it is done.
  ///   - load: called once, on a thread of the pool.
  init(
    size: Int, load: @escaping @Sendable (HTTPConnection) -> Result<FetchedBytes, HTTPError>
  ) {
    self.size = size
    self.load = load
  }

  /// The bytes, as soon as they are there.
  func bytes(from pool: HTTPPool) throws(HTTPError) -> FetchedBytes {
    guard let bytes = try bytesUnlessDropped(from: pool) else {
      throw HTTPError("the bytes are not wanted any more")
    }
    return bytes
  }

  /// The same for a thread that has not begun the download; nil where the one that did dropped it.
  func bytesUnlessDropped(from pool: HTTPPool) throws(HTTPError) -> FetchedBytes? {
    if state.withLock({ if case .waiting = $0.stage { true } else { false } }) {
      pool.hurry(self)
    }
    while true {
      let result: Result<FetchedBytes?, HTTPError>? = state.wait(seconds: Self.patience) { state in
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

  /// Whether a thread has still to do it.
  var isWaiting: Bool {
    state.withLock { if case .waiting = $0.stage { true } else { false } }
  }

  /// Says that a thread does it now, and that its bytes are held.
  ///
  /// - Returns: false when another one does, or nobody wants it.
  func begin() -> Bool {
    state.withLock { state in
      guard case .waiting = state.stage else { return false }
      state.stage = .running
      state.isHeld = true
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

  /// Says that nobody waits for it any more; who has it may still take what it has brought.
  ///
  /// - Returns: the bytes that it held.
  func drop() -> Int {
    state.change { state in
      if case .done = state.stage {} else { state.stage = .dropped }
      defer { state.isHeld = false }
      return state.isHeld ? size : 0
    }
  }
}
