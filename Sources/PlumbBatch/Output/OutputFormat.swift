import PlumbCore
import PlumbGDAL
import PlumbIO

/// The formats of rows and features.
public enum OutputFormat: Sendable, Hashable {
  /// Text in columns, which this byte parts.
  case delimited(UInt8)
  /// Identify results, one JSON object a line.
  case jsonLines
  /// One FeatureCollection.
  case geoJSON
  /// A feature a line.
  case geoJSONSequence
  /// An OGR driver, by its short name.
  case vector(String)

  package static let comma = OutputFormat.delimited(UInt8(ascii: ","))
  package static let tab = OutputFormat.delimited(0x09)

  /// Whether names of columns may not differ by case alone.
  package var ignoresCase: Bool {
    if case .vector = self { return true }
    return false
  }

  /// Whether columns have kinds.
  package var isTyped: Bool {
    if case .delimited = self { return false }
    return true
  }

  /// Whether rows are JSON objects.
  package var isJSON: Bool {
    switch self {
    case .jsonLines, .geoJSON, .geoJSONSequence: true
    case .delimited, .vector: false
    }
  }

  /// Whether all columns have to be known before the first row.
  package var needsFields: Bool {
    switch self {
    case .delimited, .vector: true
    case .jsonLines, .geoJSON, .geoJSONSequence: false
    }
  }
}

extension OutputFormat {
  /// - Throws: when nothing writes a format of that name.
  package init(name: String) throws {
    let lower = name.lowercased()
    if let entry = Self.ownEntries.first(where: { $0.name == lower })
      ?? Self.featureEntries.first(where: { $0.endings.contains(lower) })
    {
      self = entry.format
      return
    }
    if lower == "shapefile" {
      self = .vector("ESRI Shapefile")
      return
    }
    // GDAL's own names come in any case.
    guard let driver = VectorDriver.named(name) ?? VectorDriver.forExtension(name) else {
      let known = VectorDriver.all.map(\.name).sorted().joined(separator: ", ")
      throw PlumbError(
        "unknown format \(name.printable): use csv, tsv, jsonl, geojson, geojsonseq, or one of "
          + "GDAL's (\(known))", code: .badOption)
    }
    self = .vector(driver.name)
  }
}

extension OutputFormat {
  package typealias Entry = OutputFormats<OutputFormat>.Entry

  /// What rows with answers are written as.
  package static let ofRows = OutputFormats(ownEntries, more: gdalEntries)

  /// What areas are written as.
  package static let ofAreas = OutputFormats(
    featureEntries + delimitedEntries, more: gdalEntries)

  /// Those that need no library.
  private static let ownEntries = delimitedEntries + answerEntries + featureEntries

  private static let delimitedEntries = [
    Entry("csv", "csv", format: .comma), Entry("tsv", "tsv", "tab", format: .tab),
  ]
  private static let answerEntries = [Entry("jsonl", "jsonl", "ndjson", format: .jsonLines)]
  private static let featureEntries = [
    Entry("geojson", "geojson", "json", format: .geoJSON),
    Entry(
      "geojsonseq", "geojsonseq", "geojsonl", "geojsons", "ndgeojson", format: .geoJSONSequence),
  ]

  /// Those of GDAL's formats, as far as it has them, that people mean by an ending. Many of its
  /// others claim one that says something else (`txt` is VDV-451 to it, `map` WAsP); they are
  /// asked for by name.
  private static let gdalEntries = [
    "GPKG", "ESRI Shapefile", "FlatGeobuf", "Parquet", "Arrow", "KML", "LIBKML", "GML", "GPX",
    "SQLite", "OpenFileGDB", "MapInfo File", "DXF", "XLSX", "ODS", "PGDUMP", "OGR_GMT",
  ].compactMap(VectorDriver.named).map { driver in
    Entry(
      driver.name, endings: driver.extensions.filter { $0 != "txt" && $0 != "xml" },
      format: .vector(driver.name))
  }
}
