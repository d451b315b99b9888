import PlumbCore
import Synchronization

/// What a service has answered.
package struct HTTPReply: Sendable {
  package var status: Int
  /// In small letters, without parameters; empty where the service does not say.
  package var contentType: String
  /// The body, unpacked.
  package var body: FetchedBytes
}

/// A request to a service that is under way on the pool.
package final class PendingReply: Sendable {
  private struct Facts: Sendable {
    var status = 0
    var contentType = ""
    var requests = 0
    var bytes = 0
    var retries = 0
  }

  private let download: Download
  private let facts: SharedFacts
  private let pool: HTTPPool

  /// - Invariant: written by the thread of the download before it is done, read behind that.
  private final class SharedFacts: Sendable {
    let value = Mutex(Facts())
  }

  /// Begins a request.
  ///
  /// - Parameters:
  ///   - mostBytes: of the body, unpacked.
  ///   - patience: seconds after which nothing is tried again.
  package init(
    _ url: String, _ asking: ServiceAsking, settings: HTTPSettings, mostBytes: Int,
    patience: Double, pool: HTTPPool = .shared
  ) {
    var request = HTTPRequest(url: url, settings: settings, mostBytes: mostBytes)
    request.service = asking
    let facts = SharedFacts()
    let asked = request
    (self.facts, self.pool) = (facts, pool)
    download = Download(size: 0) { connection in
      let start = ContinuousClock.now
      var tries = 0
      while true {
        let answer = connection.get(asked)
        facts.value.withLock {
          $0.requests += answer.requests
          $0.bytes += answer.bytes
          $0.retries += tries > 0 ? 1 : 0
          ($0.status, $0.contentType) = (answer.head.status, answer.head.contentType)
        }
        guard let error = answer.error else {
          return .success(
            answer.body ?? FetchedBytes(buffer: TrivialBuffer(count: 0), count: 0))
        }
        tries += 1
        let delay = error.delay ?? BackOff.delay(settings.retryDelay, tries)
        let spent = (ContinuousClock.now - start).components
        guard !error.isFinal, tries <= settings.retries,
          Double(spent.seconds) + delay < patience
        else { return .failure(error) }
        BackOff.wait(delay)
      }
    }
    pool.hurry(download)
  }

  deinit { pool.drop([download]) }

  /// Waits for the reply, without the lock of a map that the calling thread may have.
  ///
  /// - Throws: when there is none, or nobody wants the calling thread's work any more.
  package func reply() throws(HTTPError) -> HTTPReply {
    let body = try YieldingLock.whileWaiting { () throws(HTTPError) in
      try download.bytes(from: pool)
    }
    let facts = facts.value.withLock { $0 }
    return HTTPReply(status: facts.status, contentType: facts.contentType, body: body)
  }

  /// What it took so far.
  package var statistics: RemoteFile.Statistics {
    let facts = facts.value.withLock { $0 }
    var statistics = RemoteFile.Statistics()
    (statistics.requests, statistics.bytes) = (facts.requests, facts.bytes)
    statistics.retries = facts.retries
    return statistics
  }
}
