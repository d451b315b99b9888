import Logging
import NIOHTTP1
import Plumb
import PlumbService
import Synchronization

/// Reports a request to the metrics and the log once, when `end` is called or the account is
/// deallocated.
final class RequestAccount: Sendable {
  struct Facts: Sendable {
    var id: UInt64
    var start: ContinuousClock.Instant
    var request: Request
  }

  /// A request and its outcome.
  struct Request: Sendable {
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

    /// Returns the method and the path of a request without its query, which may contain a token.
    static func line(of head: HTTPRequestHead) -> String {
      "\(head.method.rawValue) \(ServiceRequest(head).path.prefix(200))"
    }
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
  ///   - reason: the reason for the end of an event stream.
  func end(
    bytes: Int, workerSeconds: Double = 0, failure: String? = nil, reason: String? = nil
  ) {
    let request = facts.request
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    let seconds = (ContinuousClock.now - facts.start) / .seconds(1)
    let message = failure ?? request.failure
    metrics.end(
      Metrics.Outcome(
        operation: request.operation, status: request.status,
        kind: failure != nil ? "cut" : request.kind ?? request.failure.map { _ in "refused" },
        seconds: seconds, workerSeconds: workerSeconds, bytes: bytes))
    var known: Logger.Metadata = [
      "id": "\(String(facts.id, radix: 16))", "status": .stringConvertible(request.status),
      "bytes": .stringConvertible(bytes),
      "ms": .stringConvertible((seconds * 1e5).rounded() / 100),
      "worker_ms": .stringConvertible((workerSeconds * 1e5).rounded() / 100),
    ]
    if !request.client.isEmpty { known["client"] = "\(request.client)" }
    if let kind = request.kind { known["kind"] = "\(kind)" }
    if let message { known["error"] = "\(message)" }
    if let reason { known["end"] = "\(reason)" }
    logger.info("\(request.line)", metadata: known)
  }
}
