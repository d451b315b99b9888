import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// A Parquet file with points or shapes: in a column of geometries, or in two columns of coordinates.
///
/// Only one thread at a time may use a table.
final class ParquetTable {
  /// The location of the points or shapes in the file.
  enum Location: Sendable {
    /// The index of a column of WKB among the columns that are read.
    case wkb(Int)
    /// The index of a column of structures with x and y.
    case points(Int)
    /// The indices of two attributes.
    case columns(PointColumns)
  }

  /// Rows of one row group.
  struct Rows: Sendable {
    let batch: ColumnBatch
    let range: Range<Int>
  }

  let fields: [Field]
  let vectorFields: [VectorField]
  let reference: SpatialReference?
  let notes: [MessageTemplate]
  let location: Location
  let attributes: [ParquetAttribute]
  private let file: ParquetFile
  private let path: String
  /// The columns that are read.
  private let selected: [Int]
  private let workers: Workers
  private var batch: ColumnBatch?
  private var nextGroup = 0
  private var nextRow = 0

  var rowCount: Int { file.rowCount }

  /// Whether a path is a local file of Parquet, by its first bytes or, for other files, by its
  /// extension.
  static func isParquet(_ path: String) -> Bool {
    guard !path.hasPrefix("/vsi"), path != "-", let kind = FileKind(path: path) else {
      return false
    }
    if kind == .file, let start = try? SmallFile.start(of: path, count: 4) {
      if start == Array("PAR1".utf8) || start == Array("PARE".utf8) { return true }
    }
    let name = path.lowercased()
    return kind != .stream && (name.hasSuffix(".parquet") || name.hasSuffix(".geoparquet"))
  }

  /// The error for Parquet in a stream.
  static var notInStream: PlumbError {
    PlumbError(
      "Parquet cannot be read from standard input or a pipe, because its metadata is at its end",
      remedies: ["give the path of a file"])
  }

  /// - Parameters:
  ///   - x: the column of longitudes or eastings; nil for the geometries, or for the common names in a file
  ///     without geometries.
  ///   - y: the column of latitudes or northings.
  init(
    path: String, x: String?, y: String?, access: DocumentAccess, workers: Workers
  ) throws {
    (self.path, self.workers) = (path, workers)
    do {
      guard FileKind(path: path) != .folder else {
        throw PlumbError("this is a folder: name one of its Parquet files")
      }
      file = try ParquetFile(path: path)
      let geometry = x == nil && y == nil ? Self.geometryColumn(file) : nil
      let omitted = Self.omittedColumns(file, geometry)
      var notes: [MessageTemplate] = []
      var (selected, attributes): ([Int], [ParquetAttribute]) = ([], [])
      for (index, field) in file.fields.enumerated() {
        if let reason = file.refusal(ofColumn: index) {
          notes.append(
            "column \(field.name.printable) \(reason), which Plumb does not read from Parquet: it is "
              + "left out")
          continue
        }
        if !omitted.contains(index) {
          attributes += ParquetAttribute.attributes(of: field, at: [selected.count])
        } else if index != geometry {
          continue
        }
        selected.append(index)
      }
      (self.selected, self.attributes, self.notes) = (selected, attributes, notes)
      vectorFields = attributes.map(\.vectorField)
      fields = vectorFields.map(\.field)
      if let geometry, let position = selected.firstIndex(of: geometry) {
        if case .structure = file.fields[geometry].kind {
          location = .points(position)
        } else {
          location =
            file.fields[geometry].kind == .geometry(.points)
            ? .points(position) : .wkb(position)
        }
        reference = try Self.reference(file.crs(ofColumn: geometry), access)
      } else {
        let columns = try PointColumns(names: fields.map(\.name), x: x, y: y)
        location = .columns(columns)
        reference = columns.isGeographic ? .wgs84 : nil
      }
    } catch {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
  }

  private static func reference(
    _ crs: GeoParquetMetadata.CRS?, _ access: DocumentAccess
  ) throws -> SpatialReference? {
    switch crs {
    case .longitudeLatitude?: .wgs84
    case .text(let text)?: try SpatialReference.inDocument(text, access)
    case .unknown?, nil: nil
    }
  }

  // MARK: Columns

  private static let usualNames: Set<String> = ["geometry", "geom", "wkb_geometry", "the_geom"]

  /// The column of geometries: GeoParquet's primary column, otherwise the first column of a geometry type,
  /// otherwise the first column with a common name and binary values, or points in a structure.
  private static func geometryColumn(_ file: ParquetFile) -> Int? {
    if let geo = file.geo {
      return file.fields.firstIndex { $0.name == geo.primaryColumn }
    }
    return file.fields.firstIndex { $0.kind == .geometry(.wkb) }
      ?? file.fields.firstIndex { field in
        guard usualNames.contains(field.name.lowercased()) else { return false }
        switch field.kind {
        case .binary: return true
        case .structure(let members):
          return members.map(\.name).starts(with: ["x", "y"])
            && members.allSatisfy { $0.kind == .float(bits: 64) }
        default: return false
        }
      }
  }

  /// The columns that are not attributes: the geometries and their boxes.
  private static func omittedColumns(_ file: ParquetFile, _ geometry: Int?) -> Set<Int> {
    var names = Set(file.geo?.columns.flatMap(\.covering) ?? [])
    if let geo = file.geo { names.insert(geo.primaryColumn) }
    var omitted = Set(file.fields.indices.filter { names.contains(file.fields[$0].name) })
    if let geometry { omitted.insert(geometry) }
    return omitted
  }

  // MARK: Rows

  /// Returns the next rows, at most `limit`, of one row group; nil at the end.
  func next(limit: Int) throws -> Rows? {
    while true {
      if let batch, nextRow < batch.rowCount {
        let range = nextRow..<min(batch.rowCount, nextRow + max(1, limit))
        nextRow = range.upperBound
        return Rows(batch: batch, range: range)
      }
      guard nextGroup < file.rowGroups.count else { return nil }
      batch = nil
      do {
        batch = try file.read(rowGroup: nextGroup, columns: selected, workers: workers)
      } catch {
        throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
      }
      (nextGroup, nextRow) = (nextGroup + 1, 0)
    }
  }

  /// Returns the attributes of rows, row by row.
  static func values(_ rows: Rows, _ attributes: [ParquetAttribute]) -> [FieldValue] {
    var values = [FieldValue](repeating: .null, count: rows.range.count * attributes.count)
    for (index, attribute) in attributes.enumerated() {
      attribute.write(rows.batch, rows.range, into: &values, from: index, step: attributes.count)
    }
    return values
  }
}
