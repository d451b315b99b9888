/// The format of a feed's rows.
public enum LocationFormat: String, Sendable, Hashable, CaseIterable {
  /// Delimited text with a header row. The delimiter is a comma, a semicolon or a tab.
  case delimited = "csv"
  /// JSON objects, which are GeoJSON points with properties, plain objects whose members are the
  /// columns, or OwnTracks messages. The input is a collection, an array, a sequence with one
  /// object on each line, or a single object.
  case geoJSON = "geojson"
  /// The track points of a GPX file.
  case gpx
  /// NMEA 0183 sentences, including AIS messages.
  case nmea

  /// The name for users.
  package var title: String {
    switch self {
    case .delimited: "CSV"
    case .geoJSON: "JSON"
    case .gpx: "GPX"
    case .nmea: "NMEA 0183"
    }
  }

  /// Determines the format from the file extension of a path; nil for an unknown extension.
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
