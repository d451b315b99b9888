import NIOCore
import PlumbService

/// One client that listens, on the event loop of its connection alone.
///
/// What it has not taken yet is in the monitor's log, which all share: one that is behind by more bytes
/// than may wait for it, or by more than the log keeps, is cut off, and no other ever waits for it.
final class EventStream {
  private enum Phase { case behind, live, ended }

  private let hub: EventHub
  private let form: EventPart.Form
  private let context: ChannelHandlerContext
  private var phase = Phase.behind
  /// The last event that it was sent, or knew, and the bytes of all up to it.
  private var (after, end) = (0, 0)
  /// By how many bytes it may be behind.
  private var allowance: Int
  private var isGoingOn = false
  /// Whether the last heartbeat has not gone out.
  private var isBeating = false
  /// Bytes that it was sent, for the log.
  private(set) var sent = 0
  /// Why it has ended; nil while it goes on, and where the client went.
  private(set) var reason: String?

  /// Bytes that a client that is behind gets at once.
  private static let partBytes = 1 << 16
  /// Bytes that are handed to a connection before it has sent them.
  static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 15, high: 1 << 17)
  /// How long a client may take to take what ends a stream.
  private static let farewell = TimeAmount.seconds(2)

  init(_ hub: EventHub, _ form: EventPart.Form, _ context: ChannelHandlerContext) {
    (self.hub, self.form, self.context) = (hub, form, context)
    allowance = hub.monitor.limits.queueBytes
  }

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
    move(to: start)
    // It cannot be helped how far behind a client comes.
    allowance += hub.last.end - end
    goOn()
  }

  private func move(to start: EventLog.Start) {
    (after, end) = (start.after, start.end)
    if let gap = start.gap { write(message: log.id(start.after), "gap", gap.json) }
  }

  /// More events came at once than are kept, so that nobody has got the next ones.
  func jump(_ start: EventLog.Start) {
    switch phase {
    case .live: move(to: start)
    case .behind: cut()
    case .ended: break
    }
  }

  /// Takes events that all get, or has them wait.
  func take(_ part: EventPart) {
    if phase == .live {
      if context.channel.isWritable { return send(part) }
      phase = .behind
    }
    if phase == .behind, hub.last.end - end > allowance { cut() }
  }

  /// Sends what waits, as far as the connection takes it.
  func goOn() {
    // Sending may say that there is room again.
    guard !isGoingOn else { return }
    isGoingOn = true
    defer { isGoingOn = false }
    while phase == .behind, context.channel.isWritable {
      let last = hub.last.number
      guard after < last else {
        phase = .live
        allowance = hub.monitor.limits.queueBytes
        return
      }
      guard let events = log.events(after: after, bytes: Self.partBytes) else { return cut() }
      // Those that the hub has not handed on yet it will.
      send(EventPart(events.filter { $0.number <= last }, log))
    }
  }

  private func send(_ part: EventPart) {
    if let last = part.events.last { (after, end) = (last.number, last.end) }
    let buffer = part.buffer(form)
    sent += buffer.readableBytes
    context.writeAndFlush(NIOAny(buffer), promise: nil)
  }

  private func cut() {
    let limits = hub.monitor.limits
    finish("too slow: over \(limits.queueBytes) bytes or \(limits.events) events wait", .tryLater)
  }

  /// Shows that the server is there. A client that has not taken the last heartbeat is gone.
  func beat() {
    guard phase != .ended else { return }
    guard !isBeating else {
      return finish("too slow: nothing was read for some time", .tryLater)
    }
    isBeating = true
    var bytes = EventText.heartbeat
    if form == .messages {
      bytes = []
      SocketFrame.append(.ping, [], to: &bytes)
    }
    sent += bytes.count
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

  /// Sends bytes as they are.
  func write(_ bytes: [UInt8]) {
    guard phase != .ended else { return }
    sent += bytes.count
    context.writeAndFlush(
      NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
  }

  /// Answers a client that does read.
  func answer(ping content: [UInt8]) {
    guard context.channel.isWritable else { return }
    var bytes: [UInt8] = []
    SocketFrame.append(.pong, content, to: &bytes)
    write(bytes)
  }

  /// Ends the stream with a reason, which the client gets if it takes it in time.
  func finish(_ reason: String, _ code: SocketFrame.Code) {
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
