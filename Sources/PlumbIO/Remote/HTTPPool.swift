import PlumbCore

/// A pool of threads that send requests, with a limit on concurrent requests.
///
/// Downloads that a thread waits for are fetched first. Other downloads are fetched in the order in
/// which they were added. They are started only while the total size of the downloads that are
/// started and not yet released is within the budget.
package final class HTTPPool: Sendable {
  /// The pool of the process.
  package static let shared = HTTPPool()

  private struct State: Sendable {
    var connections = 8
    /// The number of threads, and the number of threads that wait for work.
    var threads = 0
    var idle = 0
    var urgent: [Download] = []
    var ahead: ArraySlice<Download> = []
    /// The total size of the downloads that are started and not yet released.
    var reservedBytes = 0

    /// Returns the next download and marks it as started; nil if there is none that fits the
    /// budget.
    mutating func next(budget: Int) -> Download? {
      while !urgent.isEmpty {
        let download = urgent.removeFirst()
        if reserve(download) { return download }
      }
      while let download = ahead.first {
        if download.isWaiting, reservedBytes > 0, reservedBytes + download.size > budget {
          return nil
        }
        ahead.removeFirst()
        if reserve(download) { return download }
      }
      return nil
    }

    private mutating func reserve(_ download: Download) -> Bool {
      guard download.begin() else { return false }
      reservedBytes += download.size
      return true
    }
  }

  private let state = WaitableState(State())
  private let budget: Int
  /// The time in seconds after which an idle thread ends and closes its connections.
  private static let idleTimeout = 5.0

  /// - Parameter budget: the maximum number of bytes to prefetch.
  init(budget: Int = 64 << 20) { self.budget = budget }

  /// The maximum number of concurrent requests. The default is 8.
  package var connections: Int {
    get { state.withLock { $0.connections } }
    set { state.change { $0.connections = max(1, newValue) } }
  }

  /// Queues downloads to be fetched in the given order.
  func add(_ downloads: [Download]) {
    state.change { $0.ahead += downloads }
    startThreads()
  }

  /// Queues a download before all others.
  func hurry(_ download: Download) {
    state.change { $0.urgent.append(download) }
    startThreads()
  }

  /// Cancels downloads that are no longer needed.
  func drop(_ downloads: some Sequence<Download>) {
    let bytes = downloads.reduce(0) { $0 + $1.drop() }
    if bytes > 0 { state.change { $0.reservedBytes -= bytes } }
  }

  private func startThreads() {
    let count = state.withLock { state in
      let work = state.urgent.count + state.ahead.count
      let missing = min(state.connections - state.threads, work - state.idle)
      state.threads += max(0, missing)
      return max(0, missing)
    }
    for _ in 0..<count where !Workers.detach({ [self] in work() }) {
      let isAlone = state.withLock { state in
        state.threads -= 1
        return state.threads == 0
      }
      // If the pool has no threads, the downloads run on the calling thread, so that no caller
      // waits forever.
      if isAlone { drain() }
    }
  }

  /// Runs downloads until the thread should end.
  private func work() {
    var connection: HTTPConnection?
    while let download = nextDownload() { Self.run(download, &connection) }
  }

  private func drain() {
    var connection: HTTPConnection?
    while let download = state.withLock({ $0.next(budget: budget) }) {
      Self.run(download, &connection)
    }
  }

  private static func run(_ download: Download, _ connection: inout HTTPConnection?) {
    do throws(HTTPError) {
      let used = if let connection { connection } else { try HTTPConnection() }
      connection = used
      download.run(used)
    } catch {
      download.finish(.failure(error))
    }
  }

  /// Returns the next download; nil after the idle timeout, or if there are too many threads.
  private func nextDownload() -> Download? {
    state.withLock { $0.idle += 1 }
    let found = state.wait(seconds: Self.idleTimeout) { [budget] state -> Download?? in
      if state.threads > state.connections { return .some(nil) }
      return state.next(budget: budget).map { .some($0) }
    }
    return state.withLock { [budget] state in
      state.idle -= 1
      // A download may have been added since the timeout.
      let next = found ?? state.next(budget: budget)
      if next == nil { state.threads -= 1 }
      return next
    }
  }
}
