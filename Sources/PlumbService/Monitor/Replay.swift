import Plumb
import PlumbCore
import PlumbIO
import PlumbVerbs

/// A track that is sent to a monitor as if it happened now: one at a time.
final class Replay: Sendable {
  struct State: Sendable {
    var isRunning = false
    var isStopped = false
    /// Of the one that runs, or ran last.
    var speed = 0.0
    var total = 0
    var done = 0
    /// Of rows that cannot be read, too.
    var receipt = LocationReceipt()
  }

  private let state = WaitableState(State())

  /// Whether it could begin, as no other runs.
  func begin(_ speed: Double, _ sent: SentTrack) -> Bool {
    state.change { state in
      guard !state.isRunning else { return false }
      state = State(
        isRunning: true, speed: speed, total: sent.count, receipt: sent.receipt)
      return true
    }
  }

  func end() { state.change { $0.isRunning = false } }

  /// Ends what runs, and waits until it has.
  ///
  /// - Returns: whether anything ran.
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

  /// Waits so long.
  ///
  /// - Returns: whether it goes on.
  func pause(seconds: Double) -> Bool {
    state.wait(seconds: seconds) { $0.isStopped ? true : nil } == nil
  }

  var goesOn: Bool { state.withLock { !$0.isStopped } }

  /// Nil where nothing was ever replayed.
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

/// A track that was read and not yet taken.
struct SentTrack: Sendable {
  private(set) var batches: [LocationBatch] = []
  /// What the batches number their entities by.
  let names: EntityNames
  let rowCount: Int
  /// Rows that cannot be read.
  private(set) var receipt = LocationReceipt()

  /// Values of a track, its attributes among them.
  private static let longest = 20_000_000

  /// - Throws: where nothing can be read, and for a track that is too long.
  init(_ feed: LocationFeed, batchLimit: Int) throws(ServiceError) {
    var values = 0
    // The feed is a batch ahead, and so are its issues.
    var issues: [LocationIssue] = []
    do throws(PlumbError) {
      while let batch = try feed.next(limit: batchLimit) {
        issues += feed.takeIssues()
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
    receipt.add(issues + feed.takeIssues(), besides: LocationBatch())
    (names, rowCount) = (feed.entities, feed.rowCount)
    guard !batches.isEmpty else {
      throw ServiceError(
        receipt.failure ?? receipt.refusals.first?.message ?? "the track has no locations")
    }
  }

  var count: Int { batches.reduce(0) { $0 + $1.count } }
}

extension LiveMonitor {
  /// Begins to send a track to the monitor.
  ///
  /// Its entities begin anew with it, so that the same track can be sent again. At a speed its
  /// locations come in the order of their times; as fast as can be, in their own.
  ///
  /// - Parameter speed: seconds of the track in one second; infinite for as fast as can be.
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
      throw ServiceError("no thread can be had", status: 503, kind: .system)
    }
  }

  /// Rows that are taken while no others wait.
  private static let partLimit = 1024
  /// Seconds after which a due time is looked at anew, however far away.
  private static let longestPause = 3600.0

  private func run(_ sent: SentTrack, _ speed: Double) {
    let base = begin(sent)
    guard speed.isFinite else {
      for batch in sent.batches {
        for first in stride(from: 0, to: batch.count, by: Self.partLimit) {
          guard replay.goesOn else { return }
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
      guard replay.goesOn else { return }
      // Runs of rows of one batch.
      while next < end {
        let number = rows[order[next]].0
        var last = next
        while last < end, rows[order[last]].0 == number { last += 1 }
        send(sent.batches[number].rows(order[next..<last].map { rows[$0].row }), sent.names, base)
        next = last
      }
    }
  }

  /// Lets the entities of a track begin anew.
  ///
  /// - Returns: the number of its first row.
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
    take(batch, names, &receipt, base: base)
    count(receipt)
    replay.add(receipt, rows: batch.count)
  }
}
