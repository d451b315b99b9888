import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Plumb
import PlumbIO
import PlumbService

/// The data with which an event stream is opened.
struct EventOpening {
  let hub: EventHub
  /// The bytes of the reply's status line and headers.
  let head: [UInt8]
  /// The id of the last event that the client received.
  let lastID: String?
  private let account: RequestAccount

  init(_ hub: EventHub, _ head: [UInt8], lastID: String?, _ account: RequestAccount) {
    (self.hub, self.head, self.lastID, self.account) = (hub, head, lastID, account)
  }

  /// Ends the stream when the connection closes, and logs the request.
  func leave(_ stream: EventStream) {
    stream.leave()
    account.end(bytes: stream.sent, reason: stream.reason ?? "the client went")
  }
}

/// Access to the event streams.
struct EventEntrance: Sendable {
  let hubs: [EventHub]
  let access: LiveAccess
  let proxies: TrustedProxies
  let journal: RequestJournal

  /// Returns the hub for a request of an event stream; nil for other requests and for requests
  /// without permission. The HTTP handlers refuse requests without permission.
  func hub(for head: HTTPRequestHead, from sender: NetworkAddress?) -> EventHub? {
    let isForwarded =
      sender.map { proxies.contain($0) } == true
      && (head.headers.contains(name: "X-Forwarded-Host")
        || head.headers.contains(name: "Forwarded"))
    guard head.method == .GET, head.uri.contains("/monitor/"),
      isForwarded || access.rules.allows(host: head.headers.first(name: "host"))
    else { return nil }
    let rules = access.rules
    let request = ServiceRequest(head)
    guard let name = request.monitorOfEvents,
      let hub = hubs.first(where: { $0.monitor.name == name })
    else { return nil }
    var fields = HTTPFields()
    for name in ["Authorization", "X-Esri-Authorization"] {
      guard let key = HTTPField.Name(name) else { continue }
      for value in head.headers[name] { fields.append(HTTPField(name: key, value: value)) }
    }
    var tokens = rules.tokens(in: fields)
    if rules.needsToken, let token = request.tokenParameter { tokens.append(token) }
    return rules.check(tokens) == .accepted ? hub : nil
  }

  /// Creates the account that reports a request for an event stream to the metrics and the log.
  func account(
    _ head: HTTPRequestHead, status: HTTPResponseStatus, failure: String? = nil,
    on channel: any Channel
  ) -> RequestAccount {
    let isOverload = status == .serviceUnavailable
    let kind = isOverload ? FailureCode.limit : status == .forbidden ? .notAllowed : .badInput
    return journal.begin(
      RequestAccount.Request(
        operation: "monitor_events", line: RequestAccount.Request.line(of: head),
        status: Int(status.code), failure: failure, kind: failure.map { _ in kind.rawValue },
        client: RequestOrigin.client(of: head, ClientConnection(channel), proxies)))
  }
}

