import Logging
import Synchronization

/// Records requests in the metrics and in the log.
struct RequestJournal: Sendable {
  let metrics: Metrics
  let logger: Logger

  private static let number = Atomic<UInt64>(0)

  /// The number of a new request.
  static func nextNumber() -> UInt64 { number.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Begins a request that is not handled on the pool: an event stream, or a request that is refused before it
  /// is read.
  func begin(_ request: RequestAccount.Request) -> RequestAccount {
    metrics.begin()
    return RequestAccount(
      RequestAccount.Facts(id: Self.nextNumber(), start: ContinuousClock.now, request: request),
      metrics,
      logger)
  }
}
