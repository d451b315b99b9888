import NIOCore
import NIOWebSocket

/// A connection with server-sent events: what the client sends is dropped.
final class EventBlockHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = Never

  private let opening: EventOpening
  private var stream: EventStream?

  init(_ opening: EventOpening) { self.opening = opening }

  func handlerAdded(context: ChannelHandlerContext) {
    let stream = EventStream(opening.hub, .blocks, context)
    self.stream = stream
    stream.write(opening.head)
    stream.begin(after: opening.lastID)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  /// No answer of HTTP goes out any more, whoever writes one.
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
    case is ChannelShouldQuiesceEvent: stream?.finish("the server ends", .goingAway)
    case ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// A connection with WebSocket: answers what the protocol asks.
final class EventSocketHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundIn = Never

  private let opening: EventOpening
  private var stream: EventStream?
  /// What has come of a message in several frames; nil between messages.
  private var message: ByteBuffer?

  /// Bytes of a client's message.
  static let longestMessage = 1 << 16

  init(_ opening: EventOpening) { self.opening = opening }

  func handlerAdded(context: ChannelHandlerContext) {
    let stream = EventStream(opening.hub, .messages, context)
    self.stream = stream
    stream.write(opening.head)
    stream.begin(after: opening.lastID)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard let stream, !stream.hasEnded else {
      // The answer to what ended it.
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return stream.finish(
        frame.maskKey == nil ? "a client's frames are masked" : "no extension was agreed on",
        .protocolError)
    }
    switch frame.opcode {
    case .ping:
      stream.answer(ping: Array(buffer: frame.unmaskedData))
    case .pong: break
    case .connectionClose: stream.finish("as the client asked", .normal)
    case .text, .binary:
      guard message == nil else {
        return stream.finish("a message begins within another", .protocolError)
      }
      guard frame.opcode == .text else {
        return stream.finish("messages are text", .unacceptable)
      }
      add(frame, to: context.channel.allocator.buffer(capacity: 0), stream)
    case .continuation:
      guard let message else { return stream.finish("no message goes on", .protocolError) }
      add(frame, to: message, stream)
    default: stream.finish("there is no such frame", .protocolError)
    }
  }

  /// Takes a frame of a message. What messages say is of no account; they are to be well formed.
  private func add(_ frame: WebSocketFrame, to message: ByteBuffer, _ stream: EventStream) {
    var whole = message
    var part = frame.unmaskedData
    guard whole.readableBytes + part.readableBytes <= Self.longestMessage else {
      return stream.finish("a message is over \(Self.longestMessage) bytes", .tooLarge)
    }
    whole.writeBuffer(&part)
    guard frame.fin else {
      self.message = whole
      return
    }
    self.message = nil
    guard String(validating: whole.readableBytesView, as: UTF8.self) != nil else {
      return stream.finish("a message is no UTF-8", .invalidText)
    }
  }

  /// No answer of HTTP goes out any more, whoever writes one.
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
    case is ChannelShouldQuiesceEvent: stream?.finish("the server ends", .goingAway)
    case ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let stream, !stream.hasEnded, let fault = error as? NIOWebSocketError else {
      if stream?.hasEnded != true { context.close(promise: nil) }
      return
    }
    if fault == .invalidFrameLength {
      stream.finish("a frame is over \(Self.longestMessage) bytes", .tooLarge)
    } else {
      stream.finish("a control frame is in parts, or over 125 bytes", .protocolError)
    }
  }
}
