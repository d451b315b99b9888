import PlumbCore
import PlumbGDAL
import PlumbGeotriggers

/// Notifications as a layer of points in a GeoPackage, with longitude and latitude on WGS84.
final class NotificationLayer {
  private let writer: VectorRowWriter

  /// The types of the columns that are neither text nor real numbers.
  private static let kinds: [String: VectorField.Kind] = [
    "time": .dateTime, "crossing_time": .dateTime, "second_time": .dateTime, "index": .integer64,
  ]
  private static let reals: Set = [
    "x", "y", "crossing_x", "crossing_y", "second_x", "second_y",
  ]

  /// - Parameter path: the path of the new file, which must not exist.
  /// - Throws: when GDAL lacks GeoPackage, or the file cannot be created.
  package init(path: String, explains: Bool, reportsCrossings: Bool) throws {
    guard let driver = VectorDriver.named("GPKG") else {
      throw PlumbError("this GDAL does not write GeoPackages", code: .unsupported)
    }
    let names =
      NotificationWriter.columns + (reportsCrossings ? NotificationWriter.passages : [])
      + (explains ? ["why"] : []) + ["actions", "messageProperties"]
    writer = try VectorRowWriter(
      path: path, driver: driver, layer: "events",
      fields: names.map { name in
        VectorField(
          name: name, kind: Self.reals.contains(name) ? .real : Self.kinds[name] ?? .text)
      }, reference: "EPSG:4326")
  }

  /// - Parameters:
  ///   - values: the values of the columns as in CSV.
  ///   - actions: the message's actions as a JSON array; nil without actions.
  ///   - properties: the message's properties as a JSON object; nil without properties.
  package func append(
    _ notification: FenceNotification, _ values: [FieldValue], actions: String?,
    properties: String?
  ) throws {
    let rest = [actions, properties].map { $0.map { FieldValue.json($0) } ?? .null }
    try writer.append(
      point: (notification.event.x, notification.event.y), values: values + rest)
  }

  package func finish() throws { try writer.finish() }
}
