import NIOCore
import PlumbCore
import PlumbService
import Synchronization

/// Consecutive events, encoded once for all recipients.
final class EventPart {
  /// The wire formats of events.
  enum Form { case blocks, messages }

  let events: [EventLog.Event]
  private let log: EventLog
  private let allocator = ByteBufferAllocator()

  init(_ events: [EventLog.Event], _ log: EventLog) { (self.events, self.log) = (events, log) }

  private lazy var blocks: ByteBuffer = {
    var bytes: [UInt8] = []
    for event in events {
      EventText.appendBlock(
        id: log.id(event.number), type: event.type, data: event.json, to: &bytes)
    }
    return allocator.buffer(bytes: bytes)
  }()

  private lazy var messages: ByteBuffer = {
    var bytes: [UInt8] = []
    for event in events {
      let message = EventText.message(
        id: log.id(event.number), type: event.type, data: event.json)
      SocketFrame.append(.text, message, to: &bytes)
    }
    return allocator.buffer(bytes: bytes)
  }()

  /// The events after a number.
  func after(_ number: Int) -> EventPart {
    guard let first = events.first, first.number <= number else { return self }
    return EventPart(events.filter { $0.number > number }, log)
  }

  func buffer(_ form: Form) -> ByteBuffer { form == .blocks ? blocks : messages }
}

/// Distributes a monitor's events to all subscribers, on the event loop of the connections.
final class EventHub: Sendable {
  /// The state, which is accessed only on the event loop.
  private struct State {
    var streams: [ObjectIdentifier: EventStream] = [:]
    /// The number of the last distributed event, and the size of all events up to this event.
    var (last, end) = (0, 0)
  }

  let monitor: LiveMonitor
  private let loop: any EventLoop
  private let state: NIOLoopBoundBox<State>
  /// Whether a check for events is scheduled on the event loop.
  private let isDue = Atomic(false)

  /// The maximum sizes in bytes of the events that are distributed to one subscriber and to all
  /// subscribers before the event loop handles other connections.
  private static let (partBytes, totalBytes) = (1 << 18, 1 << 23)
  /// The time until the next events are distributed. The event loop handles other connections only
  /// when no task is due.
  private static let pause = TimeAmount.microseconds(50)
  private static let heartbeat = TimeAmount.seconds(15)

  init(_ monitor: LiveMonitor, _ loop: any EventLoop) {
    (self.monitor, self.loop) = (monitor, loop)
    state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: loop)
    monitor.log.onAppend { [weak self] in self?.forwardNewEvents() }
    loop.scheduleRepeatedTask(initialDelay: Self.heartbeat, delay: Self.heartbeat) {
      [weak self] task in
      guard let self else { return task.cancel() }
      for stream in state.value.streams.values { stream.beat() }
    }
  }

  /// Schedules a check for events. Any thread may call this method.
  private func forwardNewEvents() {
    guard !isDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
    loop.execute { self.forward() }
  }

  private func forward() {
    isDue.store(false, ordering: .releasing)
    handOn()
    guard monitor.log.last > state.value.last,
      !isDue.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    loop.scheduleTask(in: Self.pause) { self.forward() }
  }

  /// Distributes the next events.
  private func handOn() {
    let log = monitor.log
    guard !state.value.streams.isEmpty else { return move(to: log.start(after: nil)) }
    let bytes = min(Self.partBytes, Self.totalBytes / state.value.streams.count)
    guard let events = log.events(after: state.value.last, bytes: bytes) else {
      // Since the last check, more events arrived than the log can store.
      let start = log.start(after: log.id(state.value.last))
      move(to: start)
      for stream in state.value.streams.values { stream.jump(start) }
      return
    }
    guard let last = events.last else { return }
    let part = EventPart(events, log)
    (state.value.last, state.value.end) = (last.number, last.end)
    // The loop iterates over a copy, because a stream that ends removes itself from the dictionary.
    for stream in Array(state.value.streams.values) { stream.receive(part) }
  }

  private func move(to start: EventLog.Start) {
    (state.value.last, state.value.end) = (start.after, start.end)
  }

  // MARK: Streams

  /// Whether another subscriber is allowed.
  var hasCapacity: Bool {
    monitor.subscribers.load(ordering: .relaxed) < monitor.limits.subscribers
  }

  /// Adds a stream, and returns the position in the log at which it starts. The stream ignores
  /// earlier events that have not been distributed yet.
  func add(_ stream: EventStream, after id: String?) -> EventLog.Start {
    let start = monitor.log.start(after: id)
    if state.value.streams.isEmpty { handOn() }
    state.value.streams[ObjectIdentifier(stream)] = stream
    monitor.subscribers.add(1, ordering: .relaxed)
    return start
  }

  func remove(_ stream: EventStream) {
    if state.value.streams.removeValue(forKey: ObjectIdentifier(stream)) != nil {
      monitor.subscribers.subtract(1, ordering: .relaxed)
    }
  }

  /// The number of the last event that has been distributed to the streams, and the size of all
  /// events up to this event.
  var last: (number: Int, end: Int) { (state.value.last, state.value.end) }
}
