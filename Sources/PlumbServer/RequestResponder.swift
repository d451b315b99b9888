import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Plumb
import PlumbIO
import PlumbService
import Synchronization

/// Handles requests from connections on the pool, and sends the replies.
struct RequestResponder: Sendable {
  let service: Service
  let access: LiveAccess
  let pool: WorkPool
  /// The pool for requests of the web page's files and of the metrics, which need no engine.
  let quickPool: WorkPool
  let metrics: Metrics
  let logger: Logger
  /// The time limit for a body to arrive and for a chunk of a reply to be read, in seconds.
  let timeout: Double
  let bodies: BodyReader
  let replies: ReplySender
  let table: ConnectionTable
  let proxies: TrustedProxies
  /// `http` or `https`, the connections' scheme.
  let scheme: String
  /// The start of URLs in replies; nil to use the requested host.
  let baseURL: String?

  private static let requestID = HTTPField.Name("X-Request-Id")

  /// The state of a request that is being handled.
  private struct PendingRequest {
    let id: UInt64
    let start: ContinuousClock.Instant
    let origin: RequestOrigin
    var request: ServiceRequest
    /// The time used by threads of the pool, in seconds.
    var workerSeconds = 0.0

    /// The size in bytes above which a body counts as large work. The decoded shapes and values
    /// take many times as much memory as the body.
    private static let largeBody = 1 << 20

    var turn: WorkPool.Turn {
      WorkPool.Turn(
        client: origin.client, isPicture: request.isPictureRequest,
        isLarge: request.isLargePictureRequest || request.body.count > Self.largeBody)
    }
  }

  func respond(to request: Request) async throws -> Response {
    let origin = RequestOrigin(
      request.headers, authority: request.head.authority, ClientConnection.current, proxies,
      scheme: scheme, baseURL: baseURL)
    var pending = PendingRequest(
      id: RequestJournal.nextNumber(), start: ContinuousClock.now,
      origin: origin,
      request: ServiceRequest(
        ServiceRequest.Method(rawValue: request.method.rawValue) ?? .get, request.uri.path,
        query: request.uri.query ?? "", contentType: request.headers[.contentType] ?? "",
        origin: origin.base, accept: request.headers[.accept] ?? ""))
    metrics.begin()
    pending.request.sender = Self.sender(request.headers)
    let reservation = PendingBytes(bodies.ledger, of: origin.client)
    var reply: ServiceReply
    do {
      reply = try await makeReply(request, &pending, reservation)
      pending.request.body = []
      reservation.releaseAll()
    } catch let refusal as Refusal {
      reply = refusal.reply
    } catch {
      let failure = "the request is incomplete"
      account(of: request, pending, status: 400, failure, .badInput).end(bytes: 0)
      throw error
    }
    var shares: [PendingBytes] = []
    if case .stream(let stream) = reply.body, request.method != .head {
      let one = PendingBytes(replies.streams, of: origin.client)
      let memory = PendingBytes(replies.streamMemory, of: origin.client)
      if (try? one.reserve(1)) != nil, await replies.reserve(stream.memory, memory) {
        shares = [one, memory]
      } else {
        reply = Refusal(503, "too many long replies at once; try again").reply
      }
    }
    var packed = await replies.packed(reply, request, pending.turn)
    let unread = PendingBytes(bodies.ledger, of: origin.client)
    if case .bytes(let bytes) = packed.body, request.method != .head,
      !(await replies.reserve(bytes.count, unread))
    {
      reply = Refusal(503, "too many replies are waiting to be read; try again").reply
      packed = await replies.packed(reply, request, pending.turn)
    }
    if let name = Self.requestID { packed.headers[name] = String(pending.id, radix: 16) }
    if let shared = access.rules.sharing(with: request.headers[.origin]) {
      packed.headers[.accessControlAllowOrigin] = shared
    }
    if access.rules.variesByOrigin { packed.headers[.vary] = "Origin, Accept-Encoding" }
    let account = account(
      of: request, pending, status: packed.status.code, reply.failure, reply.failureKind)
    var response = Response(status: packed.status, headers: packed.headers)
    switch packed.body {
    case .stream(let stream):
      guard !shares.isEmpty else {
        account.end(bytes: 0, workerSeconds: pending.workerSeconds)
        break
      }
      response.body = replies.stream(
        stream.write, isPacked: packed.isPacked, shares, account,
        workerSeconds: pending.workerSeconds
      )
    case .bytes(let bytes) where request.method == .head:
      account.end(bytes: 0, workerSeconds: pending.workerSeconds)
      response.headers[.contentLength] = "\(bytes.count)"
    case .bytes(let bytes):
      response.body = replies.body(
        bytes, unread, account, workerSeconds: pending.workerSeconds)
    }
    guard request.method == .head else { return response }
    return Self.head(of: response, isStreamed: packed.isStreamed)
  }

