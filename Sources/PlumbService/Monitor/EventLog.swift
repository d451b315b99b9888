import PlumbCore
import PlumbIO
import Synchronization

/// The events of a monitor in their order. The log stores the most recent events for clients that
/// reconnect.
package final class EventLog: Sendable {
  /// One event.
  package struct Event: Sendable {
    /// The number of the event in the log, from 1.
    package let number: Int
    /// The type of the event.
    package let type: String
    /// The JSON object that `plumb monitor` writes, on one line.
    package let json: [UInt8]
    /// The size of all events up to and including this event, in bytes.
    package let end: Int
  }

  private struct State {
    /// The events. The events before the index `first` are discarded.
    var events: [Event] = []
    var first = 0
    var bytes = 0
    /// The size of all events so far, including discarded events, in bytes.
    var total = 0
    var last = 0

    /// The number of the event before the oldest stored event.
    var oldest: Int { last - (events.count - first) }
    var appended: (@Sendable () -> Void)?
  }

  /// A string that distinguishes the events of this log from the events of another run of the
  /// server.
  package let run: String
  private let limit: Int
  private let byteLimit: Int
  private let state = Mutex(State())

  init(_ limits: MonitorLimits) {
    (limit, byteLimit) = (max(1, limits.events), limits.eventBytes)
    let start = UInt64(clamping: WallClock.microseconds)
    run = String(start, radix: 36) + String(UInt32.random(in: 0..<46_656) + 46_656, radix: 36)
  }

  /// Returns the event id that clients receive.
  package func id(_ number: Int) -> String { "\(run)-\(number)" }

  /// The number of the last event; 0 before the first.
  package var last: Int { state.withLock { $0.last } }

  /// Sets the handler of new events. The log has only one handler.
  package func onAppend(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.appended = body }
  }

  /// Appends events in one step.
  ///
  /// - Returns: the number of the last event.
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

  // MARK: Resuming

  /// The position at which a client starts or resumes.
  package struct Start: Sendable {
    /// The number of the event before the next event for the client.
    package var after: Int
    /// The size of all events up to and including the event `after`, in bytes.
    package var end: Int
    /// The gap before the next event; nil if there is no gap.
    package var gap: Gap?
  }

  /// A gap in the sequence of events, which consists of events that are no longer stored.
  package struct Gap: Sendable {
    /// The id of the last event that the client received.
    package var after: String
    /// The id of the next event.
    package var next: String
    /// The number of lost events; nil if unknown, for example after a restart of the server.
    package var lost: Int?

    /// The JSON that clients receive.
    package var json: [UInt8] {
      var object = JSONObject()
      object.add("after", after)
      object.add("next", next)
      object.add("lost", lost.map { .integer(Int64($0)) } ?? .null)
      return object.bytes
    }
  }

  /// - Parameter id: the id of the last event that a client received; nil for a new client.
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

  /// Returns the event number in an id of this run; nil for other ids.
  private func number(of id: String) -> Int? {
    guard id.hasPrefix(run + "-") else { return nil }
    let digits = id.dropFirst(run.count + 1)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- 48 <= 9 }) else { return nil }
    return Int(digits)
  }

  /// Returns the events after a number, with the oldest event first, until their size reaches
  /// `limit` bytes. At least one event is returned if any event is available.
  ///
  /// - Returns: nil if the next event is no longer stored.
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
