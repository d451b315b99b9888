import Plumb
import PlumbCore
import PlumbIO
import PlumbVerbs

/// The result of processing locations.
struct LocationReceipt {
  /// A rejected row.
  struct Refusal {
    /// The row number from 0 in the input.
    var row: Int
    /// The line number from 1; nil if rows have no lines.
    var line: Int?
    var message: String
  }

  var accepted = 0
  var refused = 0
  /// Whether a row was rejected only because the monitor has the maximum number of entities.
  var lacksCapacity = false
  var events = 0
  /// The number of the last event that these locations caused.
  var lastEvent: Int?
  /// The first rejected rows, up to `refusalLimit`.
  var refusals: [Refusal] = []
  /// The first warnings.
  var warnings: [String] = []
  /// The reason why reading stopped.
  var failure: String?

  static let refusalLimit = 20

  mutating func refuse(row: Int, line: Int?, _ message: String) {
    refused += 1
    if refusals.count < Self.refusalLimit {
      refusals.append(Refusal(row: row, line: line, message: message))
    }
  }

  /// Adds issues. An issue about a row in the batch is a warning. An issue about any other row is a
  /// rejection.
  mutating func add(_ issues: [LocationIssue], besides batch: LocationBatch) {
    guard !issues.isEmpty else { return }
    let accepted = Set(batch.index)
    for issue in issues {
      let text = issue.messageTemplate.text(FrontEnd.service.spellings)
      if accepted.contains(issue.index) {
        warn("row \(issue.index): \(text)")
      } else {
        refuse(row: issue.index, line: issue.line, text)
      }
    }
  }

  mutating func warn(_ message: String) {
    if warnings.count < Self.refusalLimit { warnings.append(message) }
  }

  /// Adds the result of further locations.
  mutating func add(_ other: LocationReceipt) {
    accepted += other.accepted
    refused += other.refused
    lacksCapacity = lacksCapacity || other.lacksCapacity
    events += other.events
    lastEvent = other.lastEvent ?? lastEvent
    refusals += other.refusals.prefix(max(0, Self.refusalLimit - refusals.count))
    for warning in other.warnings { warn(warning) }
    failure = failure ?? other.failure
  }

  func json(_ log: EventLog) -> JSONObject {
    var object = JSONObject()
    add(to: &object, log: log)
    return object
  }

  /// - Parameter log: the log that provides the ids of events. If it is nil, the last event is
  ///   omitted.
  func add(to object: inout JSONObject, log: EventLog? = nil) {
    object.add("accepted", accepted)
    object.add("refused", refused)
    object.add("events", events)
    if let log, let lastEvent { object.add("lastEventId", log.id(lastEvent)) }
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
  }
}

extension LiveMonitor {
  /// The maximum length of an entity's name in bytes.
  private static let longestName = 256

  /// The maximum number of rows processed under one lock. It is lower with attributes, because any
  /// row may add attributes to all other rows.
  var batchLimit: Int { readsAttributes ? 256 : 4096 }

  /// Processes the locations in a request and returns the result.
  func accept(_ feed: LocationFeed) -> LocationReceipt {
    var receipt = LocationReceipt()
    // The number of rows of the feed to which the monitor has already assigned row numbers.
    var first = 0
    withState { $0.counts.requests += 1 }
    do throws(PlumbError) {
      while let batch = try feed.next(limit: batchLimit) {
        receipt.add(feed.drainIssues(), besides: batch)
        let count = feed.rowCount - first
        let base = withState { [first] state in
          defer { state.rows += count }
          return state.rows - first
        }
        first += count
        let acceptedCount = accept(batch, feed.entities, &receipt, base: base)
        WorkCancellation.note(
          "the rows before row \(acceptedCount < batch.count ? batch.index[acceptedCount] : first) were accepted"
        )
        if WorkCancellation.isCurrentCancelled { break }
      }
    } catch {
      receipt.failure = error.line.text(FrontEnd.service.spellings)
    }
    receipt.add(feed.drainIssues(), besides: LocationBatch())
    for remark in feed.drainRemarks() { receipt.warn(remark) }
    withState { [rest = feed.rowCount - first] in $0.rows += rest }
    count(receipt)
    return receipt
  }

  /// Adds the result of processing locations to the monitor's counts.
  func count(_ receipt: LocationReceipt) {
    withState { state in
      state.counts.accepted += receipt.accepted
      state.counts.refused += receipt.refused
      state.counts.events += receipt.events
    }
  }

  /// Processes the locations of one batch until the calling thread's work is cancelled.
  ///
  /// - Parameters:
  ///   - names: the entity names of the batch.
  ///   - base: the offset added to the batch's row numbers.
  /// - Returns: the number of rows processed.
  @discardableResult
  func accept(
    _ batch: LocationBatch, _ names: EntityNames, _ receipt: inout LocationReceipt, base: Int
  ) -> Int {
    var next = 0
    while next < batch.count {
      // Other threads wait while rows are processed. With many overlapping fences, even a few rows
      // can take a long time.
      let rows = withState { $0.notifiers.rowsAtOnce(batch) }
      let end = min(batch.count, next + rows)
      let isComplete = next == 0 && end == batch.count
      acceptPart(isComplete ? batch : batch.rows(next..<end), names, &receipt, base: base)
      next = end
      if WorkCancellation.isCurrentCancelled { break }
    }
    return next
  }