  /// Returns the reply to a HEAD request: the headers of the reply to GET, without its body.
  private static func head(of response: Response, isStreamed: Bool) -> Response {
    var head = response.createHeadResponse()
    // The length of a streamed reply is unknown, and the library adds the length 0.
    if isStreamed { head.headers[.contentLength] = nil }
    return head
  }

  /// Returns the name of the sender of locations, `user/device`, from the headers of OwnTracks.
  private static func sender(_ headers: HTTPFields) -> String {
    [userName, deviceName].compactMap { name in name.flatMap { headers[$0] } }
      .filter { !$0.isEmpty }.joined(separator: "/")
  }

  private static let userName = HTTPField.Name("X-Limit-U")
  private static let deviceName = HTTPField.Name("X-Limit-D")

  private func account(
    of request: Request, _ pending: PendingRequest, status: Int, _ failure: String?,
    _ kind: FailureCode?
  ) -> RequestAccount {
    let shown = pending.request.shownQuery
    let query = shown.isEmpty ? "" : "?" + shown.prefix(1000)
    return RequestAccount(
      RequestAccount.Facts(
        id: pending.id, start: pending.start,
        request: RequestAccount.Request(
          operation: Metrics.operation(pending.request.path),
          line: "\(request.method.rawValue) \(String(pending.request.path.prefix(200)))\(query)",
          status: status, failure: failure,
          kind: status == Self.departed ? "cancelled" : kind?.rawValue,
          client: pending.origin.address)),
      metrics, logger)
  }

  // MARK: Replies

  /// The status for a client that has disconnected, or that has closed its side of the connection.
  private static let departed = 499

  /// The refusal for a client that has disconnected; nil if the client is still connected.
  static var departure: Refusal? {
    guard ClientConnection.current?.isGone == true else { return nil }
    return Refusal(departed, "the client closed the connection before the reply was ready")
  }

  private func makeReply(
    _ request: Request, _ pending: inout PendingRequest, _ reservation: PendingBytes
  ) async throws -> ServiceReply {
    let path = pending.request.path
    let rules = access.rules
    guard pending.origin.isForwarded || rules.allows(host: pending.origin.host) else {
      throw Refusal(
        421, "the host is not this server's: set --base-url, or --cors for pages of other hosts")
    }
    let origin = request.headers[.origin]
    let methods: [HTTPTypes.HTTPRequest.Method] =
      Self.isOfMonitor(path)
      ? [.get, .head, .post, .options, .put, .delete] : [.get, .head, .post, .options]
    guard methods.contains(request.method) else {
      throw Refusal(Service.refusal(ofMethodAt: path))
    }
    if request.method == .options { return preflight(request) }
    // Health checks need no token and no thread of the pool.
    if let reply = service.stateReply(at: path) { return reply }
    let hasBody = request.method == .post || request.method == .put
    if hasBody || request.method == .delete,
      !rules.allows(origin: origin, host: pending.origin.host)
    {
      throw Refusal(403, "this origin is not allowed; --cors allows it")
    }
    if service.isOfPage(path) {
      return try await run(pending, on: quickPool) { service.pageReply(at: path) }
    }
    var tokens = rules.tokens(in: request.headers)
    if rules.needsToken, let token = pending.request.tokenParameter { tokens.append(token) }
    var check = rules.check(tokens)
    // A form may contain the token. Any other body is read only with a valid token.
    let isForm = pending.request.contentType.lowercased()
      .hasPrefix("application/x-www-form-urlencoded")
    guard check == .accepted || request.method == .post && isForm && check == .missing else {
      throw Refusal.token(isMissing: check == .missing, path: path)
    }
    if hasBody {
      pending.request.body = try await bodies.body(
        of: request, limit: check == .accepted ? bodies.limit : 1 << 16, pending.turn, reservation)
      if check == .missing {
        check = rules.check(pending.request.tokenParameter.map { [$0] } ?? [])
        guard check == .accepted else {
          throw Refusal.token(isMissing: check == .missing, path: path)
        }
      }
    }
    if path == "/metrics" { return try await metricsReply(pending) }
    let request = pending.request
    let timed = WorkerTime()
    defer { pending.workerSeconds = timed.seconds }
    return try await run(pending, on: pool) {
      timed.measure {
        var reply = service.reply(request)
        // A hash of a long reply would delay other connections on the event loop.
        if request.method == .get { reply.contentTag = ContentTag.text(of: reply) }
        return reply
      }
    }
  }

