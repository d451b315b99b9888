import PlumbCore
import PlumbExpressions

/// Creates features from locations. Expressions use these features as `$locationupdate` and
/// `$feedfeature`.
///
/// The first fields are `id`, `timestamp`, `horizontalAccuracy`, `verticalAccuracy`, `speed` and
/// `course`, which are null if unknown. They are followed by the feed's attributes, except
/// attributes with the same names. The geometry is a point on WGS84.
package struct LocationFeature {
  private static let known = [
    "id", "timestamp", "horizontalAccuracy", "verticalAccuracy", "speed", "course",
  ]

  private var names: [String] = []
  private var fields = ArcadeFields(known)
  /// The indices of the batch's attributes that are fields of the feature.
  private var columns: [Int] = []

  package init() {}

  package mutating func feature(
    _ batch: LocationBatch, _ row: Int, entities: EntityNames
  ) -> ArcadeFeature {
    if batch.fields != names { adopt(batch.fields) }
    func number(_ column: [Double]) -> ArcadeValue {
      column.isEmpty || column[row].isNaN ? .null : .number(column[row])
    }
    var values: [ArcadeValue] = [
      .text(entities[batch.entity[row]]), .date(ArcadeDate(milliseconds: batch.time[row])),
      number(batch.horizontalAccuracy), number(batch.verticalAccuracy), number(batch.speed),
      number(batch.course),
    ]
    for column in columns { values.append(ArcadeValue(batch.attributes[column][row])) }
    let point = Point(x: batch.x[row], y: batch.y[row], spatialReference: .wgs84)
    return ArcadeFeature(fields: fields, attributes: values, geometry: .point(point))
  }

  private mutating func adopt(_ names: [String]) {
    self.names = names
    let knownNames = Set(Self.known.map { $0.lowercased() })
    columns = names.indices.filter { !knownNames.contains(names[$0].lowercased()) }
    fields = ArcadeFields(Self.known + columns.map { names[$0] })
  }
}
