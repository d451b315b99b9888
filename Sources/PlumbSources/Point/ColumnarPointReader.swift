import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbParquet

/// Reads the points of a Parquet file, or of an Arrow stream or file, with their attributes.
package final class ColumnarPointReader {
  private let table: ColumnarTable
  private let workers: Workers
  /// Rows that have been converted in advance, in reverse order.
  private var waiting: [VectorBatch] = []

  init(
    path: String, x: String?, y: String?, access: DocumentAccess, workers: Workers,
    arrow: PeekedInput? = nil
  ) throws {
    self.workers = workers
    table = try ColumnarTable(
      path: path, x: x, y: y, access: access, workers: workers, arrow: arrow)
  }

  package var spatialReference: SpatialReference? { table.reference }
  package var fields: [Field] { table.fields }
  package var vectorFields: [VectorField] { table.vectorFields }
  package var featureCount: Int? { table.rowCount }
  package var notes: [MessageTemplate] { table.notes }

  /// Returns the next rows in the file's order, at most `limit`; nil at the end.
  package func next(limit: Int) throws -> VectorBatch? {
    if let batch = waiting.popLast() { return batch }
    var parts: [ColumnarTable.Rows] = []
    while parts.count < workers.count, let rows = try table.next(limit: limit) {
      parts.append(rows)
      // Rows of the next row group are read later, so that only one is in memory.
      if rows.range.upperBound == rows.batch.rowCount { break }
    }
    let (reader, jobs) = (table.converter, parts)
    waiting = workers.map(jobs.count) { _, job in reader.points(jobs[job]) }.reversed()
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

    func points(_ rows: Rows) -> VectorBatch {
      let values = ColumnarTable.values(rows, attributes)
      let count = attributes.count
      let outcomes: [TablePoints.Outcome] =
        switch location {
        case .wkb(let column): TablePoints.wkb(rows.batch.columns[column], rows.range)
        case .points(let column): TablePoints.structures(rows.batch.columns[column], rows.range)
        case .columns(let columns):
          (0..<rows.range.count).map { row in
            guard let x = values[row * count + columns.x].number,
              let y = values[row * count + columns.y].number
            else { return .fault(.missing) }
            return .point(x: x, y: y)
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
  }
}
