import PlumbCore
import PlumbGeometry

/// The state of one geotrigger. It contains, for each entity, the fences that contain the entity,
/// and is updated with each location.
///
/// The same locations result in the same events, regardless of their division into batches and of
/// the number of workers. Memory use is linear in the number of fences, of remembered entities, and
/// of stays. A stay is a pair of an entity and a fence that contains the entity or, with a
/// cooldown, at which the entity recently had an event. `stayLimit` limits the number of stays. A
/// tracker is not thread-safe.
///
/// ```swift
/// let tracker = try FenceTracker(FenceSet(fences, bufferDistance: 10), FenceRules())
/// for event in tracker.update(batch).events { … }
/// ```
public final class FenceTracker {
  /// The current fences. `replace` changes the fences.
  public private(set) var fences: FenceSet
  /// The events to report, and how they are determined.
  public let rules: FenceRules
  /// The maximum number of stays of entities inside fences. When the limit is reached, locations
  /// that would begin more stays than they end are ignored, and an issue is reported. One batch may
  /// exceed the limit.
  public let stayLimit: Int
  let workers: Workers
  let table = EntityTable()
  var clock = FeedClock()
  /// The tools of the workers, which are created when they are needed.
  private var tools = WorkerStates<FenceProbe.Tools>([])
  /// For each slot, the number of its entity's group of rows in the current batch; −1 between
  /// batches.
  var groupOfSlot: [Int32] = []
  /// The number of locations since the last search for entities that have been silent for too long.
  private var unswept = 0

  /// - Throws: for rules with an invalid number of seconds, and for crossings of a region.
  public init(
    _ fences: FenceSet, _ rules: FenceRules = FenceRules(), stayLimit: Int = .max,
    workers: Workers = Workers()
  ) throws(GeotriggerError) {
    try rules.check()
    guard fences.region == nil || !rules.reportsCrossings else {
      throw GeotriggerError(
        "a raster region cannot report crossings between two locations")
    }
    (self.fences, self.rules, self.workers) = (fences, rules, workers)
    self.stayLimit = stayLimit
  }

  /// The number of remembered entities.
  public var entityCount: Int { table.count }

  /// Forgets all entities, so that the next location of each counts as its first.
  public func reset() {
    table.forgetAll()
    clock = FeedClock()
    unswept = 0
  }

  /// Replaces the fences. An entity inside a fence remains inside the new fence with the same id.
  /// If several fences have the same id, they correspond in their order. For a fence whose shape or
  /// buffer changed, each entity's last location is evaluated again, so that entities may enter or
  /// exit. Entities exit fences that are removed or cannot be used.
  ///
  /// - Returns: the events, ordered by entity number, with their `cause`.
  @discardableResult
  public func replace(_ fences: FenceSet) -> FenceUpdates {
    var updates = FenceUpdates()
    replace(fences) { updates.events += $0 }
    return updates
  }

  /// Replaces the fences like the public method `replace`.
  ///
  /// - Parameter receive: called with the events in parts of limited size.
  func replace(_ fences: FenceSet, receiving receive: ([FenceEvent]) -> Void) {
    let replaced = ReplacedFences(self.fences, fences)
    self.fences = fences
    guard let replaced else { return }
    var step = FenceStep(rules, FenceProbe(fences: fences, tools: tools(count: 1)[0]))
    for slot in slotsByEntity {
      unsafe step.replace(replaced, &table.states[slot])
      guard step.events.count >= Self.eventsAtOnce else { continue }
      receive(step.events)
      step.events.removeAll(keepingCapacity: true)
    }
    table.stayCount += step.growth
    receive(step.events)
  }

  /// Whether the entities would have at most `stayLimit` stays if these fences replaced the current
  /// fences.
  ///
  /// - Throws: `CancellationError` if the calling thread's work is cancelled.
  func hasCapacity(for fences: FenceSet) throws -> Bool {
    guard stayLimit < .max, let replaced = ReplacedFences(self.fences, fences) else { return true }
    let tools = self.fences.reference == fences.reference ? self.tools(count: 1)[0] : nil
    let step = FenceStep(
      rules, FenceProbe(fences: fences, tools: try tools ?? FenceProbe.Tools(fences.reference)))
    var count = 0
    for slot in slotsByEntity {
      try WorkCancellation.checkCurrent()
      count += unsafe step.stayCount(replaced, table.states[slot])
      if count > stayLimit { return false }
    }
    return true
  }

