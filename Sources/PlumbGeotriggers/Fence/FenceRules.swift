/// The changes that a geotrigger reports.
public enum FenceRuleType: String, Sendable, Hashable, CaseIterable {
  /// Only enters; only exits.
  case enter, exit
  /// Both.
  case enterOrExit = "enter-or-exit"
}

/// Whether a location is a point or a disc.
public enum FeedAccuracyMode: String, Sendable, Hashable, CaseIterable {
  /// The point.
  case useGeometry
  /// A disc with the horizontal accuracy as its radius; the point if that is 0, negative or NaN.
  case useGeometryWithAccuracy
}

/// When a disc enters and exits a fence.
public enum FenceEnterExitRelationship: String, Sendable, Hashable, CaseIterable {
  /// Enters when the disc touches the fence, exits when it no longer does.
  case enterIntersectsAndExitDoesNotIntersect
  /// Enters when the fence contains the whole disc, exits when it no longer does.
  case enterContainsAndExitDoesNotContain
  /// Enters when the fence contains the whole disc, exits when the disc no longer touches it.
  /// Between the two the state is unchanged, so that jitter at a border causes no events.
  case enterContainsAndExitDoesNotIntersect
}

/// The changes that a geotrigger reports, and how they are determined.
public struct FenceRules: Sendable, Hashable {
  /// Which changes are reported.
  public var rule = FenceRuleType.enterOrExit
  /// Whether a location is a point or a disc of its accuracy.
  public var feedAccuracyMode = FeedAccuracyMode.useGeometry
  /// Only used with accuracy.
  public var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect
  /// Seconds inside after which `dwelt` is reported, once per stay; nil for never.
  public var dwell: Double?
  /// Seconds after an event of an entity and a fence during which no events of the two are
  /// reported; their state is updated, and events in the meantime are not reported later. nil for
  /// none.
  public var cooldown: Double?
  /// Whether fences that are crossed between two locations are reported, with the time and location
  /// of each passage.
  public var reportsCrossings = false
  /// Whether each event has its distance. Without a buffer and accuracy, the distances of `exited`
  /// and `crossed` have no other use, and take longer to compute than everything else.
  public var measuresDistances = true
  /// Whether an entity whose first location is inside a fence has entered it; otherwise it is
  /// inside without an event.
  public var firesInitially = true
  /// Seconds of silence after which an entity is forgotten and its next location counts as its
  /// first; nil for never.
  ///
  /// Silence is measured by the entity's own times, or by the latest time that two entities have
  /// reached: a single entity with a wrong time does not cause others to be forgotten.
  public var forgetsAfter: Double?

  /// Creates rules that report enters and exits of points, without dwell, cooldown and crossings.
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
