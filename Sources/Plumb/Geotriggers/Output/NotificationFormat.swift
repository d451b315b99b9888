/// How notifications are written.
public enum NotificationFormat: String, Sendable, CaseIterable {
  /// One JSON object a line.
  case jsonl
  case csv
  /// A collection of points.
  case geojson

  /// By the end of a file's name; nil for others.
  public init?(path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "jsonl", "ndjson", "json": self = .jsonl
    case "csv": self = .csv
    case "geojson": self = .geojson
    default: return nil
    }
  }
}