  /// The slots of the entities that have had a location, by entity number.
  private var slotsByEntity: [Int] {
    (0..<table.slotCount).filter {
      unsafe table.states[$0].entity >= 0 && !table.states[$0].isNew
    }.sorted { unsafe table.states[$0].entity < table.states[$1].entity }
  }

  /// The approximate number of events in each part of the results.
  static let eventsAtOnce = 1 << 15

  /// Returns how many of a batch's locations to process together, so that these locations cause at
  /// most about `eventsAtOnce` events.
  func rowsAtOnce(_ batch: LocationBatch) -> Int {
    guard fences.region == nil else { return Self.eventsAtOnce }
    let arePoints =
      rules.feedAccuracyMode == .useGeometry || !batch.horizontalAccuracy.contains { $0 > 0 }
    let maximumEvents =
      arePoints && !rules.reportsCrossings ? fences.maximumOverlaps() : fences.fences.count
    return max(1, Self.eventsAtOnce / max(1, maximumEvents))
  }

  /// The number of remembered pairs of an entity and a fence.
  var stayCount: Int { table.stayCount }

  /// Whether an entity is remembered.
  func remembers(_ entity: Int32) -> Bool { table.holds(entity) }

  /// Forgets some entities, so that the next location of each counts as its first.
  func forget(_ entities: Set<Int32>) { table.forget { entities.contains($0.entity) } }

  /// Forgets the entities that, at a time in milliseconds since 1970, have been silent for longer
  /// than the rules allow.
  ///
  /// - Returns: the numbers of the forgotten entities.
  func forgetSilent(at time: Int64) -> [Int32] {
    guard let limit = rules.forgetsAfter else { return [] }
    return table.forget { !$0.isNew && span(from: $0.time, to: time) > limit * 1000 }
  }

  // MARK: Locations

  /// Processes locations and returns the results. Locations with equal times are processed in the
  /// order of the rows.
  ///
  /// - Precondition: each column of the batch has `count` rows. Optional columns may be empty.
  public func update(_ batch: LocationBatch) -> FenceUpdates {
    var updates = FenceUpdates()
    guard batch.count > 0 else { return updates }
    let points = BatchPoints(batch, fences, tools(count: workers.count), workers)
    let answers = fences.region?(batch.x, batch.y)
    let isPlain = rules.feedAccuracyMode == .useGeometry || batch.horizontalAccuracy.isEmpty
    let known = known(points, answers, isPlain: isPlain)
    // If the fences of rows are already known, processing a row is fast, so jobs have more rows.
    let grain =
      known != nil && !rules.reportsCrossings
      ? max(2048, batch.count / (2 * workers.count) + 1) : 256
    let rows = sortedRows(batch, answers, grain: grain, &updates.issues)
    let tools = self.tools(count: min(workers.count, rows.jobCount))
    let mayGrow = table.stayCount < stayLimit
    let work = unsafe Work(
      rules: rules, fences: fences, batch: batch, points: points, clocks: rows.clocks,
      known: known, states: SharedPointer(table.states))
    let steps = workers.map(rows.jobCount) { worker, job in
      var step = FenceStep(
        work.rules, FenceProbe(fences: work.fences, tools: tools[worker]), mayGrow: mayGrow)
      work.run(&step, rows.rows[rows.starts[job]..<rows.starts[job + 1]])
      return step.happenings
    }
    join(steps, &updates)
    updates.forgotten = sweep(batch.count)
    return updates
  }

  /// Returns the fences of all points if they can be computed for all points at once; otherwise
  /// nil.
  private func known(
    _ points: BatchPoints, _ answers: [RegionAnswer]?, isPlain: Bool
  ) -> KnownFences? {
    if let answers { return KnownFences(lists: BatchPoints.containing(answers), isExact: true) }
    guard isPlain else { return nil }
    guard fences.bufferDistance > 0 else {
      return KnownFences(lists: points.containing(fences, workers), isExact: true)
    }
    return points.near(fences, workers).map { KnownFences(lists: $0, isExact: false) }
  }

