import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbSources

/// An output format of rows or features.
public enum OutputFormat: Sendable, Hashable {
  /// Text in columns that are separated by this byte.
  case delimited(UInt8)
  /// Identify results, one JSON object per line.
  case jsonLines
  /// One FeatureCollection.
  case geoJSON
  /// One feature per line.
  case geoJSONSequence
  /// A Parquet file, which is a GeoParquet file if it has geometries.
  case parquet
  /// An Arrow stream.
  case arrow
  /// An OGR driver, by its short name.
  case vector(String)

  package static let comma = OutputFormat.delimited(UInt8(ascii: ","))
  package static let tab = OutputFormat.delimited(0x09)

  /// Whether column names that differ only in case count as equal.
  package var ignoresCase: Bool {
    if case .vector = self { return true }
    return false
  }

  /// Whether columns have types.
  var isTyped: Bool {
    if case .delimited = self { return false }
    return true
  }

  /// The columnar format; nil for other formats.
  var columnFormat: ColumnFormat? {
    switch self {
    case .parquet: .parquet
    case .arrow: .arrow
    case .delimited, .jsonLines, .geoJSON, .geoJSONSequence, .vector: nil
    }
  }

  /// Whether rows are written as a Parquet or Arrow table.
  var isColumnar: Bool { columnFormat != nil }

  /// The name of a format whose files cannot be continued; nil for other formats.
  var wholeFileName: String? {
    switch self {
    case .parquet, .arrow: columnFormat?.rawValue
    case .vector(let name): name
    case .delimited, .jsonLines, .geoJSON, .geoJSONSequence: nil
    }
  }

  /// Whether rows are JSON objects.
  package var isJSON: Bool {
    switch self {
    case .jsonLines, .geoJSON, .geoJSONSequence: true
    case .delimited, .parquet, .arrow, .vector: false
    }
  }

  /// Whether all columns have to be known before the first row.
  package var needsFields: Bool {
    switch self {
    case .delimited, .parquet, .arrow, .vector: true
    case .jsonLines, .geoJSON, .geoJSONSequence: false
    }
  }
}

extension OutputFormat {
  /// - Throws: if there is no writer for a format with that name.
  package init(name: String) throws {
    let lower = name.lowercased()
    if let entry = Self.builtInEntries.first(where: { $0.name == lower })
      ?? (Self.featureEntries + Self.columnEntries).first(where: { $0.endings.contains(lower) })
    {
      self = entry.format
      return
    }
    if lower == "shapefile" {
      self = .vector("ESRI Shapefile")
      return
    }
    // GDAL's own names are case-insensitive.
    guard let driver = VectorDriver.named(name) ?? VectorDriver.forExtension(name) else {
      let known = VectorDriver.all.map(\.name).sorted().joined(separator: ", ")
      throw PlumbError(
        "unknown format \(name.printable): use csv, tsv, jsonl, geojson, geojsonseq, parquet, arrow, or "
          + "one of GDAL's (\(known))", code: .badOption)
    }
    self = .vector(driver.name)
  }
}

extension OutputFormat {
  package typealias Entry = OutputFormats<OutputFormat>.Entry

  /// The formats for rows with results.
  static let ofRows = OutputFormats(builtInEntries, more: gdalEntries)

  /// The formats for areas.
  static let ofAreas = OutputFormats(
    featureEntries + delimitedEntries + columnEntries, more: gdalEntries)

  /// The formats that Plumb writes without GDAL.
  private static let builtInEntries =
    delimitedEntries + answerEntries + featureEntries + columnEntries

  private static let delimitedEntries = [
    Entry("csv", "csv", format: .comma), Entry("tsv", "tsv", "tab", format: .tab),
  ]
  private static let answerEntries = [Entry("jsonl", "jsonl", "ndjson", format: .jsonLines)]
  private static let featureEntries = [
    Entry("geojson", "geojson", "json", format: .geoJSON),
    Entry(
      "geojsonseq", "geojsonseq", "geojsonl", "geojsons", "ndgeojson", format: .geoJSONSequence),
  ]

  // Files with the extension `arrow` are not streams.
  private static let columnEntries = [
    Entry("parquet", "parquet", "geoparquet", format: .parquet),
    Entry("arrow", "arrows", format: .arrow),
  ]

  /// The GDAL formats that are selected by an extension, if they are available. Many other GDAL
  /// formats claim an extension that usually means something else: `txt` is VDV-451 in GDAL, and
  /// `map` is WAsP. These formats have to be requested by name.
  private static let gdalEntries = [
    "GPKG", "ESRI Shapefile", "FlatGeobuf", "Arrow", "KML", "LIBKML", "GML", "GPX",
    "SQLite", "OpenFileGDB", "MapInfo File", "DXF", "XLSX", "ODS", "PGDUMP", "OGR_GMT",
  ].compactMap(VectorDriver.named).map { driver in
    Entry(
      driver.name, endings: driver.extensions.filter { $0 != "txt" && $0 != "xml" },
      format: .vector(driver.name))
  }
}
