import PlumbIO

/// How notifications are written.
public enum NotificationFormat: String, Sendable, CaseIterable {
  /// One JSON object a line.
  case jsonl
  /// One row a notification, with a header.
  case csv
  /// One point feature a line, without record separators.
  case geojsonseq
  /// A collection of points.
  case geojson
  /// A layer of points, with columns as in CSV.
  case gpkg

  /// All of them, by the endings of files' names.
  public static let all = OutputFormats<Self>([
    .init("jsonl", "jsonl", "ndjson", "json", format: .jsonl), .init("csv", "csv", format: .csv),
    .init("geojson", "geojson", format: .geojson), .init("gpkg", "gpkg", format: .gpkg),
    .init(
      "geojsonseq", "geojsonseq", "geojsonl", "geojsons", "ndgeojson", format: .geojsonseq),
  ])

  /// Whether what is written is whole after each line.
  package var isLines: Bool { self != .geojson && self != .gpkg }
}
