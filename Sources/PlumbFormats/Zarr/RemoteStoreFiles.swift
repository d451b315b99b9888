import PlumbCore
import PlumbIO
import Synchronization

/// The files of a Zarr store at a URL or in a bucket. Files that will be needed soon can be requested in advance.
package final class RemoteStoreFiles: Sendable {
  /// The URL of the store.
  package let url: String
  /// The URL without its query and without a trailing slash, and the query.
  private let (base, query): (String, String)
  private let settings: HTTPSettings
  /// Whether the store is in a bucket. Requests are then allowed by bucket instead of by host.
  private let isInBucket: Bool
  private let resolve: Resolve
  private let state = Mutex(State())

  private struct State {
    var requests: [String: PendingReply] = [:]
    /// The metadata files; nil if the server does not have the file.
    var metadata: [String: [UInt8]?] = [:]
    var counted: Set<String> = []
    var statistics = RemoteFile.Statistics()
  }

  /// The time in seconds after which a request is no longer retried.
  private static let timeout = 120.0

  /// Returns the URL, possibly signed, of a file.
  package typealias Resolve = @Sendable (String) throws(HTTPError) -> String

  /// - Parameter resolve: returns the URL of a file in the store; it is called for each request. If the
  ///   store is in a bucket, `resolve` has to check that the file is allowed.
  package init(
    url: String, settings: HTTPSettings, resolve: @escaping Resolve = { name in name }
  ) {
    (self.url, self.settings, self.resolve) = (url, settings, resolve)
    isInBucket = BucketName(url) != nil
    let bytes = Array(url.utf8)
    let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    var path = bytes[..<mark]
    while path.last == UInt8(ascii: "/") { path.removeLast() }
    base = String(decoding: path, as: UTF8.self)
    query = String(decoding: bytes[mark...], as: UTF8.self)
  }

  /// The total cost of all requests so far.
  package var statistics: RemoteFile.Statistics { state.withLock { $0.statistics } }

  /// Requests a file in advance. The reply is kept until `drop` is called.
  ///
  /// - Parameter limit: the maximum size of the file in bytes.
  package func request(_ name: String, limit: Int) {
    state.withLock { state in
      // If `resolve` fails, the error is thrown when the file is read.
      if state.requests[name] == nil { state.requests[name] = try? pending(name, limit) }
    }
  }

  /// Drops a file that was requested in advance, and cancels its request if it is not complete.
  package func drop(_ name: String) {
    // The request is released outside of the lock.
    let request = state.withLock { state in
      state.counted.remove(name)
      return state.requests.removeValue(forKey: name)
    }
    withExtendedLifetime(request) {}
  }

  /// The content of a file; nil if the server has no such file.
  ///
  /// - Parameters:
  ///   - name: the path of the file in the store.
  ///   - limit: the maximum size of the file in bytes.
  /// - Throws: if the server cannot be reached or answers with another error.
  package func bytes(of name: String, limit: Int) throws(PlumbError) -> FetchedBytes? {
    let known = state.withLock { $0.requests[name] }
    do throws(HTTPError) {
      let request: PendingReply
      if let known { request = known } else { request = try pending(name, limit) }
      defer { count(request, name, isKept: known != nil) }
      let reply = try request.reply()
      switch reply.status {
      case ..<400: return reply.body
      case 404, 410: return nil
      default: throw HTTPError("the server returned status \(reply.status)")
      }
    } catch {
      if error.code == .notFound { return nil }
      throw PlumbError(
        messageTemplate: "\(base.printable)/\(name.printable): \(error.message)", code: error.code)
    }
  }

  /// The content of a metadata file, which is cached; nil if the server has no such file.
  package func kept(_ name: String, limit: Int) throws(PlumbError) -> [UInt8]? {
    if let known = state.withLock({ $0.metadata[name] }) { return known }
    let content = try bytes(of: name, limit: limit).map { Array($0.bytes) }
    state.withLock { $0.metadata[name] = .some(content) }
    return content
  }

  private func pending(_ name: String, _ limit: Int) throws(HTTPError) -> PendingReply {
    let file = try resolve("\(base)/\(name)\(query)")
    return PendingReply(
      file, RemoteServiceRequest(),
      settings: isInBucket ? settings.ofBucket(at: file) : settings, maximumBytes: limit,
      timeout: Self.timeout)
  }

  /// Adds a request to the statistics. A request in advance is counted only once, although its
  /// reply may be read several times.
  private func count(_ request: PendingReply, _ name: String, isKept: Bool) {
    let sum = request.statistics
    state.withLock { state in
      guard !isKept || state.counted.insert(name).inserted else { return }
      state.statistics.requests += sum.requests
      state.statistics.bytes += sum.bytes
      state.statistics.retries += sum.retries
    }
  }
}
