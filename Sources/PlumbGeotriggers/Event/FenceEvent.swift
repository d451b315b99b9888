import PlumbExpressions

/// The kind of an event.
public enum FenceEventType: String, Sendable, Hashable, CaseIterable {
  /// Between two locations, the entity passed through the fence, or exited the fence and entered it
  /// again.
  case crossed
  /// The entity exited the fence.
  case exited
  /// The entity entered the fence.
  case entered
  /// The entity has been inside the fence for the dwell time.
  case dwelt
}

/// The cause of an event.
public enum FenceEventCause: String, Sendable, Hashable, CaseIterable {
  /// A location of the entity.
  case location
  /// The fence was replaced by a fence with another shape or buffer, and the entity's last location
  /// was evaluated again.
  case fenceChanged = "fence_changed"
  /// The set of fences was replaced, and the new set does not contain the fence or cannot use it.
  case fenceRemoved = "fence_removed"
}

/// The point and time at which a path crosses the border of a fence.
public struct FencePassage: Sendable, Hashable {
  /// The time in milliseconds since 1970-01-01T00:00:00Z, assuming a constant speed between the
  /// locations.
  public var time: Int64
  /// Longitude, in degrees on WGS84.
  public var x: Double
  /// Latitude, in degrees on WGS84.
  public var y: Double
}

/// An event of an entity at a fence, and the values that determined it.
public struct FenceEvent: Sendable, Hashable {
  /// The kind of event.
  public var type: FenceEventType
  /// The location's row in its batch.
  public var row: Int
  /// The location's number in the feed, from 0.
  public var index: Int
  /// The entity's number; `EntityNames` has its name.
  public var entity: Int32
  /// The position of the fence in its set; for a removed fence, in the former set.
  public var fence: Int
  /// The time of the location or, for `crossed`, of the first passage, in milliseconds since 1970.
  public var time: Int64
  /// The longitude of the location or, for `crossed`, of the first passage, in degrees on WGS84.
  public var x: Double
  /// The latitude of the location or, for `crossed`, of the first passage, in degrees on WGS84.
  public var y: Double
  /// The distance in metres from the location to the fence's geometry without its buffer. The
  /// distance is 0 inside an area or on a line. It is NaN if the location cannot be transformed to
  /// the fences' CRS, or if the rules disable distances.
  public var distance: Double
  /// The radius of the location's disc in metres; 0 if the location is a point.
  public var accuracy: Double
  /// For `exited` and `dwelt`, the start of the stay in milliseconds since 1970; nil for other
  /// types.
  public var since: Int64?
  /// The passage into or out of the fence, if crossings are reported and the path crosses the
  /// border. For `crossed`, it is the first of the two passages.
  public var passage: FencePassage?
  /// For `crossed`, the second passage, in the opposite direction; nil for other types.
  public var secondPassage: FencePassage?
  /// The cause of the event. If fences were replaced, the location is the entity's last location.
  public var cause = FenceEventCause.location
}

/// A location that was ignored.
public struct FenceIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of issue.
  public enum Kind: Sendable, Hashable {
    /// The point has a coordinate that is not finite, a latitude beyond ±90° or a longitude beyond
    /// ±360°.
    case badPoint
    /// The location is older than the last location of its entity, which has this time.
    case late(than: Int64)
    /// The entity's number is negative.
    case badEntity
    /// The region cannot determine whether it contains the point.
    case unknown
    /// The limit of remembered stays is reached, and the location would begin more stays than it
    /// ends.
    case noRoom
  }

  /// The kind of issue.
  public var kind: Kind
  /// The location's row in its batch.
  public var row: Int
  /// The location's number in the feed, from 0.
  public var index: Int
  /// The entity's number; `EntityNames` has its name.
  public var entity: Int32

  public var description: String {
    switch kind {
    case .badPoint: "the point is not a longitude and latitude in degrees"
    case .late(let time):
      "the location is older than its entity's last, of \(ArcadeDate(milliseconds: time).iso)"
    case .badEntity: "\(entity) is not an entity's number"
    case .unknown: "whether the region contains the point cannot be determined"
    case .noRoom:
      "the maximum number of stays inside fences is reached, and this location starts more"
    }
  }
}

/// The results of a batch of locations.
public struct FenceUpdates: Sendable, Hashable {
  /// The events in the order of the locations. The events of one location are the crossings before
  /// it, then all exits, all enters and all dwells. Each of these groups is in the order of the
  /// fences.
  public var events: [FenceEvent] = []
  /// The issues in the order of the locations.
  public var issues: [FenceIssue] = []
  /// The numbers of entities that were forgotten because they were silent for too long. The numbers
  /// may be reused.
  public var forgotten: [Int32] = []

  /// Creates an empty result.
  public init() {}
}
