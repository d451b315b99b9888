import PlumbIO
import PlumbSources

/// The format of notifications.
public enum NotificationFormat: String, Sendable, CaseIterable {
  /// One JSON object per line.
  case jsonl
  /// One row per notification, with a header.
  case csv
  /// One point feature per line, without record separators.
  case geojsonseq
  /// A collection of points.
  case geojson
  /// A layer of points, with columns as in CSV.
  case gpkg
  /// A GeoParquet file of points, with columns as in CSV.
  case parquet
  /// An Arrow stream of points, with columns as in CSV.
  case arrow

  /// All formats, with their file name extensions.
  public static let all = OutputFormats<Self>([
    .init("jsonl", "jsonl", "ndjson", "json", format: .jsonl), .init("csv", "csv", format: .csv),
    .init("geojson", "geojson", format: .geojson), .init("gpkg", "gpkg", format: .gpkg),
    .init(
      "geojsonseq", "geojsonseq", "geojsonl", "geojsons", "ndgeojson", format: .geojsonseq),
    .init("parquet", "parquet", "geoparquet", format: .parquet),
    .init("arrow", "arrows", format: .arrow),
  ])

  /// Whether the format consists of lines, so that the output is valid after each line.
  package var isLines: Bool {
    switch self {
    case .jsonl, .csv, .geojsonseq: true
    case .geojson, .gpkg, .parquet, .arrow: false
    }
  }

  /// The format of features; nil for text.
  var layerFormat: FeatureLayerOutput.Format? {
    switch self {
    case .gpkg: .geoPackage
    case .parquet: .columns(.parquet)
    case .arrow: .columns(.arrow)
    case .jsonl, .csv, .geojsonseq, .geojson: nil
    }
  }
}
