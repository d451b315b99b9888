import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes rows as features with an OGR driver. One batch is written on a separate thread while the
/// next batch is read.
final class VectorFormatWriter: RowWriter {
  private let rows: VectorFormatRows
  private var outgoing: BackgroundValue<Void>?

  /// - Parameter long: the columns of dates that have separate rows; nil if each row contains all
  ///   results.
  package init(
    _ target: VectorTarget, columns: ResultColumns, long: LongColumns?,
    input: PointInput, reference: SpatialReference?
  ) throws {
    let writer = try target.writer(
      fields: input.vectorFields + (long?.fields ?? columns.fields).map { VectorField($0) },
      reference: reference, kind: .point)
    rows = VectorFormatRows(
      writer: writer, columns: columns, long: long, fields: input.fields)
  }

  package var warnings: [String] { rows.writer.warnings }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    try waitForOutgoing()
    // Only the background thread uses the rows until `waitForOutgoing` has returned.
    let states = WorkerStates([rows])
    outgoing = BackgroundValue { try states[0].write(batch, answers) }
  }

  private func waitForOutgoing() throws {
    // After an error, `outgoing` is kept, so that later calls throw the same error.
    try outgoing?.value()
    outgoing = nil
  }

  package func finish() throws {
    try waitForOutgoing()
    try rows.writer.finish()
  }
}

/// Converts rows with their results to column values.
private final class VectorFormatRows {
  let writer: VectorRowWriter
  private let columns: ResultColumns
  private let long: LongColumns?
  private let fields: [Field]

  init(
    writer: VectorRowWriter, columns: ResultColumns, long: LongColumns?, fields: [Field]
  ) {
    (self.writer, self.columns, self.long, self.fields) = (writer, columns, long, fields)
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    switch batch.rows {
    case .delimited:
      try write(batch, answers) { [fields] row, values in
        for (field, text) in zip(fields, batch.rawFields(row)) {
          values.append(try batch.value(text, field, row, isJSON: false))
        }
      }
    case .vector(let rows):
      try write(batch, answers) { row, values in values += rows.values(at: row) }
    case .columnar(let rows):
      try write(batch, answers) { row, values in values += rows.values(at: row) }
    case .geoJSON(let rows):
      try write(batch, answers) { [fields] row, values in
        let members = rows.fields(at: row)
        for field in fields {
          values.append(members.first { $0.name == field.name }?.value ?? .null)
        }
      }
    }
  }

  /// - Parameter appendValues: appends the values of the row's input columns. Missing values become
  ///   null, and extra values are dropped.
  private func write(
    _ batch: PointBatch, _ answers: MapAnswers,
    _ appendValues: (_ row: Int, _ values: inout [FieldValue]) throws -> Void
  ) throws {
    var values: [FieldValue] = []
    for row in 0..<batch.count {
      values.removeAll(keepingCapacity: true)
      try appendValues(row, &values)
      if values.count > fields.count { values.removeLast(values.count - fields.count) }
      while values.count < fields.count { values.append(.null) }
      if let long {
        for index in long.labels.indices {
          try writer.append(
            point: batch.point(row), values: values + long.values(index, row: row, answers))
        }
        try WorkCancellation.checkCurrent()
        continue
      }
      for column in columns.columns {
        values.append(columns.fieldValue(column, row: row, answers, isJSON: false))
      }
      try writer.append(point: batch.point(row), values: values)
    }
  }
}
