import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// Rows of a Parquet or Arrow table, with their points.
package struct ColumnarBatch: Sendable {
  /// Longitudes or eastings; NaN in bad rows.
  let x: [Double]
  /// Latitudes or northings; NaN in bad rows.
  let y: [Double]
  /// Whether the row is not a single point with two finite coordinates.
  let isBad: [Bool]
  /// The reason why each bad row is bad; `missing` for the other rows.
  let faults: [PointFault]
  fileprivate let rows: ColumnarTable.Rows
  fileprivate let attributes: [ColumnAttribute]

  /// The number of rows.
  package var count: Int { x.count }

  /// The number of attributes.
  package var columnCount: Int { attributes.count }

  /// Returns the values of an attribute of consecutive rows.
  package func values(of attribute: Int, in range: Range<Int>) -> [FieldValue] {
    var values = [FieldValue](repeating: .null, count: range.count)
    attributes[attribute].write(rows.batch, stored(range), into: &values, from: 0, step: 1)
    return values
  }

  /// Returns a row's attributes.
  package func values(at row: Int) -> [FieldValue] {
    ColumnarTable.values(
      ColumnarTable.Rows(batch: rows.batch, range: stored(row..<row + 1)), attributes)
  }

  /// Returns the attributes of consecutive rows as columns with the types of the file, with each row `copies`
  /// times in succession.
  ///
  /// - Throws: if a decimal has more digits than its column allows.
  package func columns(
    _ range: Range<Int>, copies: Int
  ) throws(PlumbError) -> [PlumbParquet.ValueColumn] {
    var columns: [PlumbParquet.ValueColumn] = []
    for attribute in attributes {
      columns.append(try attribute.typedColumn(rows.batch, stored(range), copies: copies))
    }
    return columns
  }

  /// Converts a range of this batch's rows to a range of rows in the table's batch.
  private func stored(_ range: Range<Int>) -> Range<Int> {
    rows.range.lowerBound + range.lowerBound..<rows.range.lowerBound + range.upperBound
  }
}

/// Reads the points of a Parquet file, or of an Arrow stream or file, with their attributes.
package final class ColumnarPointReader {
  private let table: ColumnarTable
  private let workers: Workers
  /// Rows that have been converted in advance, in reverse order.
  private var waiting: [Batch] = []

  /// Consecutive rows, with their attributes as values or as columns.
  package enum Batch: Sendable {
    case values(VectorBatch)
    case columns(ColumnarBatch)
  }

  /// - Parameters:
  ///   - x: the column of longitudes or eastings; nil to use the column of geometries or, in a file without
  ///     geometries, the columns with common names.
  ///   - y: the column of latitudes or northings.
  ///   - arrow: fills a buffer with the next bytes of an Arrow stream; nil if the path is a file.
  package init(
    path: String, x: String?, y: String?, access: DocumentAccess, workers: Workers,
    arrow: ArrowBytes? = nil
  ) throws {
    self.workers = workers
    table = try ColumnarTable(
      path: path, x: x, y: y, access: access, workers: workers, arrow: arrow)
  }

  /// Whether a path is a file of Parquet, which may be at a URL, or a local file of Arrow.
  package static func canRead(_ path: String) -> Bool {
    ColumnarTable.isParquet(path) || ColumnarTable.isArrow(path)
  }

  /// Whether bytes begin like Arrow.
  package static func isArrow(_ start: [UInt8]) -> Bool { ArrowStreamReader.isArrow(start) }

  /// The error for Parquet in a stream.
  package static var notInStream: PlumbError { ColumnarTable.notInStream }

  /// Whether the points are geometries instead of columns of coordinates.
  package var hasShapes: Bool {
    if case .columns = table.location { false } else { true }
  }

  /// Restricts the columns that are read to the points and some attributes. This method must be called before
  /// the first row is read.
  ///
  /// - Parameter isKept: whether an attribute is read, by its index in `fields`.
  package func keepAttributes(_ isKept: (Int) -> Bool) { table.keepAttributes(isKept) }

  package var spatialReference: SpatialReference? { table.reference }
  package var fields: [Field] { table.fields }
  package var vectorFields: [VectorField] { table.vectorFields }
  package var featureCount: Int? { table.rowCount }
  package var notes: [MessageTemplate] { table.notes }

  /// The indices of the attributes that are lists, maps or JSON.
  package var lists: Set<Int> {
    Set(table.attributes.indices.filter { table.attributes[$0].kind == .json })
  }

  /// The columns of the attributes, with the types of the file.
  package var columnFields: [ColumnField] { table.attributes.map(\.columnField) }

  /// Returns the next rows in the file's order, at most `limit`; nil at the end.
  ///
  /// - Parameter keepsColumns: whether the attributes keep the types of the file; otherwise they are converted
  ///   to values.
  package func next(limit: Int, keepsColumns: Bool) throws -> Batch? {
    if let batch = waiting.popLast() { return batch }
    var parts: [ColumnarTable.Rows] = []
    while parts.count < workers.count, let rows = try table.next(limit: limit) {
      parts.append(rows)
      // Rows of the next row group are read later, so that only one is in memory.
      if rows.range.upperBound == rows.batch.rowCount { break }
    }
    let (converter, jobs) = (table.converter, parts)
    waiting = workers.map(jobs.count) { _, job in
      keepsColumns
        ? .columns(converter.columns(jobs[job])) : .values(converter.points(jobs[job]))
    }.reversed()
    return waiting.popLast()
  }
}

