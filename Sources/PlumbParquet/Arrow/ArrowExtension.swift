import PlumbIO

/// The name and the parameters of an extension type of a column.
struct ArrowExtension {
  static let nameKey = "ARROW:extension:name"
  static let parametersKey = "ARROW:extension:metadata"

  let name: String
  let parameters: String

  /// Sets the kind of a column whose values are stored as the type requires; other columns are unchanged.
  func apply(to column: inout ArrowColumn) throws(FormatError) {
    switch (name, column.field.kind, column.storage) {
    case ("geoarrow.wkb", .binary, _), ("ogc.wkb", .binary, _):
      column.field.kind = .geometry(.wkb)
      column.crs = try crs(column.field.name)
    case ("geoarrow.point", .structure(let members), .structure):
      guard Self.arePoints(members) else { return }
      column.field.kind = .geometry(.points)
      column.crs = try crs(column.field.name)
    case ("geoarrow.point", _, .fixedList(2...4)):
      guard column.children.first?.storage == .fixed(width: 8),
        column.children.first?.field.kind == .float(bits: 64)
      else { return }
      column.field.kind = .geometry(.points)
      column.crs = try crs(column.field.name)
    case (_, .json, _) where name.utf8.starts(with: "geoarrow.".utf8) && column.isNested:
      column.refusal = "has geometries of the type \(name.printable)"
    case ("arrow.json", .text, _): column.field.kind = .json
    case ("arrow.uuid", .fixed(16), _): column.field.kind = .uuid
    default: break
    }
  }

  /// Whether members are the coordinates of points.
  static func arePoints(_ members: [ColumnField]) -> Bool {
    members.map(\.name).starts(with: ["x", "y"])
      && members.allSatisfy { $0.kind == .float(bits: 64) }
  }

  /// The CRS in the parameters of GeoArrow's types; nil if they name none.
  private func crs(_ column: String) throws(FormatError) -> GeoParquetMetadata.CRS? {
    if parameters.isEmpty { return nil }
    do throws(FormatError) {
      return try Array(parameters.utf8).withUnsafeBufferPointer { bytes throws(FormatError) in
        try Self.crs(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      throw ParquetFault.at("the GeoArrow metadata of column \(column.printable)", error)
    }
  }

  private static func crs(
    _ bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> GeoParquetMetadata.CRS? {
    var scanner = JSONScanner(bytes)
    var (crs, isNumber): (GeoParquetMetadata.CRS?, Bool) = (nil, false)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch scanner.text(of: key) {
      case "crs":
        let first = scanner.peek()
        let start = scanner.position
        switch first {
        case UInt8(ascii: "{")?:
          try scanner.skipValue()
          crs = .text(String(decoding: bytes[start..<scanner.position], as: UTF8.self))
        case UInt8(ascii: "n")?: try scanner.skipValue()
        default:
          guard case .text(let text) = try scanner.readFieldValue() else {
            throw FormatError("the crs is neither an object nor a string")
          }
          crs = text == "OGC:CRS84" ? .longitudeLatitude : .text(text)
        }
      case "crs_type":
        if case .text("srid") = try scanner.readFieldValue() { isNumber = true }
      default: try scanner.skipValue()
      }
    }
    guard scanner.isAtEnd() else { throw FormatError("unexpected text after the object") }
    if isNumber, case .text(let number)? = crs { return .text("EPSG:\(number)") }
    return crs
  }
}
