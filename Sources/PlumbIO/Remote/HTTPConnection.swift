import CCurl
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One handle of libcurl, which keeps its connections from one request to the next. One thread's
/// own.
final class HTTPConnection {
  /// What became of one request.
  struct Answer {
    var head = HTTPHead()
    /// The body of an answer of status 200 or 206.
    var body: FetchedBytes?
    /// Requests that were sent, one for each redirect among them.
    var requests = 1
    /// Bytes of bodies.
    var bytes = 0
    /// Where redirects led to; nil without any.
    var redirected: String?
    /// Why there is no answer that can be used.
    var error: HTTPError?
  }

  private static let isLoaded = plumb_curl_load() != 0
  private static let mostRedirects = 5

  private var handle: UnsafeMutableRawPointer
  private let receiver = HTTPReceiver()
  private var settings: HTTPSettings?
  private var lines: UnsafeMutableRawPointer?

  /// - Throws: when the library is not there.
  init() throws(HTTPError) {
    guard Self.isLoaded else {
      throw HTTPError(
        "no libcurl on this machine, which remote rasters need: install it "
          + "(on Debian: apt-get install libcurl4)", code: .unsupported)
    }
    guard let handle = plumb_curl_open() else { throw HTTPError("no memory for a connection") }
    self.handle = handle
  }

  deinit {
    plumb_curl_close(handle)
    plumb_curl_free_lines(lines)
  }

  /// Sends one request and waits for its answer.
  func get(_ request: HTTPRequest) -> Answer {
    var answer = Answer()
    if let error = prepare(request) {
      answer.requests = 0
      answer.error = error
      return answer
    }
    receiver.begin(request)
    defer { receiver.end() }
    let code = plumb_curl_perform(handle)
    answer.head = receiver.head
    answer.bytes = receiver.byteCount
    let redirects = plumb_curl_number(handle, Int32(PLUMB_CURL_REDIRECTS))
    answer.requests = 1 + max(0, redirects)
    if redirects > 0, let url = plumb_curl_text(handle, Int32(PLUMB_CURL_EFFECTIVE_URL)) {
      answer.redirected = String(cString: url)
    }
    answer.error = fault(of: request, code)
    if answer.error == nil { answer.body = receiver.fetched }
    return answer
  }

  // MARK: Before

  /// - Returns: why the request cannot be sent.
  private func prepare(_ request: HTTPRequest) -> HTTPError? {
    if settings != request.settings {
      guard take(request.settings) else { return HTTPError("no memory for a connection") }
      settings = request.settings
    }
    set(PLUMB_CURL_URL, request.url)
    set(PLUMB_CURL_RANGE, request.range.map { "\($0.lowerBound)-\($0.upperBound - 1)" })
    // Slower than this is no connection.
    let usual = request.settings.seconds ?? 60 + Double(request.expectedBytes) / 16384
    let seconds = min(request.seconds ?? usual, usual)
    set(PLUMB_CURL_TIMEOUT_MS, Int(min(seconds, 86400) * 1000))
    return nil
  }

