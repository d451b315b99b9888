import PlumbCore
import PlumbGeometry

/// Processes one worker's part of a batch. The locations are processed one at a time, and the
/// events are collected.
struct FenceStep {
  let rules: FenceRules
  let probe: FenceProbe
  /// The times of the rules in milliseconds.
  private let dwell: Double?
  private let cooldown: Double?
  private let forgetsAfter: Double?
  private let reportsEnter: Bool
  private let reportsExit: Bool
  /// Whether a location may begin more stays than it ends.
  private let mayGrow: Bool

  var events: [FenceEvent] = []
  var issues: [FenceIssue] = []
  /// The rows with events, and the number of events of each row.
  var runs: [(row: Int, count: Int)] = []
  /// The number of stays that began minus the number of stays that ended.
  private(set) var growth = 0
  /// The events of one location that are reported after its other events.
  private var enters: [FenceEvent] = []
  private var dwells: [FenceEvent] = []
  private var stays: [EntityState.Visit] = []
  private var passed: [PathEvents] = []

  /// The results of one job, which is a worker's part of a batch.
  struct Happenings: Sendable {
    var events: [FenceEvent]
    var issues: [FenceIssue]
    var runs: [(row: Int, count: Int)]
    var growth: Int
  }

  var happenings: Happenings {
    Happenings(events: events, issues: issues, runs: runs, growth: growth)
  }

  /// A location to process.
  struct Report {
    var row: Int
    var index: Int
    var entity: Int32
    var time: Int64
    /// The point on WGS84.
    var degrees: SIMD2<Double>
    /// The point in the fences' CRS; NaN if it cannot be transformed.
    var point: SIMD2<Double>
    /// The radius of the disc in metres; 0 for a point.
    var radius: Double
    /// The feed's clock at this location; nil if it is not needed.
    var clock: Int64?
  }

  /// The last passage of a path at a fence, if the path has an odd number of passages there. The
  /// other passages are paired into `crossed` events.
  private struct PathEvents {
    var fence: Int
    var last: FencePassage
    var isEntry: Bool
  }

  /// An upper bound of the distance between two points on Earth, in metres.
  private static let longest = 20_100_000.0

  init(_ rules: FenceRules, _ probe: FenceProbe, mayGrow: Bool = true) {
    self.mayGrow = mayGrow
    (self.rules, self.probe) = (rules, probe)
    dwell = rules.dwell.map { $0 * 1000 }
    cooldown = rules.cooldown.map { $0 * 1000 }
    forgetsAfter = rules.forgetsAfter.map { $0 * 1000 }
    reportsEnter = rules.rule != .exit
    reportsExit = rules.rule != .enter
  }

  /// Returns the radius of a location's disc for its accuracy, both in metres.
  static func radius(_ accuracy: Double) -> Double {
    accuracy > 0 ? min(accuracy, longest) : 0
  }

  /// - Parameter containing: the fences that contain the location, ascending; nil if they are not
  ///   known yet.
  mutating func update(
    _ report: Report, _ state: inout EntityState, containing: UnsafeBufferPointer<Int32>?
  ) {
    let former = state.stays.count
    defer { growth += state.stays.count - former }
    if let forgetsAfter, !state.isNew {
      let now = max(report.time, report.clock ?? report.time)
      if span(from: state.time, to: now) > forgetsAfter {
        state = EntityState(entity: report.entity)
      }
    }
    guard state.isNew || report.time >= state.time else {
      return refuse(report, .late(than: state.time))
    }
    let count = events.count
    if let containing = unsafe containing {
      guard mayGrow || containing.count <= state.stays.count else { return refuse(report, .noRoom) }
      if rules.reportsCrossings, !state.isNew { pass(report, &state) }
      if unsafe !isQuiet(containing, state) {
        meet(report, &state, containing.count) { unsafe (Int(containing[$0]), 0) }
      }
    } else {
      let hits = probe.hits(near: report.point, radius: report.radius)
      guard mayGrow || hits.count <= state.stays.count else { return refuse(report, .noRoom) }
      if rules.reportsCrossings, !state.isNew { pass(report, &state) }
      if !hits.isEmpty || !state.stays.isEmpty {
        meet(report, &state, hits.count) { (hits[$0].item, hits[$0].distance) }
      }
    }
    passed.removeAll(keepingCapacity: true)
    (state.isNew, state.time, state.point) = (false, report.time, report.degrees)
    (state.radius, state.index) = (report.radius, report.index)
    if events.count > count { runs.append((report.row, events.count - count)) }
  }

  private mutating func refuse(_ report: Report, _ kind: FenceIssue.Kind) {
    issues.append(
      FenceIssue(kind: kind, row: report.row, index: report.index, entity: report.entity))
  }

