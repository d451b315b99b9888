import Plumb
import PlumbCore
import PlumbIO

/// What became of some locations.
struct LocationReceipt {
  /// A row that was not taken.
  struct Refusal {
    /// From 0, in what was sent.
    var row: Int
    /// From 1; nil where rows have no lines.
    var line: Int?
    var message: String
  }

  var accepted = 0
  var refused = 0
  var events = 0
  /// The last event that these locations led to.
  var lastEvent: Int?
  /// The first ones.
  var refusals: [Refusal] = []
  /// What may not be meant, the first of it.
  var warnings: [String] = []
  /// Why nothing further was read.
  var failure: String?

  static let refusalLimit = 20

  mutating func refuse(row: Int, line: Int?, _ message: String) {
    refused += 1
    if refusals.count < Self.refusalLimit {
      refusals.append(Refusal(row: row, line: line, message: message))
    }
  }

  mutating func warn(_ message: String) {
    if warnings.count < Self.refusalLimit { warnings.append(message) }
  }

  func json(_ log: EventLog) -> JSONObject {
    var object = JSONObject()
    object.add("accepted", accepted)
    object.add("refused", refused)
    object.add("events", events)
    if let lastEvent { object.add("lastEventId", log.id(lastEvent)) }
    if !refusals.isEmpty {
      object.add(
        "refusals",
        refusals.map { refusal in
          var object = JSONObject()
          object.add("row", refusal.row)
          if let line = refusal.line { object.add("line", line) }
          object.add("message", refusal.message)
          return object
        })
    }
    if !warnings.isEmpty { object.add("warnings", texts: warnings) }
    if let failure { object.add("error", failure) }
    return object
  }
}

/// The locations that somebody sent, read but not yet taken.
struct SentLocations {
  var batches: [LocationBatch] = []
  /// What the batches number their entities by.
  var names = EntityNames()
  var rowCount = 0
  var receipt = LocationReceipt()
  /// Whether anything could be read.
  var hasRead = false
  var isOwnTracks = false

  /// Rows that are taken while no others wait.
  private static let batchLimit = 4096

  /// - Throws: where nothing at all can be read.
  init(_ feed: LocationFeed) throws {
    do throws(PlumbError) {
      while let batch = try feed.next(limit: Self.batchLimit) { batches.append(batch) }
    } catch {
      receipt.failure = error.line.text(ServiceWords.names)
    }
    for issue in feed.takeIssues() {
      receipt.refuse(
        row: issue.index, line: issue.line, issue.wording.text(ServiceWords.names))
    }
    // An issue may be of one value of a row that counts.
    (names, rowCount, hasRead) = (feed.entities, feed.rowCount, feed.hasRead)
    receipt.refused = rowCount - batches.reduce(0) { $0 + $1.count }
    isOwnTracks = feed.isOwnTracks
    for remark in feed.takeRemarks() { receipt.warn(remark) }
  }
}

extension LiveMonitor {
  /// An entity's name is no longer.
  private static let longestName = 256

  /// Takes locations, and says what became of them.
  func take(_ sent: SentLocations) -> LocationReceipt {
    var receipt = sent.receipt
    let base = withState { state in
      defer { state.rows += sent.rowCount }
      state.counts.requests += 1
      return state.rows
    }
    for batch in sent.batches { take(batch, sent.names, base, &receipt) }
    count(receipt)
    return receipt
  }

  /// Lets the entities of a track begin anew.
  ///
  /// - Returns: the number of its first row.
  func begin(_ track: SentLocations) -> Int {
    withState { state in
      defer { state.rows += track.rowCount }
      let known = Set(track.names.names.compactMap { state.entities.known($0) })
      for notifier in state.notifiers.notifiers { notifier.forget(known) }
      return state.rows
    }
  }

  /// Adds to what has happened.
  func count(_ receipt: LocationReceipt) {
    withState { state in
      state.counts.accepted += receipt.accepted
      state.counts.refused += receipt.refused
      state.counts.events += receipt.events
    }
  }

