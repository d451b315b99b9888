import PlumbExpressions

/// The kind of an event.
public enum FenceEventType: String, Sendable, Hashable, CaseIterable {
  /// The entity passed through, or left and entered again, between two locations.
  case crossed
  /// The entity left the fence.
  case exited
  /// The entity entered the fence.
  case entered
  /// The entity has been inside for the dwell time.
  case dwelt
}

/// The cause of an event.
public enum FenceEventCause: String, Sendable, Hashable, CaseIterable {
  /// A location of the entity.
  case location
  /// The fence has another shape or buffer; the entity's last location was evaluated again.
  case fenceChanged = "fence_changed"
  /// The fence is not among those that replaced it, or cannot be used there.
  case fenceRemoved = "fence_removed"
}

/// The place and time at which a path crosses the border of a fence.
public struct FencePassage: Sendable, Hashable {
  /// Milliseconds since 1970-01-01T00:00:00Z, assuming a constant speed between the locations.
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
  /// The location's time, or that of the first passage for `crossed`; milliseconds.
  public var time: Int64
  /// The location's longitude, or that of the first passage for `crossed`; degrees on WGS84.
  public var x: Double
  /// The location's latitude, or that of the first passage for `crossed`; degrees on WGS84.
  public var y: Double
  /// Metres from the location to the fence's geometry without its buffer: 0 inside an area or on a
  /// line. NaN if the location cannot be transformed to the fences' CRS, or if the rules
  /// disable distances.
  public var distance: Double
  /// The radius in metres of the location's disc; 0 for a point.
  public var accuracy: Double
  /// The start of the stay that `exited` ends or `dwelt` counts; nil for other types.
  public var since: Int64?
  /// The passage in or out, if crossings are reported and the path has one; for `crossed` the first
  /// of the two.
  public var passage: FencePassage?
  /// The passage that reverses the first one of `crossed`; nil for other types.
  public var secondPassage: FencePassage?
  /// The cause of the event; for replaced fences, the location is the entity's last one.
  public var cause = FenceEventCause.location
}

/// A location that was ignored.
public struct FenceIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of issue.
  public enum Kind: Sendable, Hashable {
    /// A coordinate that is not finite, a latitude beyond 90° or a longitude beyond 360°.
    case badPoint
    /// The location is older than its entity's last, which has this time.
    case late(than: Int64)
    /// The entity's number is negative.
    case badEntity
    /// The region cannot determine whether it contains the point.
    case unknown
    /// The limit of remembered stays is reached, and the location would begin more.
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
      "the limit of remembered stays inside fences is reached, and this location begins more"
    }
  }
}

/// The results of a batch of locations.
public struct FenceUpdates: Sendable, Hashable {
  /// By location; for each location the crossings before it, all exits, all enters and then the
  /// dwells, each in the order of the fences.
  public var events: [FenceEvent] = []
  /// By location.
  public var issues: [FenceIssue] = []
  /// Entities that were forgotten because they were silent for too long: their numbers may be
  /// reused.
  public var forgotten: [Int32] = []

  /// Creates an empty result.
  public init() {}
}
