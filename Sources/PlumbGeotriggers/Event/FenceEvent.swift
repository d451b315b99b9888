import PlumbExpressions

/// What an entity did at a fence.
public enum FenceEventType: String, Sendable, Hashable, CaseIterable {
  /// It was passed, or left and entered again, between two locations.
  case crossed
  /// It has left the fence.
  case exited
  /// It has come into the fence.
  case entered
  /// It has been inside for the dwell time.
  case dwelt
}

/// What an event comes from.
public enum FenceEventCause: String, Sendable, Hashable, CaseIterable {
  /// A location of the entity.
  case location
  /// The fence has another shape or buffer, for the entity's last location.
  case fenceChanged = "fence_changed"
  /// The fence is not among those that replaced it, or cannot be used there.
  case fenceRemoved = "fence_removed"
}

/// Where and when a path passes the border of a fence.
public struct FencePassage: Sendable, Hashable {
  /// Milliseconds since 1970-01-01T00:00:00Z, as if the entity kept its speed between the
  /// locations.
  public var time: Int64
  /// Degrees on WGS84.
  public var x: Double
  /// Latitude, in degrees on WGS84.
  public var y: Double
}

/// One thing that an entity did at a fence, and what it was determined from.
public struct FenceEvent: Sendable, Hashable {
  /// What it did.
  public var type: FenceEventType
  /// The location's row in its batch, and its number in the feed.
  public var row: Int
  /// The location's number in the feed, from 0.
  public var index: Int
  /// The entity's number: `EntityNames` knows its name.
  public var entity: Int32
  /// The position of the fence in its set; of a fence that was removed in the former set.
  public var fence: Int
  /// The location's time, or that of the first passage for `crossed`; milliseconds.
  public var time: Int64
  /// The location's point, or that of the first passage for `crossed`; degrees on WGS84.
  public var x: Double
  /// Latitude, likewise.
  public var y: Double
  /// Metres from the location to the fence's geometry without its buffer: 0 inside an area or on a
  /// line. NaN where the location has no counterpart in the fences' reference, or where the rules
  /// leave it out.
  public var distance: Double
  /// Metres of the disc that the location was taken for; 0 for the point.
  public var accuracy: Double
  /// When the stay began that `exited` ends or `dwelt` counts; nil for other types.
  public var since: Int64?
  /// The passage that led in or out, where crossings are reported and the path shows one; the first
  /// of the two of `crossed`.
  public var passage: FencePassage?
  /// The passage that undoes the first of `crossed`; nil for other types.
  public var secondPassage: FencePassage?
  /// What the event comes from: with other fences, the location is the entity's last one.
  public var cause = FenceEventCause.location
}

/// A location that changed nothing.
public struct FenceIssue: Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with it.
  public enum Kind: Sendable, Hashable {
    /// A coordinate that is not finite, a latitude beyond 90° or a longitude beyond 360°.
    case badPoint
    /// It is older than its entity's last, of this time.
    case late(than: Int64)
    /// An entity has no negative number.
    case badEntity
    /// The region does not tell whether it holds the point.
    case unknown
    /// The tracker remembers as many stays as it may, and the location would begin others.
    case noRoom
  }

  /// What is wrong with it.
  public var kind: Kind
  /// The location's row in its batch, and its number in the feed.
  public var row: Int
  /// The location's number in the feed, from 0.
  public var index: Int
  /// The entity's number: `EntityNames` knows its name.
  public var entity: Int32

  public var description: String {
    switch kind {
    case .badPoint: "the point is not a longitude and latitude in degrees"
    case .late(let time):
      "the location is older than its entity's last, of \(ArcadeDate(milliseconds: time).iso)"
    case .badEntity: "\(entity) is not an entity's number"
    case .unknown: "whether the region holds the point cannot be read"
    case .noRoom:
      "as many stays of entities inside fences are remembered as may be, and this location begins more"
    }
  }
}

/// What a batch of locations led to.
public struct FenceUpdates: Sendable, Hashable {
  /// By location; at one location what was crossed before it, all exits, all enters and then what
  /// was dwelt in, each in the order of the fences.
  public var events: [FenceEvent] = []
  /// By location.
  public var issues: [FenceIssue] = []
  /// Entities that have been silent for so long that nothing is remembered of them: their numbers
  /// may be given to others.
  public var forgotten: [Int32] = []

  /// Nothing happened.
  public init() {}
}
