import Plumb
import PlumbCore
import PlumbFeeds
import PlumbGeotriggers

/// The verb `monitor`: reports when moving entities enter and leave fences.
package enum Monitor {
  /// The options of a monitor and its feed.
  package struct Request: Sendable, Equatable {
    package var feed: String?
    package var fences: Fences?
    package var rasterFences: [String] = []
    package var condition: String?
    /// The extent of the fences to use, as the minimum x and y, then the maximum x and y; empty for all
    /// fences.
    package var area: [Double] = []
    package var id: String?
    package var time: String?
    package var x: String?
    package var y: String?
    package var maxAhead: Double?
    package var simulates = false
    package var velocity: Double?
    package var segment: Double?
    package var start: String?
    package var rule: FenceRuleType?
    package var buffer: Double?
    package var usesAccuracy = false
    package var relationship: FenceEnterExitRelationship?
    package var feedFilter: String?
    package var dwell: Double?
    package var cooldown: Double?
    package var reportsCrossings = false
    package var omitsInitial = false
    package var forget: Double?
    package var message: String?
    package var name: String?
    package var explains = false
    package var output: String?
    package var overwrites = false
    /// The table of the database `output`; nil for a file.
    package var outputTable: String?
    package var picture: String?
    package var format: NotificationFormat?
    package var appends = false
    package var threads: Int?
    package var access: FileAccess?

    package init() {}
  }

  /// The C functions that each accept a subset of the options.
  package enum Part: String, CaseIterable, Sendable {
    case open = "plumb_monitor_open"
    case follow = "plumb_monitor_follow"
  }

  /// The outcome of a monitor's run.
  package enum Outcome: Sendable {
    case done
    /// No fence is valid, so no event is possible.
    case withoutFences
  }

  /// The fences that are read from features.
  package enum Fences: Sendable, Equatable {
    case files([String])
    /// Shapes that the caller passes.
    case inline

    /// The files; empty for shapes that the caller passes.
    package var files: [String] {
      if case .files(let files) = self { files } else { [] }
    }
  }
}

extension FenceRuleType: OptionWord {}
extension FenceEnterExitRelationship: OptionWord {}
extension NotificationFormat: OptionWord {}

extension Monitor.Request {
  /// The extent of `area`; nil if it is empty or invalid.
  package var box: Envelope? { Self.box(area) }

  static func box(_ area: [Double]) -> Envelope? {
    guard area.count == 4, area.allSatisfy(\.isFinite), area[1] <= area[3] else { return nil }
    return Envelope(
      xMin: area[0], yMin: area[1], xMax: area[2], yMax: area[3], spatialReference: .wgs84)
  }

  /// The fences and the rules of their events.
  package var plan: FencePlan {
    var plan = FencePlan()
    (plan.fences, plan.rasterFences) = (fences?.files ?? [], rasterFences)
    (plan.condition, plan.area, plan.buffer) = (condition, box, buffer ?? 0)
    (plan.filter, plan.message, plan.name) = (feedFilter, message, name)
    plan.rules.rule = rule ?? .enterOrExit
    plan.rules.feedAccuracyMode = usesAccuracy ? .useGeometryWithAccuracy : .useGeometry
    plan.rules.relationship = relationship ?? .enterContainsAndExitDoesNotIntersect
    (plan.rules.dwell, plan.rules.cooldown, plan.rules.forgetsAfter) = (dwell, cooldown, forget)
    plan.rules.reportsCrossings = reportsCrossings
    plan.rules.firesInitially = !omitsInitial
    plan.rules.measuresDistances = explains
    return plan
  }

  /// The columns of the feed.
  package var columns: LocationColumns { LocationColumns(id: id, time: time, x: x, y: y) }
}
