import PlumbCore

/// A single location, as in notifications.
public struct Location: Sendable, Hashable {
  /// The row's number in the feed, from 0.
  public var index: Int
  /// The entity's name; empty if the feed has no names.
  public var entity: String
  /// The time in milliseconds since 1970-01-01T00:00:00Z.
  public var time: Int64
  /// Longitude, in degrees on WGS84.
  public var x: Double
  /// Latitude, in degrees on WGS84.
  public var y: Double
  /// The horizontal accuracy in metres; NaN if unknown.
  public var horizontalAccuracy: Double
  /// Vertical accuracy in metres; NaN if unknown.
  public var verticalAccuracy: Double
  /// The speed in metres per second; NaN if unknown.
  public var speed: Double
  /// The course in degrees, clockwise from north; NaN if unknown.
  public var course: Double
}

extension LocationBatch {
  /// Returns the location of a row.
  ///
  /// - Precondition: the row is in the batch, and `entities` has the names of the batch's entity
  ///   numbers.
  public func location(_ row: Int, entities: EntityNames) -> Location {
    func value(_ column: [Double]) -> Double { column.isEmpty ? .nan : column[row] }
    return Location(
      index: index.isEmpty ? row : index[row], entity: entities[entity[row]], time: time[row],
      x: x[row], y: y[row], horizontalAccuracy: value(horizontalAccuracy),
      verticalAccuracy: value(verticalAccuracy), speed: value(speed), course: value(course))
  }

  /// Returns an issue with the location of a row.
  func issue(_ row: Int, _ message: String) -> GeotriggerIssue {
    GeotriggerIssue(
      index: index.isEmpty ? row : index[row], line: line.isEmpty ? nil : line[row],
      message: message)
  }

  /// Returns the rows for which `keeps` returns true, in their order.
  package func filter(_ keeps: (Int) -> Bool) -> LocationBatch {
    let rows = (0..<count).filter(keeps)
    return rows.count == count ? self : self.rows(rows)
  }

  /// Returns some rows, in the given order.
  ///
  /// - Precondition: the rows are in the batch.
  package func rows(_ rows: some Collection<Int>) -> LocationBatch {
    func kept<Value>(_ column: [Value]) -> [Value] {
      column.isEmpty ? [] : rows.map { column[$0] }
    }
    var result = LocationBatch()
    result.index = index.isEmpty ? Array(rows) : kept(index)
    result.line = kept(line)
    result.entity = kept(entity)
    result.time = kept(time)
    (result.x, result.y) = (kept(x), kept(y))
    result.horizontalAccuracy = kept(horizontalAccuracy)
    result.verticalAccuracy = kept(verticalAccuracy)
    (result.speed, result.course) = (kept(speed), kept(course))
    result.fields = fields
    result.attributes = attributes.map(kept)
    return result
  }
}