  private func run(
    _ pending: PendingRequest, on pool: WorkPool, _ body: @escaping @Sendable () -> ServiceReply
  ) async throws -> ServiceReply {
    do {
      return try await pool.run(for: pending.turn, body)
    } catch is WorkPool.Full {
      throw Refusal(503, "too many requests at once; try again")
    } catch let late as WorkPool.Cancelled {
      if let refusal = Self.departure { throw refusal }
      throw Refusal(
        Service.cancelledReply(
          at: pending.request.path, lacksMemory: late.lacksMemory, progress: late.progress))
    }
  }

  private func metricsReply(_ pending: PendingRequest) async throws -> ServiceReply {
    try await run(pending, on: quickPool) {
      let gauges = Metrics.Gauges(
        connections: table.count, waiting: pool.waiting, abandonedThreads: pool.abandoned,
        droppedLines: LogQueue.shared.dropped)
      return ServiceReply(
        .bytes(Array((metrics.text(gauges) + service.metrics).utf8)), "text/plain; version=0.0.4")
    }
  }

  private static func isOfMonitor(_ path: String) -> Bool {
    path.hasPrefix("/monitor/")
  }

  private func preflight(_ request: Request) -> ServiceReply {
    var reply = ServiceReply(.bytes([]), "text/plain", status: 204)
    reply.headers = [
      ("Allow", Service.methods(at: request.uri.path)),
      (
        "Access-Control-Allow-Methods",
        Self.isOfMonitor(request.uri.path) ? "GET, POST, PUT, DELETE" : "GET, POST"
      ),
      (
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Content-Encoding, X-Esri-Authorization, Last-Event-ID"
      ), ("Access-Control-Max-Age", "600"),
    ]
    return reply
  }
}

/// A reply that refuses a request.
struct Refusal: Error {
  var reply: ServiceReply

  init(_ status: Int, _ text: String) {
    reply = ServiceReply(
      .bytes(Array((text + "\n").utf8)), "text/plain; charset=utf-8", status: status)
    (reply.failure, reply.failureKind) = (text, .limit)
    switch status {
    case 429, 503: reply.headers.append(("Retry-After", "1"))
    case 400, 415, 499: reply.failureKind = .badInput
    case 403, 421: reply.failureKind = .notAllowed
    default: break
    }
  }

  init(_ reply: ServiceReply) { self.reply = reply }

  /// Returns the refusal of a request without a valid token.
  static func token(isMissing: Bool, path: String) -> Refusal {
    var reply = ServiceReply.refusal(isMissing: isMissing, path: path)
    if reply.status == 401 {
      let fault = isMissing ? "" : ", error=\"invalid_token\""
      reply.headers.append(("WWW-Authenticate", "Bearer realm=\"plumb-server\"" + fault))
    }
    reply.failure = isMissing ? "no token" : "an invalid token"
    reply.failureKind = .notAllowed
    return Refusal(reply)
  }
}

/// The time used by threads of the pool for a request.
private final class WorkerTime: Sendable {
  private let nanoseconds = Atomic<Int>(0)

  var seconds: Double { Double(nanoseconds.load(ordering: .relaxed)) * 1e-9 }

  func measure<Value>(_ body: () -> Value) -> Value {
    let start = ContinuousClock.now
    defer {
      let time = (ContinuousClock.now - start) / .nanoseconds(1)
      nanoseconds.store(Int(time), ordering: .relaxed)
    }
    return body()
  }
}