  /// Takes the locations of one batch, whose rows follow `base` others.
  func take(
    _ batch: LocationBatch, _ names: EntityNames, _ base: Int, _ receipt: inout LocationReceipt
  ) {
    var receiptOfBatch = receipt
    withState { state in
      let (numbers, faults) = self.numbers(of: batch, names, &state)
      var own = batch
      own.entity = batch.entity.map { numbers[Int($0)] }
      if !faults.isEmpty {
        for row in 0..<batch.count where own.entity[row] < 0 {
          receiptOfBatch.refuse(
            row: batch.index[row], line: batch.line.isEmpty ? nil : batch.line[row],
            faults[batch.entity[row]] ?? "the entity is not taken")
        }
        let taken = own.entity
        own = own.filter { taken[$0] >= 0 }
      }
      own.index = own.index.map { $0 + base }
      let updates = state.notifiers.update(own, entities: state.entities)
      var refused: Set<Int> = []
      for issue in updates.issues {
        let row = issue.index - base
        if issue.wasTaken {
          receiptOfBatch.warn("row \(row): \(issue.message)")
        } else if refused.insert(row).inserted {
          receiptOfBatch.refuse(row: row, line: issue.line, issue.message)
        }
      }
      receiptOfBatch.accepted += own.count - refused.count
      release(updates.forgotten, &state)
      guard !updates.notifications.isEmpty else { return }
      receiptOfBatch.events += updates.notifications.count
      receiptOfBatch.lastEvent = log.append(
        updates.notifications.map { notification in
          var bytes: [UInt8] = [UInt8(ascii: "{")]
          json.append(notification, to: &bytes)
          bytes.append(UInt8(ascii: "}"))
          return (notification.type.rawValue, bytes)
        })
    }
    for region in regions {
      if let fault = region.takeFault() {
        receiptOfBatch.warn("the raster fence \(region.name.printable): \(fault)")
      }
    }
    receipt = receiptOfBatch
  }

  // MARK: Entities

  /// The monitor's numbers of a batch's entities by theirs, −1 for one that is not taken, with why.
  private func numbers(
    of batch: LocationBatch, _ names: EntityNames, _ state: inout State
  ) -> (numbers: [Int32], faults: [Int32: String]) {
    // What nobody asked for is not looked up.
    var numbers = [Int32](repeating: -2, count: names.names.count)
    var faults: [Int32: String] = [:]
    for (row, local) in batch.entity.enumerated() where numbers[Int(local)] == -2 {
      let name = names[local]
      if let known = state.entities.known(name) {
        numbers[Int(local)] = known
        continue
      }
      numbers[Int(local)] = -1
      guard name.utf8.count <= Self.longestName else {
        faults[local] = "the entity's name is over \(Self.longestName) bytes"
        continue
      }
      if state.entityCount >= limits.entities { forgetSilent(batch.time[row], &state) }
      guard state.entityCount < limits.entities else {
        faults[local] =
          "the monitor has as many entities as it may, \(limits.entities)"
          + (definition.rules.forgetsAfter == nil ? "; forget would let silent ones go" : "")
        continue
      }
      state.entityCount += 1
      numbers[Int(local)] = state.entities.number(of: name)
    }
    return (numbers, faults)
  }

  private func release(_ forgotten: [Int32], _ state: inout State) {
    guard !forgotten.isEmpty else { return }
    state.entities.release(forgotten)
    state.entityCount -= forgotten.count
  }

  /// Milliseconds between two searches for silent entities where there is no room for others.
  private static let searchInterval: Int64 = 1000

  /// Lets those go that are silent at a time that is not ahead of the clock.
  private func forgetSilent(_ time: Int64, _ state: inout State) {
    let now = Self.now
    guard definition.rules.forgetsAfter != nil,
      state.lastSearch == .min || now >= state.lastSearch + Self.searchInterval
    else { return }
    state.lastSearch = now
    let lists = state.notifiers.notifiers.map { Set($0.forgetSilent(at: min(time, now))) }
    let forgotten = lists.dropFirst().reduce(lists.first ?? []) { $0.intersection($1) }
    release(forgotten.sorted(), &state)
  }
}
