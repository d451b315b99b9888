import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// Fills a buffer with the next bytes of an Arrow stream or file, and returns their number; 0 at the end.
package typealias ArrowBytes = (UnsafeMutableRawBufferPointer) throws -> Int

/// A Parquet file, which may be at a URL, or an Arrow stream or file, with points or shapes: in a column of geometries,
/// or in two columns of coordinates.
///
/// Only one thread at a time may use a table.
final class ColumnarTable {
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

  private(set) var fields: [Field]
  private(set) var vectorFields: [VectorField]
  let reference: SpatialReference?
  let notes: [MessageTemplate]
  private(set) var location: Location
  private(set) var attributes: [ColumnAttribute]
  private let table: any ColumnTable
  private let path: String
  /// The columns that are read.
  private var selected: [Int]
  private let workers: Workers
  private var batch: ColumnBatch?
  private var nextRow = 0

  /// The number of rows; nil if it is not known before they are read.
  var rowCount: Int? { table.rowCount }

  /// The number of bytes of a Parquet file's values before compression; nil for Arrow.
  var byteCount: Int? { (table as? ParquetGroups)?.byteCount }

  /// Whether a path is a URL, or a file in a bucket, with the extension of Parquet.
  static func isRemote(_ path: String) -> Bool { RemoteByteSource.address(of: path) != nil }

  /// Whether a path is a file of Parquet, by the first bytes of a local file or, for other files, by
  /// its extension.
  static func isParquet(_ path: String) -> Bool {
    if isRemote(path) { return true }
    guard !path.hasPrefix("/vsi"), path != "-", let kind = FileKind(path: path) else {
      return false
    }
    if kind == .file, let start = try? SmallFile.start(of: path, count: 4) {
      if start == Array("PAR1".utf8) || start == Array("PARE".utf8) { return true }
    }
    let name = path.lowercased()
    return kind != .stream && (name.hasSuffix(".parquet") || name.hasSuffix(".geoparquet"))
  }

  /// Whether a path is a local file of Arrow, by its first bytes.
  static func isArrow(_ path: String) -> Bool {
    guard !path.hasPrefix("/vsi"), path != "-", FileKind(path: path) == .file,
      let start = try? SmallFile.start(of: path, count: ArrowStreamReader.markCount)
    else { return false }
    return ArrowStreamReader.isArrow(start)
  }

  /// The error for Parquet in a stream.
  static var notInStream: PlumbError {
    PlumbError(
      "Parquet cannot be read from standard input or a pipe, because its metadata is at its end",
      remedies: ["give the path of a file, or write an Arrow stream"])
  }

