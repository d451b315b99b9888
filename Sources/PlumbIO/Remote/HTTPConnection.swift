import CCurl
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A libcurl handle, which reuses its connections. Only one thread may use it.
final class HTTPConnection {
  /// The outcome of one request.
  struct Response {
    var head = HTTPHead()
    /// The body of a response with status 200 or 206; for a service, the body of a response with
    /// any status.
    var body: FetchedBytes?
    /// The number of requests sent, including redirects.
    var requests = 1
    /// The number of bytes of all response bodies.
    var bytes = 0
    /// The URL after redirects; nil if there were no redirects.
    var redirected: String?
    /// The reason why the response cannot be used; nil if it can be used.
    var error: HTTPError?
  }

  private static let isLoaded = plumb_curl_load() != 0
  private static let maximumRedirects = 5

  private var handle: UnsafeMutableRawPointer
  private let receiver = HTTPReceiver()
  private var settings: HTTPSettings?
  private var lines: UnsafeMutableRawPointer?
  private var headers: [String] = []
  /// Checks the addresses to which libcurl connects.
  private let guardian = ConnectionGuard()

  /// - Throws: if libcurl is not installed.
  init() throws(HTTPError) {
    guard Self.isLoaded else {
      throw HTTPError(
        "libcurl, which is required for remote data, is not installed: install it "
          + "(on Debian: apt-get install libcurl4)", code: .unsupported)
    }
    guard let handle = plumb_curl_open() else { throw HTTPError("no memory for a connection") }
    self.handle = handle
  }

  deinit {
    plumb_curl_close(handle)
    plumb_curl_free_lines(lines)
  }

  /// Sends a request, follows redirects, and waits for the response.
  func get(_ request: HTTPRequest) -> Response {
    var response = Response()
    response.requests = 0
    var step = request
    while true {
      if let error = prepare(step) {
        response.error = error
        return response
      }
      receiver.begin(step)
      let body = step.body
      let code = perform(body)
      response.requests += 1
      response.head = receiver.head
      response.bytes += receiver.byteCount
      if Self.isRedirect(receiver.head.status),
        let next = plumb_curl_text(handle, Int32(PLUMB_CURL_REDIRECT_URL))
      {
        step = step.redirected(to: String(cString: next), status: receiver.head.status)
        response.redirected = step.url
        receiver.end()
        if response.requests > Self.maximumRedirects {
          response.error = Self.endless
          return response
        }
        continue
      }
      response.error = fault(of: step, code)
      if response.error == nil { response.body = receiver.fetched }
      receiver.end()
      return response
    }
  }

  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  private func perform(_ body: [UInt8]?) -> Int32 {
    guard let body else {
      _ = plumb_curl_set_body(handle, nil, 0)
      return plumb_curl_perform(handle)
    }
    return body.withUnsafeBytes { bytes in
      // The pointer must not be null, even for an empty body. Otherwise, libcurl would not send a body.
      let nothing: StaticString = ""
      let start = bytes.baseAddress ?? UnsafeRawPointer(nothing.utf8Start)
      _ = plumb_curl_set_body(handle, start, bytes.count)
      return plumb_curl_perform(handle)
    }
  }

  // MARK: Before

  /// - Returns: the reason why the request cannot be sent; nil if it can be sent.
  private func prepare(_ request: HTTPRequest) -> HTTPError? {
    if let hosts = request.settings.hosts {
      guard let origin = NetworkOrigin(request.url) else {
        return HTTPError("it is not a plain http or https URL", code: .notAllowed)
      }
      guard hosts.allows(origin) else {
        return HTTPError(
          "\(NetworkHost(name: origin.host, port: origin.port)) is not an allowed host",
          code: .notAllowed)
      }
      guardian.begin(hosts, origin)
    }
    if settings != request.settings {
      guard apply(request.settings) else { return HTTPError("no memory for a connection") }
      settings = request.settings
    }
    set(PLUMB_CURL_URL, request.url)
    guard apply(headers: request.headers) else { return HTTPError("no memory for a connection") }
    set(
      PLUMB_CURL_USER_PASSWORD, request.isElsewhere ? nil : request.settings.userPassword)
    set(PLUMB_CURL_COOKIE, request.isElsewhere ? nil : request.settings.cookie)
    set(PLUMB_CURL_ACCEPT_ENCODING, request.service == nil ? nil : "gzip")
    set(PLUMB_CURL_RANGE, request.rangeText)
    // By default, the timeout is 60 s, plus 1 s for each 16 KiB of the expected size.
    let usual = request.settings.seconds ?? 60 + Double(request.expectedBytes) / 16384
    let seconds = min(request.seconds ?? usual, usual)
    set(PLUMB_CURL_TIMEOUT_MS, Int(min(seconds, 86400) * 1000))
    return nil
  }

