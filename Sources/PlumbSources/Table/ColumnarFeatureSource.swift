import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// The rows of a Parquet file, or of an Arrow stream or file, as features, with the shapes in a column of geometries or
/// the points in two columns. A row without a valid shape has no geometry.
final class ColumnarFeatureSource {
  package let spatialReference: SpatialReference?
  package private(set) var faults = FeatureFaults()
  private let table: ColumnarTable
  /// Whether batches contain the rows of the features.
  var keepsRows = false
  private var rows = 0

  /// - Parameters:
  ///   - reference: the CRS of the shapes; nil for that of the table.
  ///   - fetching: the settings of requests for a URL that a document names; nil for a path that the user names.
  ///   - arrow: the bytes of an Arrow stream or file; nil for a Parquet file.
  init(
    path: String, x: String? = nil, y: String? = nil, reference: SpatialReference?,
    access: DocumentAccess, fetching: HTTPSettings? = nil, workers: Workers = Workers(),
    arrow: PeekedInput?
  ) throws {
    table = try ColumnarTable(
      path: path, x: x, y: y, access: access, fetching: fetching, workers: workers,
      arrow: arrow.map { input in { try input.read($0) } })
    spatialReference = reference ?? table.reference
  }

  package var fields: [Field] { table.fields }
  package var vectorFields: [VectorField] { table.vectorFields }
  package var featureCount: Int? { table.rowCount }
  package var warnings: [MessageTemplate] { table.notes }

  /// The number of bytes of a Parquet file's values before compression; nil for Arrow.
  var byteCount: Int? { table.byteCount }

  /// The columns of the attributes in a Parquet or Arrow table.
  var columnFields: [ColumnField] { table.attributes.map(\.columnField) }

  package func next(limit: Int) throws -> [Feature]? { try nextRows(limit: limit)?.features }

  /// Returns the next features with their rows; nil at the end.
  func nextRows(limit: Int) throws -> (features: [Feature], rows: [TableRow])? {
    guard let part = try table.next(limit: limit) else { return nil }
    let origin = TableRow.Part(part.batch, table.attributes)
    let values = ColumnarTable.values(part, table.attributes)
    let count = table.attributes.count
    var features: [Feature] = []
    features.reserveCapacity(part.range.count)
    for (index, row) in part.range.enumerated() {
      rows += 1
      let attributes = Array(values[index * count..<(index + 1) * count])
      features.append(
        Feature(attributes: attributes, geometry: geometry(part.batch, row, attributes)))
    }
    return (features, part.range.map { TableRow(part: origin, row: $0) })
  }

  private func geometry(
    _ batch: ColumnBatch, _ row: Int, _ attributes: [FieldValue]
  ) -> Geometry? {
    switch table.location {
    case .wkb(let column): return shape(batch.columns[column], row)
    case .points(let column):
      guard
        case .point(let x, let y)? = TablePoints.structures(
          batch.columns[column], row..<row + 1
        ).first
      else { return nil }
      return .point(Point(x: x, y: y, spatialReference: spatialReference))
    case .columns(let columns):
      guard let x = attributes[columns.x].number, let y = attributes[columns.y].number else {
        return nil
      }
      return .point(Point(x: x, y: y, spatialReference: spatialReference))
    }
  }

  private func shape(_ column: ValueColumn, _ row: Int) -> Geometry? {
    guard !column.isNull(row), case .bytes(let offsets, let bytes) = column.values,
      offsets[row] < offsets[row + 1]
    else { return nil }
    do {
      var geometry = try bytes[offsets[row]..<offsets[row + 1]].withUnsafeBytes {
        try WKBGeometry.decode($0, reference: spatialReference)
      }
      // An SRID in the bytes does not override the column's CRS.
      geometry?.spatialReference = spatialReference
      return geometry
    } catch {
      faults.add("row \(rows): \(PlumbError.message(of: error))")
      return nil
    }
  }
}
