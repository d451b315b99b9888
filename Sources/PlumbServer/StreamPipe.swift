import Plumb
import PlumbCore

/// Passes chunks of a reply from the thread that writes them to the task that sends them. The pipe
/// stores at most one chunk, so that the writing thread waits for the sending task.
final class StreamPipe: Sendable {
  /// The error of a pipe that is closed.
  struct Closed: Error {}

  private struct State {
    var part: [UInt8]?
    var end: Result<Void, any Error>?
    var isClosed = false
    /// The start of the current work, and the total time of work in seconds, excluding waits for
    /// the client.
    var workSince = ContinuousClock.now
    var workSeconds = 0.0
    var waiter: CheckedContinuation<[UInt8]?, any Error>?
  }

  private let state = WaitableState(State())

  /// Waits until the last chunk has been taken, and then adds a chunk.
  ///
  /// - Throws: `Closed` if the pipe is closed. The connection of a client that does not read is
  ///   closed, and its pipe with it.
  func put(_ part: [UInt8]) throws {
    guard !part.isEmpty else { return }
    state.withLock { $0.workSeconds += (ContinuousClock.now - $0.workSince) / .seconds(1) }
    defer { state.withLock { $0.workSince = ContinuousClock.now } }
    let isFree: Bool = state.wait { state in
      if state.isClosed { return false }
      return state.part == nil ? true : nil
    }
    guard isFree else { throw Closed() }
    let waiter = state.change { state -> CheckedContinuation<[UInt8]?, any Error>? in
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      state.part = part
      return nil
    }
    waiter?.resume(returning: part)
  }

  /// Ends the stream.
  func finish(_ end: Result<Void, any Error>) {
    let waiter = state.change { state -> CheckedContinuation<[UInt8]?, any Error>? in
      state.end = end
      defer { state.waiter = nil }
      return state.part == nil ? state.waiter : nil
    }
    waiter?.resume(with: end.map { nil })
  }

  /// The time spent writing chunks, in seconds.
  var workSeconds: Double { state.withLock { $0.workSeconds } }

  /// Closes the pipe, so that it rejects further chunks.
  func close() { state.change { $0.isClosed = true } }

  /// Returns the next chunk; nil after the last.
  func next() async throws -> [UInt8]? {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.change { state -> Result<[UInt8]?, any Error>? in
        if let part = state.part {
          state.part = nil
          return .success(part)
        }
        if let end = state.end { return end.map { nil } }
        state.waiter = continuation
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
