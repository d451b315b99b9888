import PlumbIO

/// GeoParquet's metadata in the key `geo`.
package struct GeoParquetMetadata: Sendable, Hashable {
  /// A column of geometries.
  package struct Column: Sendable, Hashable {
    package var name: String
    /// Such as `WKB` or `point`.
    package var encoding: String
    package var crs: CRS
    /// The columns of the bounding boxes of the geometries.
    package var covering: [String] = []
  }

  /// The CRS of a column.
  package enum CRS: Sendable, Hashable {
    /// Longitude and latitude on WGS84, the default if the metadata has no CRS.
    case longitudeLatitude
    /// The metadata says that the CRS is unknown.
    case unknown
    /// PROJJSON, or any other text that PROJ reads.
    case text(String)
  }

  /// The reason why a column of lists cannot be read: its geometries have the given encoding.
  static func refusal(_ encoding: String) -> String {
    "has geometries in the encoding \(encoding.printable)"
  }

  package var primaryColumn: String
  package var columns: [Column]

  /// Parses the metadata.
  package init(_ json: String) throws(FormatError) {
    do throws(FormatError) {
      self = try Array(json.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
        try GeoParquetMetadata(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      throw ParquetFault.at("GeoParquet metadata", error)
    }
  }

  private init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var scanner = JSONScanner(bytes)
    var primary: String?
    var columns: [Column] = []
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch scanner.text(of: key) {
      case "primary_column":
        guard case .text(let name) = try scanner.readFieldValue() else {
          throw FormatError("primary_column is not a string")
        }
        primary = name
      case "columns":
        try scanner.beginObject()
        while let name = try scanner.nextKey() {
          columns.append(try Self.column(scanner.text(of: name), &scanner))
        }
      default: try scanner.skipValue()
      }
    }
    guard scanner.isAtEnd() else { throw FormatError("unexpected text after the object") }
    guard let primary else { throw FormatError("primary_column is missing") }
    guard columns.contains(where: { $0.name == primary }) else {
      throw FormatError("columns has no member \(primary.printable), the primary column")
    }
    (primaryColumn, self.columns) = (primary, columns)
  }

  private static func column(
    _ name: String, _ scanner: inout JSONScanner
  ) throws(FormatError) -> Column {
    var column = Column(name: name, encoding: "", crs: .longitudeLatitude)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch scanner.text(of: key) {
      case "encoding":
        guard case .text(let encoding) = try scanner.readFieldValue() else {
          throw FormatError("the encoding of \(name.printable) is not a string")
        }
        column.encoding = encoding
      case "crs":
        let first = scanner.peek()
        let start = scanner.position
        try scanner.skipValue()
        let text = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
        switch first {
        case UInt8(ascii: "{")?: column.crs = .text(text)
        case UInt8(ascii: "n")?: column.crs = .unknown
        case UInt8(ascii: "\"")?:
          // Drafts of the specification had WKT here.
          let tree = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
            try JSONTree(UnsafeRawBufferPointer(bytes))
          }
          if case .text(let wkt) = tree { column.crs = .text(wkt) }
        default: throw FormatError("the crs of \(name.printable) is not PROJJSON")
        }
      case "covering": column.covering = try covering(&scanner)
      default: try scanner.skipValue()
      }
    }
    return column
  }

  /// Reads the columns that paths such as `["bbox", "xmin"]` name.
  private static func covering(_ scanner: inout JSONScanner) throws(FormatError) -> [String] {
    scanner.skipWhitespace()
    let start = scanner.position
    try scanner.skipValue()
    let text = Array(scanner.bytes[start..<scanner.position])
    let tree = try text.withUnsafeBufferPointer { bytes throws(FormatError) in
      try JSONTree(UnsafeRawBufferPointer(bytes))
    }
    guard case .object(let members) = tree, case .object(let box)? = members["bbox"] else {
      return []
    }
    return box.values.compactMap { path in
      guard case .text(let name)? = path.elements?.first else { return nil }
      return name
    }
  }
}