/// Removes the HTTP handlers from the connections that become event streams.
final class EventGate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let entrance: EventEntrance
  /// The number of earlier requests that have not been answered.
  private var running = 0
  private var pendingUpgrade: (head: HTTPRequestHead, hub: EventHub)?
  private var isComplete = false
  private var isUpgraded = false

  init(_ entrance: EventEntrance) { self.entrance = entrance }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isUpgraded, !isComplete else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      let sender = context.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
      if let hub = entrance.hub(for: head, from: sender) {
        pendingUpgrade = (head, hub)
      } else {
        running += 1
        context.fireChannelRead(data)
      }
    case .body:
      if pendingUpgrade == nil { context.fireChannelRead(data) }
    case .end:
      guard pendingUpgrade != nil else { return context.fireChannelRead(data) }
      isComplete = true
      open(context)
    }
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    // Rejects the replies of HTTP handlers after the connection has become an event stream.
    guard !isUpgraded else {
      promise?.fail(ChannelError.operationUnsupported)
      return
    }
    context.write(data, promise: promise)
    if case .end = unwrapOutboundIn(data) {
      running -= 1
      open(context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Data after the request is ignored, even if it is not HTTP.
    if !isUpgraded { context.fireErrorCaught(error) }
  }

  // MARK: Opening

  private func open(_ context: ChannelHandlerContext) {
    guard let (head, hub) = pendingUpgrade, isComplete, running <= 0, !isUpgraded else { return }
    isUpgraded = true
    guard hub.hasCapacity else {
      let limit = hub.monitor.limits.subscribers
      return refuse(context, head, .serviceUnavailable, "\(limit) clients are already subscribed")
    }
    let origin = head.headers.first(name: "origin")
    guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" })
    else {
      var text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
      text += "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n"
      text += "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
      if let shared = entrance.access.rules.sharing(with: origin) {
        text += "Access-Control-Allow-Origin: \(shared)\r\n"
        if shared != "*" { text += "Vary: Origin\r\n" }
      }
      return upgrade(context, head, hub, text + "\r\n", isSocket: false)
    }
    guard entrance.access.rules.allows(origin: origin, host: head.headers.first(name: "host"))
    else {
      return refuse(
        context, head, .forbidden, "this origin is not allowed; --cors allows it")
    }
    let isRequested = head.headers[canonicalForm: "connection"].contains {
      $0.lowercased() == "upgrade"
    }
    guard isRequested else {
      return refuse(context, head, .badRequest, "the header Connection must contain upgrade")
    }
    let upgrader = NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
      upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
    upgrader.buildUpgradeResponse(
      channel: context.channel, upgradeRequest: head, initialResponseHeaders: [:]
    ).assumeIsolated().whenComplete { result in
      guard case .success(let headers) = result else {
        return self.refuse(
          context, head, .badRequest, "expected a WebSocket key and version 13")
      }
      let lines = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
      self.upgrade(
        context, head, hub, "HTTP/1.1 101 Switching Protocols\r\n\(lines)\r\n", isSocket: true)
    }
  }

  /// Converts the connection to an event stream.
  private func upgrade(
    _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ hub: EventHub, _ text: String,
    isSocket: Bool
  ) {
    let request = ServiceRequest(head)
    let opening = EventOpening(
      hub, Array(text.utf8),
      lastID: head.headers.first(name: "last-event-id") ?? request.lastEventParameter,
      entrance.account(
        head, status: isSocket ? .switchingProtocols : .ok, on: context.channel))
    let pipeline = context.pipeline.syncOperations
    do {
      try context.channel.syncOptions?.setOption(
        .writeBufferWaterMark, value: EventStream.waterMark)
      let handlers = try [
        pipeline.context(handlerType: HTTPResponseEncoder.self),
        pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
        pipeline.context(handlerType: RequestGuard.self),
        pipeline.context(handlerType: HTTPConnectionStateHandler.self),
      ]
      let removed = handlers.map { pipeline.removeHandler(context: $0) }
      EventLoopFuture.andAllSucceed(removed, on: context.eventLoop).assumeIsolated().whenComplete {
        result in
        guard case .success = result, context.channel.isActive else {
          return context.close(promise: nil)
        }
        self.begin(context, opening, isSocket: isSocket)
      }
    } catch {
      context.close(promise: nil)
    }
  }

  private func begin(_ context: ChannelHandlerContext, _ opening: EventOpening, isSocket: Bool) {
    let pipeline = context.pipeline.syncOperations
    do {
      if isSocket {
        try pipeline.addHandler(
          ByteToMessageHandler(
            WebSocketFrameDecoder(maxFrameSize: EventSocketHandler.longestMessage)),
          position: .before(self))
        try pipeline.addHandler(EventSocketHandler(opening), position: .before(self))
      } else {
        try pipeline.addHandler(EventBlockHandler(opening), position: .before(self))
      }
      pipeline.removeHandler(context: context, promise: nil)
    } catch {
      context.close(promise: nil)
    }
  }

  private func refuse(
    _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ status: HTTPResponseStatus,
    _ reason: String
  ) {
    let body = context.channel.allocator.buffer(string: reason + "\n")
    let headers: HTTPHeaders = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)",
      "Connection": "close",
    ]
    let responseHead = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
    entrance.account(head, status: status, failure: reason, on: context.channel)
      .end(bytes: body.readableBytes)
  }
}
