import PlumbCore
import PlumbIO
import Synchronization

/// The events of a monitor in their order: the last ones are kept for clients that come back.
package final class EventLog: Sendable {
  /// One event.
  package struct Event: Sendable {
    /// From 1 on, since the log was begun.
    package let number: Int
    /// What happened.
    package let type: String
    /// The object that `plumb monitor` writes, on one line.
    package let json: [UInt8]
    /// Bytes of all events up to this one, it included.
    package let end: Int
  }

  private struct State {
    /// Those before `first` are gone.
    var events: [Event] = []
    var first = 0
    var bytes = 0
    /// Of all there ever were.
    var total = 0
    var last = 0

    /// The number of the event before the oldest that is kept.
    var oldest: Int { last - (events.count - first) }
    var appended: (@Sendable () -> Void)?
  }

  /// Tells the events of this log from those of another run of the server.
  package let run: String
  private let limit: Int
  private let byteLimit: Int
  private let state = Mutex(State())

  init(_ limits: MonitorLimits) {
    (limit, byteLimit) = (max(1, limits.events), limits.eventBytes)
    let start = UInt64(clamping: WallClock.microseconds)
    run = String(start, radix: 36) + String(UInt32.random(in: 0..<46_656) + 46_656, radix: 36)
  }

  /// What clients know an event by.
  package func id(_ number: Int) -> String { "\(run)-\(number)" }

  /// The last event's number; 0 before the first.
  package var last: Int { state.withLock { $0.last } }

  /// Who is told of new events; only one.
  package func onAppend(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.appended = body }
  }

  /// Adds events, all at once.
  ///
  /// - Returns: the last one's number.
  @discardableResult
  func append(_ events: [(type: String, json: [UInt8])]) -> Int {
    guard !events.isEmpty else { return last }
    let (last, appended) = state.withLock { state in
      for (type, json) in events {
        state.last += 1
        state.bytes += json.count
        state.total += json.count
        state.events.append(
          Event(number: state.last, type: type, json: json, end: state.total))
      }
      while state.events.count - state.first > limit
        || state.bytes > byteLimit && state.events.count - state.first > 1
      {
        state.bytes -= state.events[state.first].json.count
        state.first += 1
      }
      if state.first > 1024, state.first * 2 > state.events.count {
        state.events.removeFirst(state.first)
        state.first = 0
      }
      return (state.last, state.appended)
    }
    appended?()
    return last
  }

  // MARK: Going on

  /// Where a client goes on.
  package struct Start: Sendable {
    /// The number of the event before the next one.
    package var after: Int
    /// Bytes of all events up to that one.
    package var end: Int
    /// What it missed; nil for nothing.
    package var gap: Gap?
  }

  /// Events that nobody has any more.
  package struct Gap: Sendable {
    /// The last event that the client knows.
    package var after: String
    /// The event that comes next.
    package var next: String
    /// How many are lost; nil where nobody knows, as after the server was started anew.
    package var lost: Int?

    /// As clients get it.
    package var json: [UInt8] {
      var object = JSONObject()
      object.add("after", after)
      object.add("next", next)
      object.add("lost", lost.map { .integer(Int64($0)) } ?? .null)
      return object.bytes
    }
  }

  /// - Parameter id: the last event that a client has; nil for one that begins now.
  package func start(after id: String?) -> Start {
    state.withLock { state in
      guard let id else { return Start(after: state.last, end: state.total) }
      let oldest = state.oldest
      let number = number(of: id).flatMap { $0 <= state.last ? $0 : nil }
      if let number, number >= oldest {
        let end =
          number == oldest
          ? state.total - state.bytes : state.events[state.first + number - oldest - 1].end
        return Start(after: number, end: end)
      }
      let gap = Gap(after: id, next: self.id(oldest + 1), lost: number.map { oldest - $0 })
      return Start(after: oldest, end: state.total - state.bytes, gap: gap)
    }
  }

  /// The number in an id of this run.
  private func number(of id: String) -> Int? {
    guard id.hasPrefix(run + "-") else { return nil }
    let digits = id.dropFirst(run.count + 1)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 48 <= 9 }) else { return nil }
    return Int(digits)
  }

  /// The events after a number, the oldest first, of as many bytes or one.
  ///
  /// - Returns: nil where the next one is not kept any more.
  package func events(after number: Int, bytes limit: Int) -> [Event]? {
    state.withLock { state in
      let oldest = state.oldest
      guard number >= oldest else { return nil }
      var found: [Event] = []
      var bytes = 0
      var index = state.first + (number - oldest)
      while index < state.events.count, found.isEmpty || bytes < limit {
        found.append(state.events[index])
        bytes += state.events[index].json.count
        index += 1
      }
      return found
    }
  }
}
