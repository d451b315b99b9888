import PlumbCore

/// Locations of a feed, in order, as columns.
///
/// Points are longitude and latitude in degrees on WGS84. Times are milliseconds since
/// 1970-01-01T00:00:00Z. All columns that are not empty have `count` rows.
public struct LocationBatch: Sendable {
  /// The number of locations.
  public var count: Int { entity.count }
  /// A row's number in the feed, from 0. Rows that could not be read have a number, but no
  /// location.
  public var index: [Int] = []
  /// The line, from 1, on which each row begins. Empty for feeds that are not text.
  public var line: [Int] = []
  /// The number of the entity; `EntityNames` has its name.
  public var entity: [Int32] = []
  /// The time of each report.
  public var time: [Int64] = []
  /// Longitudes.
  public var x: [Double] = []
  /// Latitudes.
  public var y: [Double] = []
  /// Metres; NaN if unknown. Empty if no location has one, like the next three.
  public var horizontalAccuracy: [Double] = []
  /// Vertical accuracy in metres; NaN if unknown. Empty if no location has one.
  public var verticalAccuracy: [Double] = []
  /// Metres per second.
  public var speed: [Double] = []
  /// Degrees from north, clockwise.
  public var course: [Double] = []
  /// The names of further attributes, in the order of first occurrence in the feed; empty if they
  /// were not requested.
  public var fields: [String] = []
  /// A column of `count` values for each field.
  public var attributes: [[FieldValue]] = []

  /// Creates an empty batch.
  public init() {}
}
