import NIOCore
import PlumbService

/// One client that listens, on the event loop of its connection alone.
///
/// What it has not taken yet waits in its connection, up to a bound; beyond it is cut off, so that no
/// other waits for it.
final class EventStream {
  private enum Phase { case catchingUp, live, ended }

  private let hub: EventHub
  private let form: EventPart.Form
  private let context: ChannelHandlerContext
  private var phase = Phase.catchingUp
  /// The last event that it was sent, or knew.
  private var after = 0
  /// Whether the last heartbeat has not gone out.
  private var isBeating = false
  /// Bytes that it was sent, for the log.
  private(set) var sent = 0
  /// Why it has ended; nil while it goes on, and where the client went.
  private(set) var reason: String?

  /// Bytes that a client that was behind gets at once.
  private static let partBytes = 1 << 16
  /// Seconds in which a client may take what ends a stream.
  private static let farewell = TimeAmount.seconds(2)

  init(_ hub: EventHub, _ form: EventPart.Form, _ context: ChannelHandlerContext) {
    (self.hub, self.form, self.context) = (hub, form, context)
  }

  /// Whether it gets events as they come.
  var isLive: Bool { phase == .live }
  var hasEnded: Bool { phase == .ended }

  private var log: EventLog { hub.monitor.log }

  /// Begins.
  ///
  /// - Parameter id: the last event that the client has; nil for one that begins now.
  func begin(after id: String?) {
    let start = hub.add(self, after: id)
    if id == nil {
      let id = log.id(start.after)
      switch form {
      case .blocks: write(EventText.opening(id: id))
      case .messages: write(message: id, "open", Array("{}".utf8))
      }
    }
    jump(start)
    goOn()
  }

  /// Goes on elsewhere, and says what is lost.
  func jump(_ start: EventLog.Start) {
    after = start.after
    if let gap = start.gap { write(message: log.id(start.after), "gap", gap.json) }
  }

  /// Sends what came before the client did, part by part as it is taken.
  private func goOn() {
    guard phase == .catchingUp else { return }
    guard after < hub.last else {
      phase = .live
      return
    }
    guard let events = log.events(after: after, bytes: Self.partBytes) else {
      return end("too slow: the events that come next are not kept any more", .tryLater)
    }
    // Those that the hub has not handed on yet it will.
    let part = EventPart(events.filter { [last = hub.last] in $0.number <= last }, log)
    after = part.last
    let buffer = part.buffer(form)
    sent += buffer.readableBytes
    context.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenSuccess { self.goOn() }
  }

  /// Sends events that all get.
  func take(_ part: EventPart) {
    guard phase == .live else { return }
    guard context.channel.isWritable else {
      return end(
        "too slow: over \(hub.monitor.limits.queueBytes) bytes of events wait", .tryLater)
    }
    after = part.last
    let buffer = part.buffer(form)
    sent += buffer.readableBytes
    context.writeAndFlush(NIOAny(buffer), promise: nil)
  }

  /// Shows that the server is there. A client that has not taken the last heartbeat is gone.
  func beat() {
    guard phase != .ended else { return }
    guard !isBeating else { return end("too slow: nothing was read for some time", .tryLater) }
    isBeating = true
    var bytes = EventText.heartbeat
    if form == .messages {
      bytes = []
      SocketFrame.append(.ping, [], to: &bytes)
    }
    context.writeAndFlush(NIOAny(context.channel.allocator.buffer(bytes: bytes))).assumeIsolated()
      .whenComplete { _ in self.isBeating = false }
  }

  // MARK: Writing

  private func write(message id: String?, _ type: String, _ data: [UInt8]) {
    var bytes: [UInt8] = []
    switch form {
    case .blocks: EventText.appendBlock(id: id, type: type, data: data, to: &bytes)
    case .messages:
      SocketFrame.append(.text, EventText.message(id: id, type: type, data: data), to: &bytes)
    }
    write(bytes)
  }

  /// Sends bytes as they are, unless the client is far behind.
  func write(_ bytes: [UInt8]) {
    guard phase != .ended else { return }
    sent += bytes.count
    context.writeAndFlush(
      NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    if !context.channel.isWritable, phase == .live {
      end("too slow: over \(hub.monitor.limits.queueBytes) bytes wait", .tryLater)
    }
  }

  /// Ends the stream with a reason, which the client gets if it takes it in time.
  func end(_ reason: String, _ code: SocketFrame.Code) {
    guard phase != .ended else { return }
    leave()
    self.reason = reason
    var bytes: [UInt8] = []
    switch form {
    case .blocks:
      EventText.appendBlock(id: nil, type: "end", data: EventText.end(reason), to: &bytes)
    case .messages: bytes = SocketFrame.close(code, reason)
    }
    sent += bytes.count
    let context = context
    let buffer = context.channel.allocator.buffer(bytes: bytes)
    context.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenSuccess {
      // What the client sends meanwhile must not make what it gets be lost.
      context.close(mode: .output, promise: nil)
    }
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) {
      context.close(promise: nil)
    }
  }

  /// The connection is no more, or will be.
  func leave() {
    phase = .ended
    hub.remove(self)
  }
}