  private func acceptPart(
    _ batch: LocationBatch, _ names: EntityNames, _ receipt: inout LocationReceipt, base: Int
  ) {
    var receiptOfBatch = receipt
    withState { state in
      let (numbers, faults, lacksCapacity) = self.numbers(of: batch, names, &state)
      if lacksCapacity { receiptOfBatch.lacksCapacity = true }
      var numbered = batch
      numbered.entity = batch.entity.map { numbers[Int($0)] }
      if !faults.isEmpty {
        for row in 0..<batch.count where numbered.entity[row] < 0 {
          receiptOfBatch.refuse(
            row: batch.index[row], line: batch.line.isEmpty ? nil : batch.line[row],
            faults[batch.entity[row]] ?? "the entity is not accepted")
        }
        let entities = numbered.entity
        numbered = numbered.filter { entities[$0] >= 0 }
      }
      numbered.index = numbered.index.map { $0 + base }
      var refused: Set<Int> = []
      var forgotten: [Int32] = []
      state.notifiers.update(numbered, entities: state.entities) { updates in
        for issue in updates.issues {
          let row = issue.index - base
          if issue.wasAccepted {
            receiptOfBatch.warn("row \(row): \(issue.message)")
          } else if refused.insert(row).inserted {
            if issue.lacksCapacity { receiptOfBatch.lacksCapacity = true }
            receiptOfBatch.refuse(row: row, line: issue.line, issue.message)
          }
        }
        forgotten += updates.forgotten
        guard let lastEvent = append(updates.notifications) else { return }
        receiptOfBatch.events += updates.notifications.count
        receiptOfBatch.lastEvent = lastEvent
      }
      receiptOfBatch.accepted += numbered.count - refused.count
      release(forgotten, &state)
    }
    for region in regions {
      if let fault = region.drainFault() {
        receiptOfBatch.warn("the raster fence \(region.name.printable): \(fault)")
      }
    }
    receipt = receiptOfBatch
  }

  /// Appends notifications to the log.
  ///
  /// - Returns: the number of the last event; nil if there are no events.
  func append(_ notifications: [FenceNotification]) -> Int? {
    var last: Int?
    var events: [(type: String, json: [UInt8])] = []
    var size = 0
    for notification in notifications {
      var bytes: [UInt8] = [UInt8(ascii: "{")]
      json.append(notification, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
      size += bytes.count
      events.append((notification.type.rawValue, bytes))
      // The events are appended in several steps, because their JSON may be large.
      guard size >= Self.bytesAtOnce else { continue }
      last = log.append(events)
      events.removeAll(keepingCapacity: true)
      size = 0
    }
    return events.isEmpty ? last : log.append(events)
  }

  /// The approximate size of events added to the log in one step, in bytes.
  private static let bytesAtOnce = 1 << 20

  // MARK: Entities

  /// Returns the monitor's number of each entity in a batch (−1 for a rejected entity), the reasons
  /// for rejections, and whether the entity limit was reached.
  private func numbers(
    of batch: LocationBatch, _ names: EntityNames, _ state: inout State
  ) -> (numbers: [Int32], faults: [Int32: String], lacksCapacity: Bool) {
    // The value −2 marks names that have not been looked up, including names that the batch does
    // not use.
    var numbers = [Int32](repeating: -2, count: names.names.count)
    var faults: [Int32: String] = [:]
    var lacksCapacity = false
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
      if state.entityCount >= limits.entities {
        forgetSilent(batch.time[row], keeping: numbers, &state)
      }
      guard state.entityCount < limits.entities else {
        lacksCapacity = true
        faults[local] =
          "the monitor has the maximum number of entities, \(limits.entities)"
          + (definition.plan.rules.forgetsAfter == nil
            ? "; set forget to remove inactive entities" : "")
        continue
      }
      state.entityCount += 1
      numbers[Int(local)] = state.entities.number(of: name)
    }
    return (numbers, faults, lacksCapacity)
  }

  private func release(_ forgotten: [Int32], _ state: inout State) {
    guard !forgotten.isEmpty else { return }
    state.entities.release(forgotten)
    state.entityCount -= forgotten.count
  }

  /// Removes entities without any state, and entities that have been silent for too long at the
  /// given time or at the current time, whichever is earlier. Most calls do nothing, because a
  /// search visits all entities.
  ///
  /// - Parameter numbers: the entities that must be kept, including the entities that are about to
  ///   be added.
  private func forgetSilent(_ time: Int64, keeping numbers: [Int32], _ state: inout State) {
    state.unsearched += 1
    guard definition.plan.rules.forgetsAfter != nil, state.unsearched > state.entityCount / 16
    else {
      return
    }
    state.unsearched = 0
    let notifiers = state.notifiers.notifiers
    for notifier in notifiers { _ = notifier.forgetSilent(at: min(time, WallClock.milliseconds)) }
    let kept = Set(numbers)
    let entities = state.entities
    release(
      entities.names.indices.map { Int32(truncatingIfNeeded: $0) }.filter { number in
        !kept.contains(number) && !notifiers.contains { $0.remembers(number) }
          && entities.known(entities[number]) == number
      }, &state)
  }
}
