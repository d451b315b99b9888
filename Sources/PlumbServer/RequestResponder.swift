import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Plumb
import PlumbIO
import PlumbService
import Synchronization

/// Takes requests from connections, has them answered on the pool, and sends what comes.
struct RequestResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let service: Service
  let rules: AccessRules
  let pool: WorkPool
  let metrics: Metrics
  let logger: Logger
  /// Bytes of a body, unpacked.
  let maximumBody: Int
  /// Seconds that a body may take to come, and a part of a reply to go.
  let patience: Double
  /// Bytes of the bodies of all requests at once, as they come and while they are answered.
  let bodies: Budget
  /// Replies that are written as they are made, each by a thread of its own.
  let streams: Budget

  private static let requestID = HTTPField.Name("X-Request-Id")
  private static let number = Atomic<UInt64>(0)

  @Sendable func respond(to request: Request, context: Context) async throws -> Response {
    let start = ContinuousClock.now
    let id = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
    metrics.begin()
    var asked = ServiceRequest(
      ServiceRequest.Method(rawValue: request.method.rawValue) ?? .get, request.uri.path,
      query: request.uri.query ?? "", contentType: request.headers[.contentType] ?? "",
      origin: request.head.authority.map { "http://\($0)" } ?? "",
      accept: request.headers[.accept] ?? "")
    asked.sender = Self.sender(request.headers)
    var reply: ServiceReply
    do {
      reply = try await answer(request, &asked)
    } catch let refusal as Refusal {
      reply = refusal.reply
    } catch {
      self.account(of: request, asked, id, start, status: 400, "the request did not come whole")
        .end(bytes: 0)
      throw error
    }
    var share: BudgetShare?
    if case .stream = reply.body, request.method != .head {
      share = BudgetShare(of: streams)
      if share == nil { reply = Refusal(503, "too many long replies at once: ask again").reply }
    }
    var response = try await packed(reply, request)
    if let name = Self.requestID { response.headers[name] = String(id, radix: 16) }
    if let shared = rules.sharing(with: request.headers[.origin]) {
      response.headers[.accessControlAllowOrigin] = shared
      if shared != "*" { response.headers[.vary] = "Origin, Accept-Encoding" }
    }
    let account = self.account(of: request, asked, id, start, status: reply.status, reply.failure)
    if case .stream(let write) = reply.body, let share {
      response.body = stream(
        write, isPacked: response.headers[.contentEncoding] == "gzip", share, account)
    } else {
      account.end(bytes: response.body.contentLength ?? 0)
    }
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// Who sends locations, as OwnTracks says it.
  private static func sender(_ headers: HTTPFields) -> String {
    [userName, deviceName].compactMap { name in name.flatMap { headers[$0] } }
      .filter { !$0.isEmpty }.joined(separator: "/")
  }

  private static let userName = HTTPField.Name("X-Limit-U")
  private static let deviceName = HTTPField.Name("X-Limit-D")

  private func account(
    of request: Request, _ asked: ServiceRequest, _ id: UInt64,
    _ start: ContinuousClock.Instant, status: Int, _ failure: String?
  ) -> RequestAccount {
    let query = asked.shownQuery.isEmpty ? "" : "?" + asked.shownQuery.prefix(1000)
    return RequestAccount(
      RequestAccount.Facts(
        id: id, start: start, operation: Metrics.operation(asked.path),
        line: "\(request.method.rawValue) \(String(asked.path.prefix(200)))\(query)",
        status: status, failure: failure), metrics, logger)
  }

  /// A reply that refuses a request.
  private struct Refusal: Error {
    var reply: ServiceReply

    init(_ status: Int, _ text: String) {
      reply = ServiceReply(
        .bytes(Array((text + "\n").utf8)), "text/plain; charset=utf-8", status: status)
      reply.failure = text
    }

    init(_ reply: ServiceReply) { self.reply = reply }
  }

  // MARK: Answers

  /// What becomes of a request whose client is gone; nil for one that waits.
  private static var departure: Refusal? {
    guard ClientConnection.current?.isGone == true else { return nil }
    return Refusal(499, "the client closed the connection before the answer was there")
  }

  private func answer(
    _ request: Request, _ asked: inout ServiceRequest
  ) async throws -> ServiceReply {
    let host = request.head.authority
    guard rules.knows(host: host) else {
      throw Refusal(421, "this server has another name: --cors lets pages of others ask")
    }
    let origin = request.headers[.origin]
    let methods: [HTTPRequest.Method] =
      Self.isOfMonitor(asked.path)
      ? [.get, .head, .post, .options, .put, .delete] : [.get, .head, .post, .options]
    guard methods.contains(request.method) else {
      throw Refusal(Service.refusal(ofMethodAt: asked.path))
    }
    if request.method == .options { return preflight(request) }
    let hasBody = request.method == .post || request.method == .put
    if hasBody || request.method == .delete, !rules.allows(origin: origin, host: host) {
      throw Refusal(403, "pages of this origin may not ask: --cors lets them")
    }
    if let reply = service.openReply(at: asked.path) { return reply }
    var tokens = rules.tokens(in: request.headers)
    if rules.needsToken, let token = asked.tokenParameter { tokens.append(token) }
    var check = rules.check(tokens)
    // A form may bring its token; none but a form is read without one.
    let isForm = asked.contentType.lowercased().hasPrefix("application/x-www-form-urlencoded")
    guard check == .accepted || request.method == .post && isForm && check == .missing else {
      throw Refusal(.refusal(isMissing: check == .missing, path: asked.path))
    }
    // What a body may come to counts before any of it is taken.
    let most = check == .accepted ? maximumBody : 1 << 16
    let length = request.headers[.contentLength].flatMap { Int($0) }
    let isPacked = request.headers[.contentEncoding] != nil
    let size = hasBody ? (isPacked ? most : min(most, length ?? most)) : 0
    guard bodies.take(size) else { throw Refusal(503, "too many requests at once: ask again") }
    defer { bodies.give(size) }
    if hasBody {
      asked.body = try await body(of: request, limit: most)
      if check == .missing {
        check = rules.check(asked.tokenParameter.map { [$0] } ?? [])
        guard check == .accepted else {
          throw Refusal(.refusal(isMissing: check == .missing, path: asked.path))
        }
      }
    }
    if asked.path == "/metrics" {
      return ServiceReply(
        .bytes(Array((metrics.text + service.metrics).utf8)), "text/plain; version=0.0.4")
    }
    do {
      let asked = asked
      return try await pool.run { service.answer(asked) }
    } catch is WorkPool.Full {
      throw Refusal(503, "too many requests at once: ask again")
    } catch let late as WorkPool.Cancelled {
      if let refusal = Self.departure { throw refusal }
      throw Refusal(Service.lateReply(at: asked.path, progress: late.progress))
    }
  }

  private static func isOfMonitor(_ path: String) -> Bool {
    path.hasPrefix("/monitor/")
  }

  private func preflight(_ request: Request) -> ServiceReply {
    var reply = ServiceReply(.bytes([]), "text/plain", status: 204)
    reply.headers = [("Allow", Service.methods(at: request.uri.path))]
    return reply
  }

  private func body(of request: Request, limit: Int) async throws -> [UInt8] {
    if let text = request.headers[.contentLength], let length = Int(text), length > limit {
      throw Refusal(413, "the body is larger than --max-body")
    }
    let buffer: ByteBuffer
    do {
      let seconds = patience
      buffer = try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
        group.addTask { try await request.body.collect(upTo: limit) }
        group.addTask {
          try await Task.sleep(for: .seconds(seconds))
          return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let body = first else {
          throw Refusal(408, "the body did not come in time")
        }
        return body
      }
    } catch is NIOTooManyBytesError {
      throw Refusal(413, "the body is larger than --max-body")
    }
    let bytes = Array(buffer: buffer)
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": return bytes
    case "gzip", "x-gzip":
      return try await unpacked(bytes, limit: limit)
    default: throw Refusal(415, "the body is packed in another way than gzip")
    }
  }

  private func unpacked(_ bytes: [UInt8], limit: Int) async throws -> [UInt8] {
    let result: Result<[UInt8]?, any Error>
    do {
      result = try await pool.run { Result { try GzipReader.unpacked(bytes, limit: limit) } }
    } catch is WorkPool.Full {
      throw Refusal(503, "too many requests at once: ask again")
    } catch is WorkPool.Cancelled {
      throw Self.departure ?? Refusal(408, "the body took longer to unpack than it may")
    }
    switch result {
    case .success(let body?): return body
    case .success: throw Refusal(413, "the body is larger than --max-body")
    case .failure: throw Refusal(400, "the body is no gzip")
    }
  }

  // MARK: Replies

  private func packed(_ reply: ServiceReply, _ request: Request) async throws -> Response {
    var headers = HTTPFields()
    headers[.contentType] = reply.contentType
    headers[.xContentTypeOptions] = "nosniff"
    if reply.contentType.hasPrefix("text/html") {
      headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    }
    if request.method == .options {
      headers[.accessControlAllowMethods] =
        Self.isOfMonitor(request.uri.path) ? "GET, POST, PUT, DELETE" : "GET, POST"
      headers[.accessControlAllowHeaders] =
        "Authorization, Content-Type, Content-Encoding, X-Esri-Authorization, Last-Event-ID"
      headers[.accessControlMaxAge] = "600"
    }
    for (name, value) in reply.headers {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    if !reply.warnings.isEmpty, let name = HTTPField.Name("Plumb-Warning") {
      for warning in reply.warnings.prefix(20) {
        headers.append(HTTPField(name: name, value: HeaderText.encoded(warning.printable)))
      }
    }
    let isText = !reply.contentType.hasPrefix("image/png")
    let takesGzip =
      isText && request.headers[.acceptEncoding]?.lowercased().contains("gzip") == true
    let status = HTTPResponse.Status(code: reply.status)
    switch reply.body {
    case .bytes(let bytes):
      if takesGzip, bytes.count > 1400 {
        headers[.contentEncoding] = "gzip"
        headers[.vary] = "Accept-Encoding"
        let packed: [UInt8]
        do {
          packed = try await gzip(bytes)
        } catch {
          // The answer is there; only its packing is not.
          headers[.contentEncoding] = nil
          packed = bytes
        }
        return Response(
          status: status, headers: headers,
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: packed)))
      }
      return Response(
        status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .stream:
      if takesGzip { headers[.contentEncoding] = "gzip" }
      // The body is set by who sends it.
      var response = Response(status: status, headers: headers)
      response.headers[.contentLength] = nil
      return response
    }
  }

  private func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    if bytes.count < 1 << 14 { return try GzipWriter.packed(bytes) }
    return try await pool.run { Result { try GzipWriter.packed(bytes) } }.get()
  }

  /// A body that a thread of its own makes, part by part, no faster than it is sent.
  private func stream(
    _ write: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void, isPacked: Bool,
    _ share: BudgetShare, _ account: RequestAccount
  ) -> ResponseBody {
    let (patience, pool) = (patience, pool)
    return ResponseBody { writer in
      let pipe = StreamPipe()
      let cancellation = WorkCancellation()
      let connection = ClientConnection.current
      connection?.begin(cancellation)
      let work: @Sendable () -> Void = {
        let result = Result {
          guard isPacked else {
            return try pool.write(cancellation, write) { try pipe.put($0, patience: patience) }
          }
          let packer = try GzipWriter()
          try pool.write(cancellation, write) {
            try pipe.put(packer.pack($0, isLast: false), patience: patience)
          }
          try pipe.put(packer.pack([], isLast: true), patience: patience)
        }
        pipe.finish(result)
        // Who sends a part may wait without end for a client that does not read.
        if case .failure = result { connection?.cut() }
      }
      if !Workers.detach(work) { throw Refusal(503, "no thread can be had") }
      var sent = 0
      defer {
        cancellation.cancel()
        connection?.end(cancellation)
        pipe.close()
        account.end(bytes: sent)
        share.end()
      }
      do {
        while let part = try await pipe.next() {
          sent += part.count
          try await writer.write(ByteBuffer(bytes: part))
        }
      } catch {
        // It cuts the connection, so that nobody takes a part for the whole.
        account.end(bytes: sent, failure: "the reply was cut off")
        throw error
      }
      try await writer.finish(nil)
    }
  }
}