  private func apply(_ settings: HTTPSettings) -> Bool {
    // The options of a used handle cannot be reset to libcurl's defaults, so a new handle is
    // opened.
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
          return receiver.appendBody(bytes) ? bytes.count : 0
        },
        { bytes, size, count, context in
          guard let context else { return 0 }
          let receiver = Unmanaged<HTTPReceiver>.fromOpaque(context).takeUnretainedValue()
          let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
          return receiver.appendHeader(bytes) ? bytes.count : 0
        }, context) == 0
    else { return false }
    set(PLUMB_CURL_NO_SIGNAL, 1)
    set(PLUMB_CURL_KEEP_ALIVE, 1)
    set(PLUMB_CURL_LOW_SPEED_LIMIT, 64)
    set(PLUMB_CURL_LOW_SPEED_TIME, 30)
    set(PLUMB_CURL_CONNECT_TIMEOUT_MS, Int(min(max(settings.connectSeconds, 0.001), 3600) * 1000))
    set(PLUMB_CURL_VERIFY_PEER, settings.verifiesServer ? 1 : 0)
    set(PLUMB_CURL_VERIFY_HOST, settings.verifiesServer ? 2 : 0)
    set(PLUMB_CURL_NETRC, settings.usesNetrc ? 1 : 0)
    set(PLUMB_CURL_USER_AGENT, settings.userAgent)
    for (option, text) in [
      (PLUMB_CURL_PROXY, settings.proxy),
      (PLUMB_CURL_PROXY_USER_PASSWORD, settings.proxyUserPassword),
      (PLUMB_CURL_CA_FILE, settings.certificates),
    ] where text != nil { set(option, text) }
    if settings.hosts != nil {
      set(PLUMB_CURL_PROXY, "")
      let context = Unmanaged.passUnretained(guardian).toOpaque()
      guard
        plumb_curl_set_check(
          handle,
          { bytes, context in
            guard let bytes, let context else { return 0 }
            let guardian = Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue()
            return guardian.allows(UnsafeBufferPointer(start: bytes, count: 16)) ? 1 : 0
          }, context) == 0
      else { return false }
    }
    headers = []
    return true
  }

  private func apply(headers: [String]) -> Bool {
    guard headers != self.headers else { return true }
    var lines: UnsafeMutableRawPointer?
    for line in headers {
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
    self.headers = headers
    return true
  }

  private func set(_ option: some BinaryInteger, _ value: Int) {
    _ = plumb_curl_set_number(handle, Int32(option), value)
  }

  private func set(_ option: some BinaryInteger, _ value: String?) {
    _ = plumb_curl_set_text(handle, Int32(option), value)
  }

  // MARK: After

  /// - Parameter code: libcurl's result code; 0 if the transfer is complete.
  private func fault(of request: HTTPRequest, _ code: Int32) -> HTTPError? {
    if let fault = receiver.fault { return fault }
    let head = receiver.head
    if code != 0, let refused = guardian.refused { return refused }
    if code != 0, code != PLUMB_CURL_WRITE_ERROR { return Self.transferFault(code) }
    if request.service != nil {
      // Error responses of a service are returned with their body. The exceptions are 429 and 5xx,
      // because their body does not contain a message from the service.
      let isBusy = head.status == 429 || (500...599).contains(head.status)
      return isBusy ? .status(head.status, retryAfter: head.retryAfter) : nil
    }
    switch head.status {
    case 200:
      // The receiver checks the encoding only when it receives a body, but an empty file has no
      // body.
      return head.isEncoded ? HTTPError("the server compresses the file (Content-Encoding)") : nil
    case 206:
      if let fault = receiver.partFault(request) { return fault }
      let (received, promised) = (receiver.fetched?.count ?? 0, head.part?.range.count ?? 0)
      if received == promised { return nil }
      return received > promised ? HTTPReceiver.tooMuch : Self.brokenOff
    default: return .status(head.status, retryAfter: head.retryAfter)
    }
  }

  private static let endless = HTTPError(
    "the server redirects more than \(maximumRedirects) times")

  private static let brokenOff = HTTPError(
    "the connection was interrupted during a response", isFinal: false)

  private static func transferFault(_ code: Int32) -> HTTPError {
    let transient = [
      PLUMB_CURL_CONNECT_FAILED, PLUMB_CURL_PARTIAL, PLUMB_CURL_TIMED_OUT,
      PLUMB_CURL_EMPTY_REPLY, PLUMB_CURL_SEND_FAILED, PLUMB_CURL_RECEIVE_FAILED,
      PLUMB_CURL_HTTP2, PLUMB_CURL_HTTP2_STREAM,
    ]
    switch code {
    case Int32(PLUMB_CURL_PARTIAL): return brokenOff
    default:
      let message =
        plumb_curl_message(code).map { String(cString: $0).printable } ?? "error \(code)"
      return HTTPError(
        "no response from the server: " + message.prefix(1).lowercased() + message.dropFirst(),
        isFinal: !transient.contains { Int32($0) == code })
    }
  }
}

/// Checks the addresses to which the requested host resolves. If an address is refused, stores the
/// reason.
private final class ConnectionGuard {
  private var hosts = HostAccess([])
  private var origin: NetworkOrigin?
  private(set) var refused: HTTPError?

  func begin(_ hosts: HostAccess, _ origin: NetworkOrigin) {
    (self.hosts, self.origin, refused) = (hosts, origin, nil)
  }

  func allows(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let origin else { return false }
    let address = NetworkAddress(bytes: bytes)
    if hosts.allows(address, of: origin) {
      refused = nil
      return true
    }
    refused = HTTPError(
      "\(origin.host) resolves to an address of this machine or of a private network "
        + "(\(address)), which has to be allowed explicitly", code: .notAllowed)
    return false
  }
}
