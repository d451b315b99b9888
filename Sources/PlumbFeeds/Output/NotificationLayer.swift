import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbSources

/// Notifications as points with longitude and latitude on WGS84 and typed columns: a layer of a
/// GeoPackage, a Parquet file, an Arrow stream or a table of a database.
final class NotificationLayer {
  private let output: FeatureLayerOutput
  /// Whether readers receive the notifications during the run.
  private let isStream: Bool

  /// The types of the columns that are neither text nor real numbers.
  private static let kinds: [String: VectorField.Kind] = [
    "time": .dateTime, "crossing_time": .dateTime, "second_time": .dateTime, "index": .integer64,
  ]
  private static let reals: Set = [
    "x", "y", "crossing_x", "crossing_y", "second_x", "second_y",
  ]

  /// - Parameter path: the path of the new file, which must not exist; nil for standard output.
  /// - Throws: when GDAL lacks the GeoPackage driver, or the file cannot be created.
  init(
    path: String?, _ format: FeatureLayerOutput.Format, explains: Bool, reportsCrossings: Bool
  ) throws {
    isStream = format == .columns(.arrow)
    output = try FeatureLayerOutput(
      path: path, format, layer: "events",
      fields: Self.fields(explains: explains, reportsCrossings: reportsCrossings),
      reference: .wgs84, kind: .point)
  }

  /// Writes to a table of a database.
  ///
  /// - Throws: if the database cannot be opened or refuses the table.
  init(table: DatabaseTable, explains: Bool, reportsCrossings: Bool) throws {
    isStream = table.isLive
    output = try FeatureLayerOutput(
      table: table, fields: Self.fields(explains: explains, reportsCrossings: reportsCrossings),
      reference: .wgs84, kind: .point)
  }

  private static func fields(explains: Bool, reportsCrossings: Bool) -> [VectorField] {
    let names =
      NotificationWriter.columns + (reportsCrossings ? NotificationWriter.passages : [])
      + (explains ? ["why"] : []) + ["actions", "messageProperties"]
    return names.map { name in
      VectorField(name: name, kind: reals.contains(name) ? .real : kinds[name] ?? .text)
    }
  }

  /// - Parameters:
  ///   - values: the values of the columns as in CSV, with times as the format requires.
  ///   - actions: the message's actions as a JSON array; nil if there are no actions.
  ///   - properties: the message's properties as a JSON object; nil if there are no properties.
  func append(
    _ notification: FenceNotification, _ values: [FieldValue], actions: String?,
    properties: String?
  ) throws {
    let rest = [actions, properties].map { $0.map { FieldValue.json($0) } ?? .null }
    let event = notification.event
    try output.append(.point(Point(x: event.x, y: event.y)), values + rest)
  }

  /// Writes the notifications so far, if the format is a stream or the table is live.
  func flush() throws { if isStream { try output.flush() } }

  func finish() throws { try output.finish() }
}
