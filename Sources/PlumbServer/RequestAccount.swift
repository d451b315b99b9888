import Logging
import Plumb
import Synchronization

/// What the metrics and the log say of a request: once, at its end, or where nobody holds it any more.
final class RequestAccount: Sendable {
  struct Facts: Sendable {
    var id: UInt64
    var start: ContinuousClock.Instant
    /// The name that it counts under.
    var operation: String
    /// Its method and address.
    var line: String
    /// The HTTP status.
    var status: Int
    /// What went wrong.
    var failure: String?
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
  ///   - bytes: of the body that was sent.
  ///   - failure: what went wrong after the reply began.
  func end(bytes: Int, failure: String? = nil) {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    let seconds = (ContinuousClock.now - facts.start) / .seconds(1)
    metrics.end(facts.operation, status: facts.status, seconds: seconds, bytes: bytes)
    var known: Logger.Metadata = [
      "id": "\(String(facts.id, radix: 16))", "status": "\(facts.status)", "bytes": "\(bytes)",
      "ms": "\((seconds * 1e5).rounded() / 100)",
    ]
    if let failure = failure ?? facts.failure { known["error"] = "\(failure)" }
    logger.info("\(facts.line)", metadata: known)
  }
}