  /// Whether the location cannot cause an event, because the entity is inside the same fences as
  /// before and, if there is a dwell time, has already dwelt in all of them.
  private func isQuiet(_ containing: UnsafeBufferPointer<Int32>, _ state: EntityState) -> Bool {
    guard containing.count == state.stays.count else { return false }
    return unsafe state.stays.withUnsafeBufferPointer { stays in
      for index in 0..<containing.count {
        guard unsafe stays[index].isInside, unsafe stays[index].fence == containing[index],
          unsafe dwell == nil || stays[index].hasDwelt
        else { return false }
      }
      return true
    }
  }

  // MARK: Inside and outside

  /// Merges the fences that intersect the location with the entity's stays, and reports the
  /// resulting events.
  private mutating func meet(
    _ report: Report, _ state: inout EntityState, _ count: Int,
    _ hit: (Int) -> (fence: Int, distance: Double)
  ) {
    var (known, next) = (0, 0)
    while known < state.stays.count || next < count {
      let found: (fence: Int, distance: Double)? = next < count ? hit(next) : nil
      let isKnown =
        known < state.stays.count && Int(state.stays[known].fence) <= found?.fence ?? .max
      var stay: EntityState.Visit
      var distance = Double.nan
      if isKnown {
        stay = state.stays[known]
        known += 1
      } else {
        stay = EntityState.Visit(
          fence: Int32(truncatingIfNeeded: found?.fence ?? 0), isInside: false)
      }
      var isInside = false
      if let found, found.fence == Int(stay.fence) {
        next += 1
        distance = found.distance
        isInside = self.isInside(report, found.fence, distance, wasInside: stay.isInside)
      }
      step(report, &stay, isInside, distance, isFirst: state.isNew)
      if isRemembered(stay, at: report.time) { stays.append(stay) }
    }
    swap(&state.stays, &stays)
    stays.removeAll(keepingCapacity: true)
    appendEnters()
  }

  private mutating func appendEnters() {
    events.append(contentsOf: enters)
    events.append(contentsOf: dwells)
    enters.removeAll(keepingCapacity: true)
    dwells.removeAll(keepingCapacity: true)
  }

  /// Whether a location that intersects a fence counts as inside.
  private func isInside(
    _ report: Report, _ fence: Int, _ distance: Double, wasInside: Bool
  ) -> Bool {
    guard report.radius > 0 else { return true }
    switch rules.relationship {
    case .enterIntersectsAndExitDoesNotIntersect: return true
    case .enterContainsAndExitDoesNotIntersect where wasInside: return true
    case .enterContainsAndExitDoesNotIntersect, .enterContainsAndExitDoesNotContain:
      return probe.contains(
        discRound: report.point, radius: report.radius, fence, distance: distance)
    }
  }

  private mutating func step(
    _ report: Report, _ stay: inout EntityState.Visit, _ isInside: Bool, _ distance: Double,
    isFirst: Bool
  ) {
    let wasInside = stay.isInside
    stay.isInside = isInside
    if isInside, !wasInside {
      (stay.since, stay.hasDwelt) = (report.time, false)
      if reportsEnter, rules.firesInitially || !isFirst, isReported(stay, report.time) {
        stay.lastEvent = report.time
        enters.append(event(.entered, report, stay, distance))
      }
    } else if wasInside, !isInside, reportsExit, isReported(stay, report.time) {
      stay.lastEvent = report.time
      var event = event(.exited, report, stay, distance)
      event.since = stay.since
      events.append(event)
    }
    guard isInside, let dwell, !stay.hasDwelt, span(from: stay.since, to: report.time) >= dwell
    else {
      return
    }
    stay.hasDwelt = true
    if isReported(stay, report.time) {
      stay.lastEvent = report.time
      var event = event(.dwelt, report, stay, distance)
      event.since = stay.since
      dwells.append(event)
    }
  }

  private func isReported(_ stay: EntityState.Visit, _ time: Int64) -> Bool {
    guard let cooldown, let last = stay.lastEvent else { return true }
    return span(from: last, to: time) >= cooldown
  }

  private func isRemembered(_ stay: EntityState.Visit, at time: Int64) -> Bool {
    stay.isInside || cooldown != nil && stay.lastEvent != nil && !isReported(stay, time)
  }

  private func event(
    _ type: FenceEventType, _ report: Report, _ stay: EntityState.Visit, _ distance: Double
  ) -> FenceEvent {
    let fence = Int(stay.fence)
    let passage = passed.first { $0.fence == fence && $0.isEntry == (type == .entered) }
    return FenceEvent(
      type: type, row: report.row, index: report.index, entity: report.entity, fence: fence,
      time: report.time, x: report.degrees.x, y: report.degrees.y,
      distance: distance.isNaN && rules.measuresDistances
        ? probe.distance(fence, report.point) : distance,
      accuracy: report.radius, since: nil, passage: type == .dwelt ? nil : passage?.last,
      secondPassage: nil)
  }

  // MARK: Other fences

