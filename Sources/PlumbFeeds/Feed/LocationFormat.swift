/// How the rows of a feed are written.
public enum LocationFormat: String, Sendable, Hashable, CaseIterable {
  /// Delimited text with a header row: comma, semicolon or tab.
  case delimited = "csv"
  /// JSON objects: points with properties, plain objects whose members are the columns, or those of
  /// OwnTracks; in a collection, in an array, one on each line, or one alone.
  case geoJSON = "geojson"
  /// The track points of a GPX file.
  case gpx
  /// NMEA 0183 sentences, AIS messages among them.
  case nmea

  /// What people call it.
  package var title: String {
    switch self {
    case .delimited: "CSV"
    case .geoJSON: "JSON"
    case .gpx: "GPX"
    case .nmea: "NMEA 0183"
    }
  }

  /// What the end of a path says.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "csv", "tsv", "tab", "ssv": self = .delimited
    case "geojson", "json", "geojsonl", "geojsons", "ndjson", "jsonl", "ndgeojson": self = .geoJSON
    case "gpx": self = .gpx
    case "nmea", "nme": self = .nmea
    default: return nil
    }
  }
}
