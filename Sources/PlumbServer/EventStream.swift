import NIOCore
import PlumbService

/// The event stream of a subscribed client. It is used only on the event loop of its connection.
///
/// Unsent events remain in the monitor's shared log, so that a slow client does not delay other
/// clients. A client is disconnected when its backlog exceeds the limit or the size of the log.
final class EventStream {
  private enum Phase { case behind, live, ended }

  private let hub: EventHub
  private let form: EventPart.Form
  private let context: ChannelHandlerContext
  private var phase = Phase.behind
  /// The number of the last event that the client has or that was sent, and the total size of the
  /// events up to this event.
  private var (after, end) = (0, 0)
  /// The maximum backlog in bytes.
  private var allowance: Int
  private var isGoingOn = false
  /// Whether the last heartbeat is still unsent.
  private var isBeating = false
  /// The number of bytes sent, for the log.
  private(set) var sent = 0
  /// The reason why the stream ended; nil while it is open, or if the client disconnected.
  private(set) var reason: String?

  /// The size of the chunks sent to a client that has a backlog, in bytes.
  private static let partBytes = 1 << 16
  /// The numbers of unsent bytes below which a connection becomes writable (`low`) and above which
  /// it becomes unwritable (`high`).
  static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1 << 15, high: 1 << 17)
  /// The time that a client has to read the end of a stream.
  private static let farewell = TimeAmount.seconds(2)

  init(_ hub: EventHub, _ form: EventPart.Form, _ context: ChannelHandlerContext) {
    (self.hub, self.form, self.context) = (hub, form, context)
    allowance = hub.monitor.limits.queueBytes
  }

  var hasEnded: Bool { phase == .ended }

  private var log: EventLog { hub.monitor.log }

  /// Starts the stream.
  ///
  /// - Parameter id: the id of the last event that the client received; nil for a new client.
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
    // The backlog at the start of the stream does not count towards the limit.
    allowance += max(0, hub.last.end - end)
    goOn()
  }

  private func move(to start: EventLog.Start) {
    (after, end) = (start.after, start.end)
    if let gap = start.gap { write(message: log.id(start.after), "gap", gap.json) }
  }

  /// Handles a gap in the log. A gap occurs when more events arrive at once than the log can store,
  /// so that some events are lost for all streams.
  func jump(_ start: EventLog.Start) {
    switch phase {
    case .live: if after < start.after { move(to: start) }
    case .behind: finishTooSlow()
    case .ended: break
    }
  }

  /// Sends events as they arrive, or leaves them in the log if the client has a backlog.
  func receive(_ part: EventPart) {
    if phase == .live {
      if let last = part.events.last, last.number <= after { return }
      if context.channel.isWritable { return send(part.after(after)) }
      phase = .behind
    }
    if phase == .behind, hub.last.end - end > allowance { finishTooSlow() }
  }

  /// Sends as much of the backlog as the connection accepts.
  func goOn() {
    // Sending may trigger a writability event, which calls this method again.
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
      guard let events = log.events(after: after, bytes: Self.partBytes) else {
        return finishTooSlow()
      }
      // The hub distributes later events.
      send(EventPart(events.filter { $0.number <= last }, log))
    }
  }

  private func send(_ part: EventPart) {
    if let last = part.events.last { (after, end) = (last.number, last.end) }
    let buffer = part.buffer(form)
    sent += buffer.readableBytes
    context.writeAndFlush(NIOAny(buffer), promise: nil)
  }

  private func finishTooSlow() {
    let limits = hub.monitor.limits
    finish("too slow: over \(limits.queueBytes) bytes or \(limits.events) events wait", .tryLater)
  }

  /// Sends a heartbeat. A client that has not received the last heartbeat is disconnected.
  func beat() {
    guard phase != .ended else { return }
    guard !isBeating else {
      return finish("too slow: the client stopped reading", .tryLater)
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

  /// Sends raw bytes.
  func write(_ bytes: [UInt8]) {
    guard phase != .ended else { return }
    sent += bytes.count
    context.writeAndFlush(
      NIOAny(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
  }

  /// Replies to a ping if the client is reading.
  func reply(ping content: [UInt8]) {
    guard context.channel.isWritable else { return }
    var bytes: [UInt8] = []
    SocketFrame.append(.pong, content, to: &bytes)
    write(bytes)
  }

  /// Ends the stream with a reason, which the client receives if it reads in time.
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
      // Only the output is closed. Closing a socket with unread data from the client could discard
      // the bytes that were just sent.
      context.close(mode: .output, promise: nil)
    }
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) {
      context.close(promise: nil)
    }
  }

  /// Marks the stream as ended, when the connection closes or before it is closed.
  func leave() {
    phase = .ended
    hub.remove(self)
  }
}
