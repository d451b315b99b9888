import NIOCore
import NIOWebSocket

/// The handler of a connection with a stream of events. It discards data from the client.
class EventHandler<Inbound>: ChannelDuplexHandler {
  typealias InboundIn = Inbound
  typealias OutboundIn = Never

  private let opening: EventOpening
  private let form: EventPart.Form
  fileprivate private(set) var stream: EventStream?

  fileprivate init(_ opening: EventOpening, _ form: EventPart.Form) {
    (self.opening, self.form) = (opening, form)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let stream = EventStream(opening.hub, form, context)
    self.stream = stream
    stream.write(opening.head)
    stream.begin(after: opening.lastID)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  /// Discards HTTP replies of other handlers.
  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    promise?.fail(ChannelError.operationUnsupported)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    stream?.goOn()
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    stream.map(opening.leave)
    stream = nil
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: stream?.finish("the server is shutting down", .goingAway)
    case ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// The handler of a connection with server-sent events.
final class EventBlockHandler: EventHandler<ByteBuffer> {
  init(_ opening: EventOpening) { super.init(opening, .blocks) }
}

/// The handler of a WebSocket connection. It answers the client's control frames.
final class EventSocketHandler: EventHandler<WebSocketFrame> {
  /// The received part of a fragmented message; nil between messages.
  private var message: ByteBuffer?

  /// The maximum size of a client's message in bytes.
  static let longestMessage = 1 << 16

  init(_ opening: EventOpening) { super.init(opening, .messages) }

  override func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard let stream, !stream.hasEnded else {
      // After the stream has ended, the client's reply to the close frame closes the connection.
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return stream.finish(
        frame.maskKey == nil ? "client frames must be masked" : "no extension was negotiated",
        .protocolError)
    }
    switch frame.opcode {
    case .ping:
      stream.reply(ping: Array(buffer: frame.unmaskedData))
    case .pong: break
    case .connectionClose: stream.finish("closed by the client", .normal)
    case .text, .binary:
      guard message == nil else {
        return stream.finish("a message started within another", .protocolError)
      }
      guard frame.opcode == .text else {
        return stream.finish("messages must be text", .unacceptable)
      }
      add(frame, to: context.channel.allocator.buffer(capacity: 0), stream)
    case .continuation:
      guard let message else { return stream.finish("nothing to continue", .protocolError) }
      add(frame, to: message, stream)
    default: stream.finish("unknown frame type", .protocolError)
    }
  }

  /// Adds a frame to a message. The content of messages is ignored, but must be valid.
  private func add(_ frame: WebSocketFrame, to message: ByteBuffer, _ stream: EventStream) {
    var complete = message
    var part = frame.unmaskedData
    guard complete.readableBytes + part.readableBytes <= Self.longestMessage else {
      return stream.finish("a message is over \(Self.longestMessage) bytes", .tooLarge)
    }
    complete.writeBuffer(&part)
    guard frame.fin else {
      self.message = complete
      return
    }
    self.message = nil
    guard String(validating: complete.readableBytesView, as: UTF8.self) != nil else {
      return stream.finish("a message is not UTF-8", .invalidText)
    }
  }

  override func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let stream, !stream.hasEnded, let fault = error as? NIOWebSocketError else {
      if stream?.hasEnded != true { context.close(promise: nil) }
      return
    }
    if fault == .invalidFrameLength {
      stream.finish("a frame is over \(Self.longestMessage) bytes", .tooLarge)
    } else {
      stream.finish("a control frame is fragmented, or over 125 bytes", .protocolError)
    }
  }
}