extension ColumnarTable {
  /// Converts rows; several threads may use it at the same time.
  fileprivate var converter: Converter {
    Converter(attributes: attributes, location: location)
  }

  fileprivate struct Converter: Sendable {
    let attributes: [ColumnAttribute]
    let location: Location

    func columns(_ rows: Rows) -> ColumnarBatch {
      let coordinate = { (index: Int) in
        ColumnarTable.values(rows, [attributes[index]]).map(\.number)
      }
      let outcomes: [TablePoints.Outcome] =
        switch location {
        case .wkb, .points: points(in: rows)
        case .columns(let columns):
          zip(coordinate(columns.x), coordinate(columns.y)).map { TablePoints.Outcome($0, $1) }
        }
      var (x, y) = ([Double](), [Double]())
      var (isBad, faults) = ([Bool](), [PointFault]())
      x.reserveCapacity(outcomes.count)
      y.reserveCapacity(outcomes.count)
      isBad.reserveCapacity(outcomes.count)
      faults.reserveCapacity(outcomes.count)
      for outcome in outcomes {
        switch outcome {
        case .point(let easting, let northing):
          x.append(easting)
          y.append(northing)
          isBad.append(false)
          faults.append(.missing)
        case .fault(let fault):
          x.append(.nan)
          y.append(.nan)
          isBad.append(true)
          faults.append(fault)
        }
      }
      return ColumnarBatch(
        x: x, y: y, isBad: isBad, faults: faults, rows: rows, attributes: attributes)
    }

    func points(_ rows: Rows) -> VectorBatch {
      let values = ColumnarTable.values(rows, attributes)
      let count = attributes.count
      let outcomes: [TablePoints.Outcome] =
        switch location {
        case .wkb, .points: points(in: rows)
        case .columns(let columns):
          (0..<rows.range.count).map { row in
            TablePoints.Outcome(
              values[row * count + columns.x].number, values[row * count + columns.y].number)
          }
        }
      var batch = VectorBatch(columnCount: count)
      for (row, outcome) in outcomes.enumerated() {
        let attributes = values[row * count..<(row + 1) * count]
        switch outcome {
        case .point(let x, let y): batch.append(attributes, x: x, y: y)
        case .fault(let fault): batch.append(attributes, fault: fault)
        }
      }
      return batch
    }

    /// The points of a column of geometries.
    private func points(in rows: Rows) -> [TablePoints.Outcome] {
      switch location {
      case .wkb(let column): TablePoints.wkb(rows.batch.columns[column], rows.range)
      case .points(let column): TablePoints.structures(rows.batch.columns[column], rows.range)
      case .columns: []
      }
    }
  }
}
