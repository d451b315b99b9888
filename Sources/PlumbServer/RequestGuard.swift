import NIOCore
import NIOHTTP1
import Plumb
import PlumbService

/// Enforces HTTP rules that the libraries do not enforce. A request must have one Host header.
/// HTTP/1.0 clients receive no chunked replies. `Expect: 100-continue` is answered. Header fields
/// that are too long are rejected with status 431.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let connection: ClientConnection
  private let entrance: ConnectionTable.Entrance
  /// The maximum size of a body in bytes.
  private let maximumBody: Int
  /// The number of refused connections that may remain open briefly, so that the client can read the
  /// error before the connection is closed.
  private let farewells: Budget
  private let table: ConnectionTable
  private let journal: RequestJournal
  private let proxies: TrustedProxies
  /// The properties of a request that its reply depends on.
  private struct Unanswered {
    /// Whether the request uses HTTP/1.0.
    var isOld: Bool
    /// Whether the request's method is HEAD.
    var isHead: Bool
  }

  private var unanswered: [Unanswered] = []
  private var hasFailed = false
  /// Whether the end of the current request's body has not arrived.
  private var isBodyIncomplete = false
  /// The requests that were received while an earlier request was unanswered. These requests wait,
  /// because a client that pipelines many requests must not block the event loop for other clients.
  private var waiting = CircularBuffer<HTTPServerRequestPart>()
  private var isReadPending = false

  init(
    _ connection: ClientConnection, _ table: ConnectionTable, _ journal: RequestJournal,
    _ proxies: TrustedProxies, maximumBody: Int
  ) {
    (self.journal, self.proxies) = (journal, proxies)
    (self.connection, self.table, self.maximumBody) = (connection, table, maximumBody)
    (entrance, farewells) = (table.enter(connection), table.farewells)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { letIn(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    letIn(context)
    context.fireChannelActive()
  }

  private func letIn(_ context: ChannelHandlerContext) {
    switch entrance {
    case .open, .healthOnly, .healthOnlyOfClient: break
    case .refused: refuse(context, .tooManyRequests, Self.tooManyOfClient, "(connection)")
    case .full: refuse(context, .serviceUnavailable, Self.tooMany, "(connection)")
    }
  }

  private static let tooMany = "too many connections; try again"
  private static let tooManyOfClient = "too many connections from one client"

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if case .head = part, !unanswered.isEmpty {
      waiting.append(part)
    } else if !waiting.isEmpty {
      waiting.append(part)
    } else {
      handle(part, context)
    }
  }

  func read(context: ChannelHandlerContext) {
    if waiting.isEmpty { context.read() } else { isReadPending = true }
  }

  /// Processes the next waiting request.
  private func goOn(_ context: ChannelHandlerContext) {
    guard unanswered.isEmpty else { return }
    while let part = waiting.popFirst() {
      handle(part, context)
      if case .end = part { break }
    }
    context.fireChannelReadComplete()
    guard waiting.isEmpty, isReadPending else { return }
    isReadPending = false
    context.read()
  }

  private func handle(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    guard !hasFailed else { return }
    guard case .head(var head) = part else {
      if case .end = part { isBodyIncomplete = false }
      return context.fireChannelRead(wrapInboundOut(part))
    }
    if let (status, reason) = fault(of: head) {
      return refuse(context, status, reason, of: head)
    }
    let isOld = Self.isOld(head)
    if isOld { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    isBodyIncomplete = true
    unanswered.append(Unanswered(isOld: isOld, isHead: head.method == .HEAD))
    connection.beginRequest()
    if !isOld, expectsContinue(head), !isTooLong(head) {
      let go = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func fault(of head: HTTPRequestHead) -> (HTTPResponseStatus, String)? {
    let hosts = head.headers[canonicalForm: "host"].count
    if hosts > 1 || hosts == 0 && !Self.isOld(head) {
      return (.badRequest, "a request must have one Host header")
    }
    if head.headers.contains(name: "expect"), !expectsContinue(head) {
      return (.expectationFailed, "the only supported value of Expect is 100-continue")
    }
    let path = head.uri.utf8.prefix { $0 != UInt8(ascii: "?") }
    if ["/health", "/ready"].contains(where: { path.elementsEqual($0.utf8) }) { return nil }
    switch entrance {
    case .healthOnly: return (.serviceUnavailable, Self.tooMany)
    case .healthOnlyOfClient: return (.tooManyRequests, Self.tooManyOfClient)
    case .open, .refused, .full: return nil
    }
  }

  private static func isOld(_ head: HTTPRequestHead) -> Bool {
    head.version.major < 1 || head.version.major == 1 && head.version.minor == 0
  }

  private func expectsContinue(_ head: HTTPRequestHead) -> Bool {
    head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
  }

  private func isTooLong(_ head: HTTPRequestHead) -> Bool {
    head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 > maximumBody } ?? false
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !hasFailed, unanswered.isEmpty, let fault = error as? HTTPParserError else {
      return context.fireErrorCaught(error)
    }
    switch fault {
    case .headerOverflow:
      refuse(
        context, .requestHeaderFieldsTooLarge, "the header fields of the request are too long",
        "(invalid request)")
    default:
      refuse(context, .badRequest, "the request is not valid HTTP/1.1", "(invalid request)")
    }
  }

  // MARK: Replies

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    guard !hasFailed else {
      promise?.fail(ChannelError.alreadyClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      let isOld = unanswered.first?.isOld == true
      guard isOld || isBodyIncomplete else { return context.write(data, promise: promise) }
      // In HTTP/1.0, the end of the connection marks the end of a body without a length.
      if isOld { head.version = .http1_0 }
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      var end = data
      if !unanswered.isEmpty {
        // The encoder would add the end of a chunked body, which a reply to HEAD must not have.
        if unanswered.removeFirst().isHead {
          end = wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))
        }
        connection.endRequest()
      }
      if isBodyIncomplete {
        // The rest of the body is not awaited.
        hasFailed = true
        let done = promise ?? context.eventLoop.makePromise()
        done.futureResult.assumeIsolated().whenComplete { _ in self.leave(context) }
        return context.writeAndFlush(end, promise: done)
      }
      context.write(end, promise: promise)
      guard !waiting.isEmpty else { return }
      // The next request is deferred, so that other connections are handled in between. The delay
      // grows with the number of clients that pipeline requests.
      let others = table.pipelined.wrappingAdd(1, ordering: .relaxed).newValue
      let pause = TimeAmount.microseconds(Int64(200 * max(1, others)))
      context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
        self.table.pipelined.wrappingSubtract(1, ordering: .relaxed)
        self.goOn(context)
      }
    }
  }

  private func refuse(
    _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ reason: String,
    of head: HTTPRequestHead
  ) {
    let (path, shown) = (ServiceRequest(head).path, RequestAccount.Request.line(of: head))
    refuse(
      context, status, reason, shown, operation: Metrics.operation(path),
      client: RequestOrigin.client(of: head, connection, proxies), isHead: head.method == .HEAD)
  }

  /// Sends an error instead of handling further requests, and closes the connection.
  ///
  /// - Parameters:
  ///   - line: the text for the log: the request, or a placeholder such as `(connection)`.
  ///   - operation: the operation name for the metrics.
  ///   - client: the client's address; nil for the address of the connection.
  private func refuse(
    _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ reason: String,
    _ line: String, operation: String = "refused", client: String? = nil, isHead: Bool = false
  ) {
    hasFailed = true
    let isOverload = status == .tooManyRequests || status == .serviceUnavailable
    let account = journal.begin(
      RequestAccount.Request(
        operation: operation, line: line, status: Int(status.code), failure: reason,
        kind: (isOverload ? FailureCode.limit : .badInput).rawValue,
        client: client ?? connection.addressText))
    // The error cannot be sent if an earlier request has no reply yet, because replies must keep
    // the order of the requests.
    guard unanswered.isEmpty else {
      account.end(bytes: 0)
      return context.close(promise: nil)
    }
    let body = context.channel.allocator.buffer(string: reason + "\n")
    var head = HTTPResponseHead(version: .http1_1, status: status)
    head.headers = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)",
      "Connection": "close",
    ]
    account.end(bytes: isHead ? 0 : body.readableBytes)
    if isOverload {
      head.headers.add(name: "Retry-After", value: "1")
    }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      self.leave(context)
    }
  }

  /// Closes a connection. The client has a second to read the reply, because closing a socket with
  /// unread data from the client would discard the reply. If too many connections are already
  /// waiting, the connection is closed immediately.
  private func leave(_ context: ChannelHandlerContext) {
    guard let farewell = BudgetShare(of: farewells) else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
      farewell.end()
      context.close(promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if hasFailed, case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
