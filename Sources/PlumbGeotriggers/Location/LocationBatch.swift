import PlumbCore

/// A batch of locations of a feed, in the feed's order, stored as columns.
///
/// Points are longitude and latitude in degrees on WGS84. Times are milliseconds since
/// 1970-01-01T00:00:00Z. All columns that are not empty have `count` rows.
public struct LocationBatch: Sendable {
  /// The number of locations.
  public var count: Int { entity.count }
  /// Each row's number in the feed, from 0. Rows that could not be read are counted, but have no
  /// location.
  public var index: [Int] = []
  /// The line, from 1, on which each row begins. Empty for feeds that are not text.
  public var line: [Int] = []
  /// The number of each row's entity; `EntityNames` has its name.
  public var entity: [Int32] = []
  /// The time of each location.
  public var time: [Int64] = []
  /// The longitudes.
  public var x: [Double] = []
  /// The latitudes.
  public var y: [Double] = []
  /// The horizontal accuracy in metres; NaN if unknown. Empty if no location has a horizontal
  /// accuracy.
  public var horizontalAccuracy: [Double] = []
  /// The vertical accuracy in metres; NaN if unknown. Empty if no location has a vertical accuracy.
  public var verticalAccuracy: [Double] = []
  /// The speed in metres per second; NaN if unknown. Empty if no location has a speed.
  public var speed: [Double] = []
  /// The course in degrees, clockwise from north; NaN if unknown. Empty if no location has a
  /// course.
  public var course: [Double] = []
  /// The names of further attributes, in the order of first occurrence in the feed. Empty if
  /// attributes were not requested.
  public var fields: [String] = []
  /// A column of `count` values for each field.
  public var attributes: [[FieldValue]] = []

  /// Creates an empty batch.
  public init() {}
}
