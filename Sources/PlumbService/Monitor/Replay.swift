import Plumb
import PlumbCore
import PlumbIO
import PlumbVerbs

/// The replay of a track as if its locations were reported now. Only one replay runs at a time.
final class Replay: Sendable {
  struct State: Sendable {
    var isRunning = false
    var isStopped = false
    /// The speed of the running replay or of the last replay.
    var speed = 0.0
    var total = 0
    var done = 0
    /// The receipt, including rows that cannot be read.
    var receipt = LocationReceipt()
  }

  private let state = WaitableState(State())

  /// Starts a replay and returns true; returns false if a replay is running.
  func begin(_ speed: Double, _ sent: SentTrack) -> Bool {
    state.change { state in
      guard !state.isRunning else { return false }
      state = State(
        isRunning: true, speed: speed, total: sent.count, receipt: sent.receipt)
      return true
    }
  }

  func end() { state.change { $0.isRunning = false } }

  /// Stops the running replay and waits for its end.
  ///
  /// - Returns: whether a replay was running.
  func stop() -> Bool {
    let isRunning = state.change { state in
      state.isStopped = true
      return state.isRunning
    }
    guard isRunning else { return false }
    _ = state.wait(seconds: 5) { $0.isRunning ? nil : true }
    return true
  }

  func add(_ receipt: LocationReceipt, rows: Int) {
    state.withLock { state in
      state.done += rows
      state.receipt.add(receipt)
    }
  }

  /// Waits for a duration.
  ///
  /// - Returns: whether the replay continues.
  func pause(seconds: Double) -> Bool {
    state.wait(seconds: seconds) { $0.isStopped ? true : nil } == nil
  }

  var shouldContinue: Bool { state.withLock { !$0.isStopped } }

  /// The state of the replay; nil if no replay has been started.
  var json: JSONObject? {
    let state = state.withLock { $0 }
    guard state.total > 0 else { return nil }
    var object = JSONObject()
    object.add("running", state.isRunning)
    object.add("speed", state.speed.isFinite ? .real(state.speed) : .text("max"))
    object.add("locations", state.total)
    object.add("done", state.done)
    state.receipt.add(to: &object)
    return object
  }
}

/// A track that is parsed but not yet replayed.
struct SentTrack: Sendable {
  private(set) var batches: [LocationBatch] = []
  /// The entity names of the batches.
  let names: EntityNames
  let rowCount: Int
  /// The receipt of rows that cannot be read.
  private(set) var receipt = LocationReceipt()

  /// The maximum number of values in a track, including its attributes.
  private static let longest = 20_000_000

  /// - Throws: if nothing can be read, or the track is too long.
  init(_ feed: LocationFeed, batchLimit: Int) throws(ServiceError) {
    var values = 0
    // The feed reads one batch ahead, so that its issues may refer to rows of the next batch.
    var issues: [LocationIssue] = []
    do throws(PlumbError) {
      while let batch = try feed.next(limit: batchLimit) {
        issues += feed.drainIssues()
        let last = batch.index.last ?? -1
        receipt.add(issues.filter { $0.index <= last }, besides: batch)
        issues.removeAll { $0.index <= last }
        values += batch.count * (10 + batch.fields.count)
        guard values <= Self.longest else { break }
        if batch.count > 0 { batches.append(batch) }
        if WorkCancellation.isCurrentCancelled { break }
      }
    } catch {
      receipt.failure = error.line.text(FrontEnd.service.spellings)
    }
    guard values <= Self.longest else {
      throw ServiceError(
        "the track has over \(Self.longest) values: send it in parts", status: 413, kind: .limit)
    }
    if WorkCancellation.isCurrentCancelled { throw ServiceError(CancellationError()) }
    receipt.add(issues + feed.drainIssues(), besides: LocationBatch())
    (names, rowCount) = (feed.entities, feed.rowCount)
    guard !batches.isEmpty else {
      throw ServiceError(
        receipt.failure ?? receipt.refusals.first?.message ?? "the track has no locations")
    }
  }

  var count: Int { batches.reduce(0) { $0 + $1.count } }
}

extension LiveMonitor {
  /// Starts the replay of a track.
  ///
  /// The track's entities are reset, so that the same track can be sent again. With a finite speed,
  /// locations are sent in the order of their times. With an infinite speed, they are sent in the
  /// order of the file.
  ///
  /// - Parameter speed: the number of seconds of the track per second; infinite for the highest
  ///   possible speed.
  func startReplay(_ sent: SentTrack, speed: Double) throws(ServiceError) {
    guard replay.begin(speed, sent) else {
      throw ServiceError(
        "another track is being replayed: DELETE it, or wait for its end", status: 409,
        kind: .limit)
    }
    WorkCancellation.note("the track is being replayed")
    count(sent.receipt)
    let isStarted = Workers.detach { [self] in
      run(sent, speed)
      replay.end()
    }
    if !isStarted {
      replay.end()
      throw ServiceError("cannot start a thread", status: 503, kind: .system)
    }
  }

  /// The maximum number of rows processed under one lock.
  private static let partLimit = 1024
  /// The maximum wait for the next due time, in seconds.
  private static let longestPause = 3600.0

  private func run(_ sent: SentTrack, _ speed: Double) {
    let base = begin(sent)
    guard speed.isFinite else {
      for batch in sent.batches {
        for first in stride(from: 0, to: batch.count, by: Self.partLimit) {
          guard replay.shouldContinue else { return }
          send(batch.rows(first..<min(batch.count, first + Self.partLimit)), sent.names, base)
        }
      }
      return
    }
    let rows = sent.batches.enumerated().flatMap { number, batch in
      (0..<batch.count).map { (number, row: $0, time: batch.time[$0]) }
    }
    let order = rows.indices.sorted {
      (rows[$0].time, $0) < (rows[$1].time, $1)
    }
    guard let first = order.first else { return }
    let start = ContinuousClock.now
    let begin = rows[first].time
    var next = 0
    while next < order.count {
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      var end = next
      while end < order.count, end - next < Self.partLimit,
        Double(rows[order[end]].time - begin) <= elapsed * speed * 1000
      {
        end += 1
      }
      guard end > next else {
        let due = Double(rows[order[next]].time - begin) / 1000 / speed - elapsed
        guard replay.pause(seconds: min(max(due, 0.001), Self.longestPause)) else { return }
        continue
      }
      guard replay.shouldContinue else { return }
      // Consecutive rows of the same batch are sent together.
      while next < end {
        let number = rows[order[next]].0
        var last = next
        while last < end, rows[order[last]].0 == number { last += 1 }
        send(sent.batches[number].rows(order[next..<last].map { rows[$0].row }), sent.names, base)
        next = last
      }
    }
  }

  /// Resets the entities of a track.
  ///
  /// - Returns: the monitor's row number of the track's first row.
  private func begin(_ track: SentTrack) -> Int {
    withState { state in
      defer { state.rows += track.rowCount }
      let known = Set(track.names.names.compactMap { state.entities.known($0) })
      for notifier in state.notifiers.notifiers { notifier.forget(known) }
      return state.rows
    }
  }

  private func send(_ batch: LocationBatch, _ names: EntityNames, _ base: Int) {
    var receipt = LocationReceipt()
    accept(batch, names, &receipt, base: base)
    count(receipt)
    replay.add(receipt, rows: batch.count)
  }
}
