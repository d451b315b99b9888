import PlumbCore
import PlumbGeotriggers

/// Locations from the caller, as a feed of rows without line numbers. The locations are checked
/// like the locations of files, and numbered continuously across batches.
package struct PushedLocations {
  /// One location. Unknown values are NaN.
  package struct Row {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var time: Int64
    /// Longitude and latitude in degrees on WGS84.
    package var x: Double
    package var y: Double
    /// The accuracies in metres, the speed in metres per second, and the course in degrees
    /// clockwise from north.
    package var horizontalAccuracy = Double.nan
    package var verticalAccuracy = Double.nan
    package var speed = Double.nan
    package var course = Double.nan

    package init(time: Int64, x: Double, y: Double) { (self.time, self.x, self.y) = (time, x, y) }
  }

  private var rows: LocationRows

  /// - Parameter attributes: whether attributes of locations are needed.
  package init(attributes: Bool) { rows = LocationRows(attributes: attributes) }

  /// Whether attributes of locations are needed.
  package var hasAttributes: Bool { rows.readsAttributes }

  /// The names of the entities so far.
  package var entities: EntityNames { rows.entities }

  /// Returns the number of an entity; nil when its name is not UTF-8.
  package mutating func entity(utf8 name: UnsafeBufferPointer<UInt8>) -> Int32? {
    rows.entities.number(utf8: name)
  }

  /// Releases the names of entities that no longer exist.
  package mutating func release(_ entities: [Int32]) {
    if !entities.isEmpty { rows.entities.release(entities) }
  }

  /// Adds a location, or records the error in this location.
  ///
  /// - Parameter attributes: the attributes by name, if the locations have any.
  package mutating func add(
    _ row: Row, entity: Int32?, attributes: [(name: String, value: FieldValue)] = []
  ) {
    guard let entity else { return rows.addBad(line: 0, "the entity's name is not UTF-8") }
    var location = LocationRow(time: row.time, x: row.x, y: row.y)
    location.horizontalAccuracy = row.horizontalAccuracy
    location.verticalAccuracy = row.verticalAccuracy
    (location.speed, location.course) = (row.speed, row.course)
    guard rows.add(location, entity: entity, line: 0) else { return }
    for (name, value) in attributes {
      if let field = rows.field(name) { rows.set(value, field: field) }
    }
  }

  /// Returns the locations that were added since the last call.
  package mutating func removeBatch() -> LocationBatch {
    var batch = rows.removeBatch()
    batch.line = []
    return batch
  }

  /// Returns the errors in the locations that could not be added since the last call, one line
  /// each.
  package mutating func drainIssues() -> [MessageTemplate] {
    rows.drainIssues().map { "location \($0.index): \($0.messageTemplate)" }
  }
}
