import PlumbCore

/// The threads that ask servers: so many requests at once, whoever wants what they bring.
///
/// What is waited for goes first. What will be wanted later is fetched in its order, as long as not
/// too much lies there that nobody has taken.
package final class HTTPPool: Sendable {
  /// That of the process.
  package static let shared = HTTPPool()

  private struct State: Sendable {
    var connections = 8
    /// Threads that live, and those of them that wait for work.
    var threads = 0
    var idle = 0
    var urgent: [Download] = []
    var ahead: ArraySlice<Download> = []
    /// Bytes of downloads that were begun and not let go of.
    var heldBytes = 0

    /// What to do next.
    mutating func next(budget: Int) -> Download? {
      while !urgent.isEmpty {
        let download = urgent.removeFirst()
        if hold(download) { return download }
      }
      while let download = ahead.first {
        if download.isWaiting, heldBytes > 0, heldBytes + download.size > budget { return nil }
        ahead.removeFirst()
        if hold(download) { return download }
      }
      return nil
    }

    private mutating func hold(_ download: Download) -> Bool {
      guard download.begin() else { return false }
      heldBytes += download.size
      return true
    }
  }

  private let state = WaitableState(State())
  private let budget: Int
  /// Seconds that a thread without work keeps its connections.
  private static let patience = 5.0

  /// - Parameter budget: bytes that are fetched before anybody has asked for them, at most.
  init(budget: Int = 64 << 20) { self.budget = budget }

  /// How many requests are under way at once, at most; 8 unless set.
  package var connections: Int {
    get { state.withLock { $0.connections } }
    set { state.change { $0.connections = max(1, newValue) } }
  }

  /// Does these, in this order, when there is time.
  func add(_ downloads: [Download]) {
    state.change { $0.ahead += downloads }
    startThreads()
  }

  /// Does this before all others.
  func hurry(_ download: Download) {
    state.change { $0.urgent.append(download) }
    startThreads()
  }

  /// Lets go of downloads that nobody wants any more.
  func drop(_ downloads: some Sequence<Download>) {
    let bytes = downloads.reduce(0) { $0 + $1.drop() }
    if bytes > 0 { state.change { $0.heldBytes -= bytes } }
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
      // With no thread at all, on this one: whoever waits does not wait for ever.
      if isAlone { drain() }
    }
  }

  /// What a thread does with its life.
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
      let own = if let connection { connection } else { try HTTPConnection() }
      connection = own
      download.run(own)
    } catch {
      download.finish(.failure(error))
    }
  }

  /// The next download, or nil when the thread has waited long enough or there are too many.
  private func nextDownload() -> Download? {
    state.withLock { $0.idle += 1 }
    let found = state.wait(seconds: Self.patience) { [budget] state -> Download?? in
      if state.threads > state.connections { return .some(nil) }
      return state.next(budget: budget).map { .some($0) }
    }
    return state.withLock { [budget] state in
      state.idle -= 1
      // Work may have come since.
      let next = found ?? state.next(budget: budget)
      if next == nil { state.threads -= 1 }
      return next
    }
  }
}
