import PlumbCore
import Synchronization

/// A file at a URL that is read by ranges. All responses must be from the same version of the file.
package final class RemoteFile: Sendable {
  /// The cost of the requests so far.
  package struct Statistics: Sendable, Hashable {
    /// The number of requests, including redirects and failures.
    package var requests = 0
    /// The number of bytes of all response bodies.
    package var bytes = 0
    /// The number of retries.
    package var retries = 0

    package init() {}

    package static func + (first: Statistics, second: Statistics) -> Statistics {
      var sum = first
      sum.requests += second.requests
      sum.bytes += second.bytes
      sum.retries += second.retries
      return sum
    }
  }

  /// A function that returns the URL. It is called for each request, because signed URLs expire.
  package typealias Address = @Sendable () throws(HTTPError) -> String

  /// The size of the first request in bytes. It is enough for the header of most files, including
  /// the index of tiles.
  static let headBytes = 64 << 10
  /// The size in bytes of the largest file that is read as a whole if the server does not support
  /// ranges.
  static let maximumFileBytes = 64 << 20
  /// The number of bytes fetched for a short read.
  private static let window = 64 << 10
  /// The number of cached windows.
  private static let maximumWindows = 32

  let pool: HTTPPool
  private let address: Address
  private let settings: HTTPSettings
  /// Whether the file is in a bucket. If hosts are restricted, the server of an allowed bucket is allowed
  /// even if its host is not listed.
  private let isInBucket: Bool
  private let version = Mutex(RemoteVersion())
  let blocks = Mutex(RemoteBlocks())
  private let counters = Mutex(Statistics())

  private init(
    _ address: @escaping Address, _ settings: HTTPSettings, isInBucket: Bool, _ pool: HTTPPool
  ) {
    (self.address, self.settings, self.pool) = (address, settings, pool)
    self.isInBucket = isInBucket
  }

  /// Opens a file with one request for its first bytes.
  ///
  /// - Parameter isInBucket: whether the file is in a bucket. The caller must check that the bucket is
  ///   allowed. The server of the bucket is then allowed for this file.
  /// - Throws: if the request fails, or the response is inconsistent.
  package static func open(
    settings: HTTPSettings, isInBucket: Bool = false, pool: HTTPPool = .shared,
    address: @escaping Address
  ) throws(HTTPError) -> RemoteFile {
    let file = RemoteFile(address, settings, isInBucket: isInBucket, pool)
    let head = try file.demand(0..<headBytes)
    guard file.byteCount > 0 else { throw HTTPError("the file is empty") }
    file.blocks.withLock { $0.keep(head, at: 0) }
    return file
  }

  /// The size of the file in bytes.
  package var byteCount: Int { version.withLock { $0.byteCount } }

  /// Whether the file can be read: false if the file has changed, and for a few seconds after another
  /// error that is not retried.
  package var isUsable: Bool { version.withLock { $0.fault == nil } }

  /// Whether the whole file is in memory.
  var isComplete: Bool { version.withLock { $0.fullFile != nil } }

  package var statistics: Statistics { counters.withLock { $0 } }

  // MARK: Reading

  /// Reads bytes at an offset.
  ///
  /// - Returns: the number of bytes. It is less than requested only at the end of the file.
  package func read(
    _ target: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(HTTPError) -> Int {
    let size = byteCount
    guard offset >= 0, offset < size, let base = target.baseAddress else { return 0 }
    let range = offset..<offset + min(target.count, size - offset)
    let found = try bytes(of: range)
    base.copyMemory(
      from: found.fetched.buffer.base + found.offset, byteCount: range.count)
    return range.count
  }

  /// Returns the bytes of a range within the file, and the offset of the range in these bytes.
  /// Sends a request only if the range is neither cached nor being fetched.
  package func bytes(
    of range: Range<Int>
  ) throws(HTTPError) -> (fetched: FetchedBytes, offset: Int) {
    while true {
      if let fullFile = version.withLock({ $0.fullFile }), range.upperBound <= fullFile.count {
        return (fullFile, range.lowerBound)
      }
      if let found = try bytesOnce(of: range) { return found }
    }
  }

  /// Returns the same result as `bytes(of:)`; nil if the bytes were being fetched for other work,
  /// and the other work was cancelled.
  private func bytesOnce(
    of range: Range<Int>
  ) throws(HTTPError) -> (fetched: FetchedBytes, offset: Int)? {
    switch blocks.withLock({ $0.find(range) }) {
    case .present(let block): return (block.fetched, range.lowerBound - block.start)
    case .coming(let download, let start):
      guard let fetched = try download.bytesUnlessDropped(from: pool) else { return nil }
      return try slice(fetched, start, range)
    case .absent: break
    }
    // A short read is usually part of a header or an index, more of which will be read soon.
    let isShort = range.count < Self.window / 4
    let start = isShort ? range.lowerBound & ~(Self.window / 4 - 1) : range.lowerBound
    let end = isShort ? max(range.upperBound, start + Self.window) : range.upperBound
    let wanted = start..<min(end, byteCount)
    let download = download(wanted)
    // Another thread may have started the same download in the meantime.
    let found = blocks.withLock { blocks -> RemoteBlocks.Found in
      let found = blocks.find(range)
      if case .absent = found { blocks.begin(download, of: wanted) }
      return found
    }
    switch found {
    case .present(let block): return (block.fetched, range.lowerBound - block.start)
    case .coming(let download, let start):
      guard let fetched = try download.bytesUnlessDropped(from: pool) else { return nil }
      return try slice(fetched, start, range)
    case .absent: break
    }
    defer {
      blocks.withLock { $0.end(download) }
      pool.drop([download])
    }
    let bytes = try slice(download.bytes(from: pool), start, range)
    if isShort {
      blocks.withLock { $0.add(window: bytes.fetched, at: start, maximum: Self.maximumWindows) }
    }
    return bytes
  }

  private func slice(
    _ fetched: FetchedBytes, _ start: Int, _ range: Range<Int>
  ) throws(HTTPError) -> (fetched: FetchedBytes, offset: Int) {
    guard range.upperBound - start <= fetched.count else { throw .changed }
    return (fetched, range.lowerBound - start)
  }

  /// Fetches ranges that will be read repeatedly, and keeps them in memory while this object
  /// exists.
  package func keep(_ ranges: [Range<Int>]) throws(HTTPError) {
    guard !isComplete else { return }
    let size = byteCount
    let missing = blocks.withLock { blocks in
      ranges.flatMap { blocks.missing($0.clamped(to: 0..<size)) }
    }
    let pieces = RangePlan(missing).pieces
    let downloads = pieces.map { download($0) }
    defer { pool.drop(downloads) }
    for download in downloads { pool.hurry(download) }
    for (piece, download) in zip(pieces, downloads) {
      let fetched = try download.bytes(from: pool)
      blocks.withLock { $0.keep(fetched, at: piece.lowerBound) }
    }
  }

  private func demand(_ range: Range<Int>) throws(HTTPError) -> FetchedBytes {
    let download = download(range)
    defer { pool.drop([download]) }
    return try download.bytes(from: pool)
  }

  func download(_ range: Range<Int>) -> Download {
    Download(size: range.count) { [self] in load(range, $0) }
  }

  // MARK: Requests, on a thread of the pool

  private func load(
    _ range: Range<Int>, _ connection: HTTPConnection
  ) -> Result<FetchedBytes, HTTPError> {
    var tries = 0
    while true {
      let (known, skipsRetries, redirected) = version.withLock {
        ($0.fault, $0.skipsRetries, $0.redirected)
      }
      if let known { return .failure(known) }
      do throws(HTTPError) {
        let bytes = try fetch(range, at: redirected, connection)
        return .success(bytes)
      } catch {
        if redirected != nil, [.notFound, .notAllowed].contains(error.code) {
          // The target URL of a redirect may have expired.
          version.withLock { $0.redirected = nil }
          continue
        }
        tries += 1
        if error.isFinal || tries > (skipsRetries ? 0 : settings.retries) {
          version.withLock { $0.failed(error) }
          return .failure(error)
        }
        counters.withLock { $0.retries += 1 }
        BackOff.wait(error.delay ?? BackOff.delay(settings.retryDelay, tries))
      }
    }
  }

  private func fetch(
    _ range: Range<Int>, at redirected: String?, _ connection: HTTPConnection
  ) throws(HTTPError) -> FetchedBytes {
    let url = try address()
    let first = HTTPRequest(
      url: url, range: range, settings: isInBucket ? settings.ofBucket(at: url) : settings,
      maximumBytes: Self.maximumFileBytes)
    // Credentials are not sent to other origins.
    let request = redirected.map { first.redirected(to: $0, status: 307) } ?? first
    var response = try get(request, connection)
    if response.head.status == 206, response.head.part?.total == nil, byteCount == 0 {
      let total = try size(response.head, get(request.forLastByte, connection))
      response.head.part?.total = total
    }
    let body = response.body ?? FetchedBytes(buffer: TrivialBuffer(count: 0), count: 0)
    return try version.withLock { version throws(HTTPError) in
      try version.accept(response.head, body, of: range, from: response.redirected)
    }
  }

  private func get(
    _ request: HTTPRequest, _ connection: HTTPConnection
  ) throws(HTTPError) -> HTTPConnection.Response {
    let response = connection.get(request)
    counters.withLock {
      $0.requests += response.requests
      $0.bytes += response.bytes
    }
    if let error = response.error { throw error }
    return response
  }

  /// Returns the size of a file whose server omits the total size in partial responses (`bytes
  /// 0-99/*`).
  ///
  /// - Parameter last: the response to a request for the last byte.
  private func size(
    _ head: HTTPHead, _ last: HTTPConnection.Response
  ) throws(HTTPError) -> Int? {
    guard head.isSameVersion(as: last.head) else { throw .changed }
    return last.head.status == 200 ? last.body?.count : last.head.part?.range.upperBound
  }
}
