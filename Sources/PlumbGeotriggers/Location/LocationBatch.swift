import PlumbCore

/// Locations of a feed in its order, column by column.
///
/// Points are longitude and latitude in degrees on WGS84. Times are milliseconds since
/// 1970-01-01T00:00:00Z. All columns that are not empty have `count` rows.
public struct LocationBatch: Sendable {
  /// How many locations there are.
  public var count: Int { entity.count }
  /// A row's number in the feed, from 0. Rows that could not be read have a number too, and no location.
  public var index: [Int] = []
  /// The line, from 1, on which each row begins. Empty for feeds that are not text.
  public var line: [Int] = []
  /// The number of the entity: `EntityNames` knows its name.
  public var entity: [Int32] = []
  /// When each was reported.
  public var time: [Int64] = []
  /// Longitudes.
  public var x: [Double] = []
  /// Latitudes.
  public var y: [Double] = []
  /// Metres; NaN where unknown. Empty when no location has one, like the next three.
  public var horizontalAccuracy: [Double] = []
  /// Metres up and down; NaN where unknown. Empty when no location has one.
  public var verticalAccuracy: [Double] = []
  /// Metres per second.
  public var speed: [Double] = []
  /// Degrees from north, clockwise.
  public var course: [Double] = []
  /// The names of further attributes, in the order of first sight in the feed; empty when nobody
  /// asked for them.
  public var fields: [String] = []
  /// For each field a column of `count` values.
  public var attributes: [[FieldValue]] = []

  /// A batch without locations.
  public init() {}
}
