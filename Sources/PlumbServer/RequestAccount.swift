import Logging
import Plumb
import Synchronization

/// Reports a request to the metrics and the log once, when `end` is called or the account is
/// deallocated.
final class RequestAccount: Sendable {
  struct Facts: Sendable {
    var id: UInt64
    var start: ContinuousClock.Instant
    /// The operation name for the metrics.
    var operation: String
    /// The method and the requested path.
    var line: String
    /// The HTTP status.
    var status: Int
    /// The failure message.
    var failure: String?
    /// The kind of failure.
    var kind: String?
    /// The client's address; empty for a non-network connection.
    var client: String
  }

  private let facts: Facts
  private let metrics: Metrics
  private let logger: Logger
  private let hasEnded = Atomic(false)

  init(_ facts: Facts, _ metrics: Metrics, _ logger: Logger) {
    (self.facts, self.metrics, self.logger) = (facts, metrics, logger)
  }

  deinit { end(bytes: 0, failure: "the connection was closed") }

  /// - Parameters:
  ///   - bytes: the size of the body sent.
  ///   - workerSeconds: the time used by threads of the pool.
  ///   - failure: a failure that occurred after the reply began.
  func end(bytes: Int, workerSeconds: Double = 0, failure: String? = nil) {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    let seconds = (ContinuousClock.now - facts.start) / .seconds(1)
    let message = failure ?? facts.failure
    metrics.end(
      Metrics.Outcome(
        operation: facts.operation, status: facts.status,
        kind: failure != nil ? "cut" : facts.kind ?? facts.failure.map { _ in "refused" },
        seconds: seconds, workerSeconds: workerSeconds, bytes: bytes))
    var known: Logger.Metadata = [
      "id": "\(String(facts.id, radix: 16))", "status": "\(facts.status)", "bytes": "\(bytes)",
      "ms": "\((seconds * 1e5).rounded() / 100)",
      "worker_ms": "\((workerSeconds * 1e5).rounded() / 100)",
    ]
    if !facts.client.isEmpty { known["client"] = "\(facts.client)" }
    if let kind = facts.kind { known["kind"] = "\(kind)" }
    if let message { known["error"] = "\(message)" }
    logger.info("\(facts.line)", metadata: known)
  }
}
