/// The changes that a geotrigger reports.
public enum FenceRuleType: String, Sendable, Hashable, CaseIterable {
  /// Only entering; only exiting.
  case enter, exit
  /// Entering and exiting.
  case enterOrExit = "enter-or-exit"
}

/// Whether a location is a point or a disc.
public enum FeedAccuracyMode: String, Sendable, Hashable, CaseIterable {
  /// The location is a point.
  case useGeometry
  /// The location is a disc with the horizontal accuracy as its radius, or a point if the accuracy is 0,
  /// negative or NaN.
  case useGeometryWithAccuracy
}

/// The conditions under which a disc enters and exits a fence.
public enum FenceEnterExitRelationship: String, Sendable, Hashable, CaseIterable {
  /// Enters when the disc touches the fence, exits when this is no longer true.
  case enterIntersectsAndExitDoesNotIntersect
  /// Enters when the fence contains the whole disc, exits when this is no longer true.
  case enterContainsAndExitDoesNotContain
  /// Enters when the fence contains the whole disc, exits when the disc no longer touches it. While the disc
  /// intersects the border, the state does not change, so that jitter at a border does not cause events.
  case enterContainsAndExitDoesNotIntersect
}

/// The changes that a geotrigger reports, and how they are determined.
public struct FenceRules: Sendable, Hashable {
  /// The changes that are reported.
  public var rule = FenceRuleType.enterOrExit
  /// Whether a location is a point or a disc of its accuracy.
  public var feedAccuracyMode = FeedAccuracyMode.useGeometry
  /// The conditions under which a disc enters and exits; used only for locations with an accuracy.
  public var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect
  /// The number of seconds inside a fence after which `dwelt` is reported, once per stay; nil for never.
  public var dwell: Double?
  /// The number of seconds after an event of an entity at a fence during which no further events of the two
  /// are reported; nil for none. Their state is updated, and events during this time are not reported later.
  public var cooldown: Double?
  /// Whether crossings of fences between two locations are reported, with the time and location of each
  /// passage.
  public var reportsCrossings = false
  /// Whether the distance of each event is measured. Without a buffer and accuracy, the distances of `exited`
  /// and `crossed` are not used otherwise, and take longer to compute than all other results.
  public var measuresDistances = true
  /// Whether an event is reported if the first location of an entity is inside a fence. If false, the entity
  /// is inside without an event.
  public var firesInitially = true
  /// The number of seconds of silence after which an entity is forgotten, so that its next location counts as
  /// its first; nil for never.
  ///
  /// Silence is measured by the times of the entity's locations, or by the latest time that two entities have
  /// reached, so that a single entity with a wrong time does not cause others to be forgotten.
  public var forgetsAfter: Double?

  /// Creates rules that report points entering and exiting, without dwell, cooldown and crossings.
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