  private func take(_ settings: HTTPSettings) -> Bool {
    // What was set cannot be taken back to what the library began with.
    if self.settings != nil {
      guard let fresh = plumb_curl_open() else { return false }
      plumb_curl_close(handle)
      handle = fresh
    }
    let context = Unmanaged.passUnretained(receiver).toOpaque()
    guard
      plumb_curl_set_sinks(
        handle,
        { bytes, size, count, context in
          guard let context else { return 0 }
          let receiver = Unmanaged<HTTPReceiver>.fromOpaque(context).takeUnretainedValue()
          let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
          return receiver.takeBody(bytes) ? bytes.count : 0
        },
        { bytes, size, count, context in
          guard let context else { return 0 }
          let receiver = Unmanaged<HTTPReceiver>.fromOpaque(context).takeUnretainedValue()
          let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
          return receiver.takeHeader(bytes) ? bytes.count : 0
        }, context) == 0
    else { return false }
    set(PLUMB_CURL_NO_SIGNAL, 1)
    set(PLUMB_CURL_FOLLOW, 1)
    set(PLUMB_CURL_MOST_REDIRECTS, Self.mostRedirects)
    set(PLUMB_CURL_KEEP_ALIVE, 1)
    set(PLUMB_CURL_LOW_SPEED_LIMIT, 64)
    set(PLUMB_CURL_LOW_SPEED_TIME, 30)
    set(PLUMB_CURL_CONNECT_TIMEOUT_MS, Int(min(max(settings.connectSeconds, 0.001), 3600) * 1000))
    set(PLUMB_CURL_VERIFY_PEER, settings.verifiesServer ? 1 : 0)
    set(PLUMB_CURL_VERIFY_HOST, settings.verifiesServer ? 2 : 0)
    set(PLUMB_CURL_NETRC, settings.usesNetrc ? 1 : 0)
    set(PLUMB_CURL_USER_AGENT, settings.userAgent)
    for (option, text) in [
      (PLUMB_CURL_USER_PASSWORD, settings.userPassword), (PLUMB_CURL_PROXY, settings.proxy),
      (PLUMB_CURL_PROXY_USER_PASSWORD, settings.proxyUserPassword),
      (PLUMB_CURL_COOKIE, settings.cookie), (PLUMB_CURL_CA_FILE, settings.certificates),
    ] where text != nil { set(option, text) }
    var lines: UnsafeMutableRawPointer?
    for line in settings.headers {
      guard let longer = plumb_curl_add_line(lines, line) else {
        plumb_curl_free_lines(lines)
        return false
      }
      lines = longer
    }
    guard plumb_curl_set_lines(handle, lines) == 0 else {
      plumb_curl_free_lines(lines)
      return false
    }
    plumb_curl_free_lines(self.lines)
    self.lines = lines
    return true
  }

  private func set(_ option: some BinaryInteger, _ value: Int) {
    _ = plumb_curl_set_number(handle, Int32(option), value)
  }

  private func set(_ option: some BinaryInteger, _ value: String?) {
    _ = plumb_curl_set_text(handle, Int32(option), value)
  }

  // MARK: After

  /// - Parameter code: libcurl's, 0 when the transfer is complete.
  private func fault(of request: HTTPRequest, _ code: Int32) -> HTTPError? {
    if let fault = receiver.fault { return fault }
    let head = receiver.head
    if code != 0, code != PLUMB_CURL_WRITE_ERROR { return Self.transferFault(code) }
    switch head.status {
    case 200:
      // An empty file has no body to look at.
      return head.isEncoded ? HTTPError("the server packs the file (Content-Encoding)") : nil
    case 206:
      if let fault = receiver.partFault(request) { return fault }
      let (came, promised) = (receiver.fetched?.count ?? 0, head.part?.range.count ?? 0)
      if came == promised { return nil }
      return came > promised ? HTTPReceiver.tooMuch : Self.brokenOff
    default: return .status(head.status, retryAfter: head.retryAfter)
    }
  }

  private static let brokenOff = HTTPError(
    "the connection broke off in the middle of an answer", isFinal: false)

  private static func transferFault(_ code: Int32) -> HTTPError {
    let transient = [
      PLUMB_CURL_CONNECT_FAILED, PLUMB_CURL_PARTIAL, PLUMB_CURL_TIMED_OUT,
      PLUMB_CURL_NOTHING_CAME, PLUMB_CURL_SEND_FAILED, PLUMB_CURL_RECEIVE_FAILED,
      PLUMB_CURL_HTTP2, PLUMB_CURL_HTTP2_STREAM,
    ]
    switch code {
    case Int32(PLUMB_CURL_TOO_MANY_REDIRECTS):
      return HTTPError(
        "the server leads from one address to the next, more than "
          + "\(mostRedirects) times")
    case Int32(PLUMB_CURL_PARTIAL): return brokenOff
    default:
      let message =
        plumb_curl_message(code).map { String(cString: $0).printable } ?? "error \(code)"
      return HTTPError(
        "no answer from the server: " + message.prefix(1).lowercased() + message.dropFirst(),
        isFinal: !transient.contains { Int32($0) == code })
    }
  }
}
