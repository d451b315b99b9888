/// The changes that a geotrigger reports.
public enum FenceRuleType: String, Sendable, Hashable, CaseIterable {
  /// Only entering is reported, or only exiting.
  case enter, exit
  /// Entering and exiting are reported.
  case enterOrExit = "enter-or-exit"
}

/// Whether a location is a point or a disc.
public enum FeedAccuracyMode: String, Sendable, Hashable, CaseIterable {
  /// The location is a point.
  case useGeometry
  /// The location is a disc with the horizontal accuracy as its radius, or a point if the accuracy
  /// is 0, negative or NaN.
  case useGeometryWithAccuracy
}

/// The conditions under which a disc enters and exits a fence.
public enum FenceEnterExitRelationship: String, Sendable, Hashable, CaseIterable {
  /// The entity enters when the disc intersects the fence, and exits when the disc no longer
  /// intersects it.
  case enterIntersectsAndExitDoesNotIntersect
  /// The entity enters when the fence contains the whole disc, and exits when the fence no longer
  /// contains the whole disc.
  case enterContainsAndExitDoesNotContain
  /// The entity enters when the fence contains the whole disc, and exits when the disc no longer
  /// intersects the fence. While the disc intersects the border, the state does not change, so that
  /// inaccurate locations near a border do not cause events.
  case enterContainsAndExitDoesNotIntersect
}

/// The changes that a geotrigger reports, and how they are determined.
public struct FenceRules: Sendable, Hashable {
  /// The changes that are reported.
  public var rule = FenceRuleType.enterOrExit
  /// Whether a location is a point, or a disc whose radius is the accuracy.
  public var feedAccuracyMode = FeedAccuracyMode.useGeometry
  /// The conditions under which a disc enters and exits. They are used only for locations with an
  /// accuracy.
  public var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect
  /// The number of seconds inside a fence after which `dwelt` is reported once per stay; nil if
  /// `dwelt` is never reported.
  public var dwell: Double?
  /// The number of seconds after an event of an entity at a fence during which further events of
  /// this entity at this fence are not reported; nil if there is no cooldown. During this time, the
  /// entity's state is still updated. The omitted events are not reported later.
  public var cooldown: Double?
  /// Whether crossings of fences between two locations are reported, with the time and location of
  /// each passage.
  public var reportsCrossings = false
  /// Whether the distance of each event is measured. Without a buffer and an accuracy, the
  /// distances of `exited` and `crossed` are computed only for this purpose, which takes longer
  /// than all other computations.
  public var measuresDistances = true
  /// Whether an event is reported if the first location of an entity is inside a fence. If false,
  /// the entity's stay begins without an event.
  public var firesInitially = true
  /// The number of seconds without a location after which an entity is forgotten, so that its next
  /// location counts as its first; nil if entities are never forgotten.
  ///
  /// The duration ends at the entity's next location or at the latest time that at least two
  /// entities have reached. Two entities are required so that a single entity with a wrong time
  /// does not cause other entities to be forgotten.
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
