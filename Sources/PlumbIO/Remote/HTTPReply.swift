import PlumbCore
import Synchronization

/// The response of a service.
package struct HTTPReply: Sendable {
  package var status: Int
  /// The media type in lower case, without parameters; empty if the response has none.
  package var contentType: String
  /// The decompressed body.
  package var body: FetchedBytes
}

/// A request to a service that is in progress on one of the pool's threads.
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

  /// - Invariant: the thread of the download writes the facts before the download is done. `reply`
  ///   reads them afterwards.
  private final class SharedFacts: Sendable {
    let value = Mutex(Facts())
  }

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - maximumBytes: the size limit of the decompressed body.
  ///   - timeout: the time in seconds after which the request is not retried.
  package init(
    _ url: String, _ serviceRequest: RemoteServiceRequest, settings: HTTPSettings,
    maximumBytes: Int,
    timeout: Double, pool: HTTPPool = .shared
  ) {
    var request = HTTPRequest(url: url, settings: settings, maximumBytes: maximumBytes)
    request.service = serviceRequest
    let facts = SharedFacts()
    let prepared = request
    (self.facts, self.pool) = (facts, pool)
    download = Download(size: 0) { connection in
      let start = ContinuousClock.now
      var tries = 0
      while true {
        let response = connection.get(prepared)
        facts.value.withLock {
          $0.requests += response.requests
          $0.bytes += response.bytes
          $0.retries += tries > 0 ? 1 : 0
          ($0.status, $0.contentType) = (response.head.status, response.head.contentType)
        }
        guard let error = response.error else {
          return .success(
            response.body ?? FetchedBytes(buffer: TrivialBuffer(count: 0), count: 0))
        }
        tries += 1
        let delay = error.delay ?? BackOff.delay(settings.retryDelay, tries)
        let spent = (ContinuousClock.now - start).components
        guard !error.isFinal, tries <= settings.retries,
          Double(spent.seconds) + delay < timeout
        else { return .failure(error) }
        BackOff.wait(delay)
      }
    }
    pool.hurry(download)
  }

  deinit { pool.drop([download]) }

  /// Waits for the reply. If the calling thread holds a map's `YieldingLock`, the lock is released
  /// during the wait.
  ///
  /// - Throws: if the request failed, or if the calling thread's work was cancelled.
  package func reply() throws(HTTPError) -> HTTPReply {
    let body = try YieldingLock.whileWaiting { () throws(HTTPError) in
      try download.bytes(from: pool)
    }
    let facts = facts.value.withLock { $0 }
    return HTTPReply(status: facts.status, contentType: facts.contentType, body: body)
  }

  /// The number of requests, bytes and retries until now.
  package var statistics: RemoteFile.Statistics {
    let facts = facts.value.withLock { $0 }
    var statistics = RemoteFile.Statistics()
    (statistics.requests, statistics.bytes) = (facts.requests, facts.bytes)
    statistics.retries = facts.retries
    return statistics
  }
}
