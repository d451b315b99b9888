/// Which changes a geotrigger tells of.
public enum FenceRuleType: String, Sendable, Hashable, CaseIterable {
  /// Only that it came in; only that it left.
  case enter, exit
  /// Both.
  case enterOrExit = "enter-or-exit"
}

/// Whether a location is a point or a disc.
public enum FeedAccuracyMode: String, Sendable, Hashable, CaseIterable {
  /// The point.
  case useGeometry
  /// A disc of the horizontal accuracy; the point where that is 0, negative or not a number.
  case useGeometryWithAccuracy
}

/// When a disc has entered a fence, and when it has left it.
public enum FenceEnterExitRelationship: String, Sendable, Hashable, CaseIterable {
  /// In as soon as the disc touches the fence, out when it no longer does.
  case enterIntersectsAndExitDoesNotIntersect
  /// In once the fence holds the whole disc, out as soon as it does not.
  case enterContainsAndExitDoesNotContain
  /// Between the two the state stays as it is, so that a location that trembles at a border is
  /// quiet.
  case enterContainsAndExitDoesNotIntersect
}

/// What a geotrigger tells of, and how it decides.
public struct FenceRules: Sendable, Hashable {
  /// Which changes are reported.
  public var rule = FenceRuleType.enterOrExit
  /// Whether a location is a point or a disc of its accuracy.
  public var feedAccuracyMode = FeedAccuracyMode.useGeometry
  /// Matters with accuracy alone.
  public var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect
  /// Seconds inside after which, once a stay, `dwelt` is reported; nil for never.
  public var dwell: Double?
  /// Seconds after an event of an entity and a fence in which the two are silent; their state is
  /// kept, and what happens meanwhile is not reported later. nil for none.
  public var cooldown: Double?
  /// Whether fences that are passed between two locations are reported, with the time and location
  /// of each passage.
  public var reportsCrossings = false
  /// Whether each event has its distance. Without a buffer and accuracy those of `exited` and
  /// `crossed` are needed for nothing else, and take longer than all the rest.
  public var measuresDistances = true
  /// Whether an entity whose first location is inside has entered; else it is inside silently.
  public var firesInitially = true
  /// Seconds of silence after which an entity is forgotten and its next location is its first
  /// again; nil for never.
  ///
  /// An entity is silent by its own clock, or by the latest time that two entities have reached:
  /// one that is alone with its time does not make others forgotten.
  public var forgetsAfter: Double?

  /// Enters and exits of points, without dwell, cooldown and crossings.
  public init() {}

  /// - Throws: for a number of seconds that is negative or not finite.
  func check() throws(GeotriggerError) {
    for (name, value) in [
      ("dwell time", dwell), ("cooldown", cooldown), ("time to forget", forgetsAfter),
    ] {
      guard let value, !(value >= 0 && value.isFinite) else { continue }
      throw GeotriggerError("the \(name) \(value) is not a number of seconds, 0 or more")
    }
  }
}