  /// - Parameters:
  ///   - x: the column of longitudes or eastings; nil to use the column of geometries or, in a file without
  ///     geometries, the columns with common names.
  ///   - y: the column of latitudes or northings.
  ///   - fetching: the settings of requests for a URL that a document names; nil for a path that the user names.
  ///   - arrow: the bytes of an Arrow stream; nil if the path is a file.
  init(
    path: String, x: String?, y: String?, access: DocumentAccess, fetching: HTTPSettings? = nil,
    workers: Workers, arrow: ArrowBytes? = nil
  ) throws {
    (self.path, self.workers) = (path, workers)
    do {
      let table = try Self.open(path, fetching, arrow)
      self.table = table
      let geometry = x == nil && y == nil ? Self.geometryColumn(table) : nil
      let omitted = Self.omittedColumns(table, geometry)
      var (notes, refusals): ([MessageTemplate], [MessageTemplate]) = ([], [])
      var (selected, attributes): ([Int], [ColumnAttribute]) = ([], [])
      for (index, field) in table.fields.enumerated() {
        if let reason = table.refusal(ofColumn: index) {
          refusals.append(
            "column \(field.name.printable) \(reason), which Plumb does not read from \(table.formatName): it is "
              + "left out")
          continue
        }
        if !omitted.contains(index) {
          if table.isNested(index) {
            notes.append(
              "column \(field.name.printable) has lists or maps, which are read as JSON text")
          }
          attributes += ColumnAttribute.attributes(of: field, at: [selected.count])
        } else if index != geometry {
          continue
        }
        selected.append(index)
      }
      (self.selected, self.attributes, self.notes) = (selected, attributes, refusals + notes)
      vectorFields = attributes.map(\.vectorField)
      fields = vectorFields.map(\.field)
      if let geometry, let position = selected.firstIndex(of: geometry) {
        if case .structure = table.fields[geometry].kind {
          location = .points(position)
        } else {
          location =
            table.fields[geometry].kind == .geometry(.points)
            ? .points(position) : .wkb(position)
        }
        reference = try Self.reference(table.crs(ofColumn: geometry), access)
      } else {
        let columns: PointColumns
        do {
          columns = try Self.pointColumns(attributes, x: x, y: y)
        } catch {
          guard !refusals.isEmpty else { throw error }
          let reasons = refusals.map { "; " + $0.description }.joined()
          throw PlumbError(messageTemplate: "\(PlumbError.line(of: error))\(reasons)")
        }
        location = .columns(columns)
        reference = columns.isGeographic ? .wgs84 : nil
      }
    } catch {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
  }

  /// The columns of coordinates, which cannot be JSON.
  private static func pointColumns(
    _ attributes: [ColumnAttribute], x: String?, y: String?
  ) throws -> PointColumns {
    let all = attributes.map(\.name)
    if x != nil || y != nil {
      let columns = try PointColumns(names: all, x: x, y: y)
      for index in [columns.x, columns.y] where attributes[index].kind == .json {
        throw PlumbError("column \(all[index].printable) has JSON or lists instead of numbers")
      }
      return columns
    }
    let usable = all.indices.filter { attributes[$0].kind != .json }
    guard !usable.isEmpty || all.isEmpty else {
      throw PlumbError("no coordinate columns: every column has JSON or lists")
    }
    var columns = try PointColumns(names: usable.map { all[$0] }, x: nil, y: nil)
    (columns.x, columns.y) = (usable[columns.x], usable[columns.y])
    return columns
  }

  private static func open(
    _ path: String, _ fetching: HTTPSettings?, _ arrow: ArrowBytes?
  ) throws -> any ColumnTable {
    if let arrow { return try ArrowStreamReader(read: arrow) }
    if let address = RemoteByteSource.address(of: path) {
      return ParquetGroups(try ParquetFile(RemoteByteSource(address, settings: fetching)))
    }
    if isArrow(path) {
      let input = try PeekedInput(path: path)
      return try ArrowStreamReader { try input.read($0) }
    }
    guard FileKind(path: path) != .folder else {
      throw PlumbError("this is a folder: name one of its Parquet files")
    }
    return ParquetGroups(try ParquetFile(path: path))
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
  private static func geometryColumn(_ table: any ColumnTable) -> Int? {
    let fields = table.fields
    if let geo = table.geo {
      return fields.firstIndex { $0.name == geo.primaryColumn }
    }
    return fields.firstIndex { $0.kind == .geometry(.wkb) || $0.kind == .geometry(.points) }
      ?? fields.firstIndex { field in
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
  private static func omittedColumns(_ table: any ColumnTable, _ geometry: Int?) -> Set<Int> {
    var names = Set(table.geo?.columns.flatMap(\.covering) ?? [])
    if let geo = table.geo { names.insert(geo.primaryColumn) }
    let fields = table.fields
    var omitted = Set(fields.indices.filter { names.contains(fields[$0].name) })
    if let geometry { omitted.insert(geometry) }
    return omitted
  }

  /// Restricts the columns that are read to the points and some attributes. This method must be called before
  /// the first row is read.
  ///
  /// - Parameter isKept: whether an attribute is read, by its index.
  func keepAttributes(_ isKept: (Int) -> Bool) {
    let kept = attributes.indices.filter { index in
      if case .columns(let columns) = location, index == columns.x || index == columns.y {
        return true
      }
      return isKept(index)
    }
    var columns = Set(kept.compactMap { attributes[$0].path.first })
    switch location {
    case .wkb(let column), .points(let column): columns.insert(column)
    case .columns: break
    }
    let order = columns.sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    switch location {
    case .wkb(let column): location = .wkb(places[column] ?? 0)
    case .points(let column): location = .points(places[column] ?? 0)
    case .columns(var points):
      points.x = kept.firstIndex(of: points.x) ?? 0
      points.y = kept.firstIndex(of: points.y) ?? 0
      location = .columns(points)
    }
    selected = order.map { selected[$0] }
    attributes = kept.map { index in
      let attribute = attributes[index]
      let first = attribute.path.first.flatMap { places[$0] } ?? 0
      return ColumnAttribute(
        name: attribute.name, kind: attribute.kind, path: [first] + attribute.path.dropFirst())
    }
    vectorFields = attributes.map(\.vectorField)
    fields = vectorFields.map(\.field)
  }

  // MARK: Rows

  /// Returns the next rows, at most `limit`, of one row group or record batch; nil at the end.
  func next(limit: Int) throws -> Rows? {
    while true {
      if let batch, nextRow < batch.rowCount {
        let range = nextRow..<min(batch.rowCount, nextRow + max(1, limit))
        nextRow = range.upperBound
        return Rows(batch: batch, range: range)
      }
      batch = nil
      do {
        guard let next = try table.next(columns: selected, workers: workers) else { return nil }
        (batch, nextRow) = (next, 0)
      } catch {
        throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
      }
    }
  }

  /// Returns the attributes of rows, row by row.
  static func values(_ rows: Rows, _ attributes: [ColumnAttribute]) -> [FieldValue] {
    var values = [FieldValue](repeating: .null, count: rows.range.count * attributes.count)
    for (index, attribute) in attributes.enumerated() {
      attribute.write(rows.batch, rows.range, into: &values, from: index, step: attributes.count)
    }
    return values
  }
}