  /// Replaces the fences of an entity. The entity exits removed fences. For changed fences, the
  /// entity's last location is evaluated again.
  mutating func replace(_ replaced: ReplacedFences, _ state: inout EntityState) {
    let report = report(state)
    let first = events.count
    let former = state.stays.count
    let hits = changedHits(replaced, report)
    // Contains the index of each hit, by fence.
    let places = Dictionary(uniqueKeysWithValues: zip(hits.map(\.item), hits.indices))
    var met: Set<Int> = []
    for var stay in state.stays {
      let position = replaced.positions[Int(stay.fence)]
      guard position >= 0 else {
        if stay.isInside, reportsExit, isReported(stay, report.time) {
          var event = event(.exited, report, stay, 0)
          (event.since, event.cause, event.distance) = (stay.since, .fenceRemoved, .nan)
          events.append(event)
        }
        continue
      }
      stay.fence = position
      if replaced.isChanged[Int(position)] {
        met.insert(Int(position))
        updateStay(report, &stay, places[Int(position)].map { hits[$0] })
        guard isRemembered(stay, at: report.time) else { continue }
      }
      stays.append(stay)
    }
    for hit in hits where !met.contains(hit.item) {
      var stay = EntityState.Visit(
        fence: Int32(truncatingIfNeeded: hit.item), isInside: false)
      updateStay(report, &stay, hit)
      if isRemembered(stay, at: report.time) { stays.append(stay) }
    }
    state.stays = stays.sorted { $0.fence < $1.fence }
    stays.removeAll(keepingCapacity: true)
    growth += state.stays.count - former
    appendEnters()
    for index in first..<events.count where events[index].cause == .location {
      events[index].cause = .fenceChanged
    }
  }

  /// Returns an upper bound of the number of stays of an entity after the fences are replaced.
  func stayCount(_ replaced: ReplacedFences, _ state: EntityState) -> Int {
    let kept = state.stays.reduce(into: 0) { count, stay in
      let position = replaced.positions[Int(stay.fence)]
      if position >= 0, !replaced.isChanged[Int(position)] { count += 1 }
    }
    return kept + changedHits(replaced, report(state)).count
  }

  /// Returns an entity's last location.
  private func report(_ state: EntityState) -> Report {
    Report(
      row: 0, index: state.index, entity: state.entity, time: state.time, degrees: state.point,
      point: probe.tools.point(ofDegrees: state.point), radius: state.radius)
  }

  private func changedHits(_ replaced: ReplacedFences, _ report: Report) -> [GeometryLocator.Hit] {
    guard replaced.hasChanges else { return [] }
    return probe.hits(near: report.point, radius: report.radius)
      .filter { replaced.isChanged[$0.item] }
  }

  private mutating func updateStay(
    _ report: Report, _ stay: inout EntityState.Visit, _ hit: GeometryLocator.Hit?
  ) {
    let isInside =
      hit.map {
        self.isInside(report, $0.item, $0.distance, wasInside: stay.isInside)
      } ?? false
    step(report, &stay, isInside, hit?.distance ?? .nan, isFirst: false)
  }

  // MARK: Between two locations

  private mutating func pass(_ report: Report, _ state: inout EntityState) {
    guard let path = FencePath(probe, from: state.point, to: report.degrees) else { return }
    path.forEachFence { passages in
      func passage(_ distance: Double) -> FencePassage {
        let point = path.degrees(at: distance)
        let part = span(from: state.time, to: report.time) * (distance / path.length)
        return FencePassage(
          time: min(state.time.advanced(byMilliseconds: part), report.time), x: point.x, y: point.y)
      }
      let points = passages.points
      for first in stride(from: 0, to: points.count - 1, by: 2) {
        cross(report, &state, passages.fence, passage(points[first]), passage(points[first + 1]))
      }
      if points.count % 2 == 1 {
        passed.append(
          PathEvents(
            fence: passages.fence, last: passage(points[points.count - 1]),
            isEntry: passages.endsInside))
      }
    }
  }

  private mutating func cross(
    _ report: Report, _ state: inout EntityState, _ fence: Int, _ first: FencePassage,
    _ second: FencePassage
  ) {
    let number = Int32(truncatingIfNeeded: fence)
    let position = state.stays.firstIndex { $0.fence >= number } ?? state.stays.count
    let isKnown = position < state.stays.count && state.stays[position].fence == number
    var stay =
      isKnown ? state.stays[position] : EntityState.Visit(fence: number, isInside: false)
    guard isReported(stay, first.time) else { return }
    var event = event(.crossed, report, stay, .nan)
    (event.time, event.x, event.y) = (first.time, first.x, first.y)
    (event.passage, event.secondPassage) = (first, second)
    events.append(event)
    stay.lastEvent = first.time
    if isKnown {
      state.stays[position] = stay
    } else if cooldown != nil {
      state.stays.insert(stay, at: position)
    }
  }
}

extension Int64 {
  /// - Parameter span: the number of milliseconds, 0 or more.
  fileprivate func advanced(byMilliseconds span: Double) -> Int64 {
    let rounded = span.rounded()
    guard rounded < 9e18 else { return .max }
    let (sum, isOver) = addingReportingOverflow(Int64(rounded))
    return isOver ? .max : sum
  }
}