  /// The shared inputs of the jobs of a batch.
  @safe private struct Work: Sendable {
    let rules: FenceRules
    let fences: FenceSet
    let batch: LocationBatch
    let points: BatchPoints
    let clocks: [Int64?]
    let known: KnownFences?
    /// The states of entities. Each entity belongs to only one job, so that jobs do not share a
    /// state.
    let states: SharedPointer<UnsafeMutableBufferPointer<EntityState>>

    /// Processes the locations of some entities.
    func run(_ step: inout FenceStep, _ rows: ArraySlice<SortedRows.Row>) {
      let hasAccuracy =
        rules.feedAccuracyMode == .useGeometryWithAccuracy && fences.region == nil
        && !batch.horizontalAccuracy.isEmpty
      let pole = fences.period.map { $0 / 4 } ?? .infinity
      guard let states = unsafe states.pointer.baseAddress else { return }
      let (offsets, items) = (known?.lists.offsets ?? [], known?.lists.items ?? [])
      unsafe items.withUnsafeBufferPointer { items in
        for reportRow in rows {
          let row = Int(reportRow.row)
          let report = FenceStep.Report(
            row: row, index: batch.index.isEmpty ? row : batch.index[row],
            entity: batch.entity[row], time: batch.time[row],
            degrees: SIMD2(batch.x[row], batch.y[row]),
            point: SIMD2(points.x[row], points.y[row]),
            radius: hasAccuracy ? FenceStep.radius(batch.horizontalAccuracy[row]) : 0,
            clock: clocks.isEmpty ? nil : clocks[row])
          var containing: UnsafeBufferPointer<Int32>?
          // At a pole, all longitudes are the same point, so a fence may contain the pole at
          // another longitude. The known fences are therefore not used there.
          if let known, !(report.point.y.magnitude >= pole) {
            let list = offsets[row]..<offsets[row + 1]
            if known.isExact || list.isEmpty {
              unsafe containing = unsafe UnsafeBufferPointer(rebasing: items[list])
            }
          }
          unsafe step.update(report, &states[Int(reportRow.slot)], containing: containing)
        }
      }
    }
  }

  /// Merges all events and issues by row.
  private func join(_ steps: [FenceStep.Happenings], _ updates: inout FenceUpdates) {
    var runs: [(row: Int, step: Int, first: Int, count: Int)] = []
    var total = 0
    for (number, step) in steps.enumerated() {
      var first = 0
      for run in step.runs {
        runs.append((run.row, number, first, run.count))
        first += run.count
      }
      total += first
      updates.issues.append(contentsOf: step.issues)
      table.stayCount += step.growth
    }
    runs.sort { $0.row < $1.row }
    updates.events.reserveCapacity(total)
    for run in runs {
      updates.events.append(contentsOf: steps[run.step].events[run.first..<run.first + run.count])
    }
    updates.issues.sort { $0.row < $1.row }
  }

  /// Occasionally forgets the entities that have been silent for too long, and returns their
  /// numbers.
  private func sweep(_ count: Int) -> [Int32] {
    guard let limit = rules.forgetsAfter, let now = clock.time else { return [] }
    unswept += count
    guard unswept >= max(1024, table.slotCount / 2) else { return [] }
    unswept = 0
    return table.forget { !$0.isNew && span(from: $0.time, to: now) > limit * 1000 }
  }

  private func tools(count: Int) -> WorkerStates<FenceProbe.Tools> {
    let isOther = tools.count > 0 && tools[0].reference != fences.reference
    let known = isOther ? 0 : tools.count
    guard isOther || known < max(1, count) else { return tools }
    let old = tools
    var next = 0
    tools = WorkerStates(count: max(1, count)) {
      defer { next += 1 }
      if next < known { return old[next] }
      // Creating the tools does not fail, because the set's initializer has already created tools
      // for this CRS.
      guard let tools = try? FenceProbe.Tools(fences.reference) else {
        preconditionFailure("the set's reference was already checked")
      }
      return tools
    }
    return tools
  }
}
