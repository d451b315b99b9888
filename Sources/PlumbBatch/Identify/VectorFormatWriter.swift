import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes rows as features of a format that OGR creates.
package final class VectorFormatWriter: RowWriter {
  private let writer: VectorRowWriter
  private let columns: ResultColumns
  private let inputCount: Int

  package init(
    path: String, driver: VectorDriver, layer: String, columns: ResultColumns, input: PointInput,
    reference: SpatialReference?
  ) throws {
    self.columns = columns
    inputCount = input.fields.count
    var fields = input.fields.map { VectorField($0) }
    if case .vector(let reader) = input.kind { fields = reader.vectorFields }
    writer = try VectorRowWriter(
      path: path, driver: driver, layer: layer,
      fields: fields + columns.fields.map { VectorField($0) }, reference: reference?.definition)
    self.fields = input.fields
  }

  private let fields: [Field]

  package var warnings: [String] { writer.warnings }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    for row in 0..<batch.count {
      var values: [FieldValue]
      switch batch.rows {
      case .delimited:
        values = []
        for (field, text) in zip(fields, batch.rawFields(row)) {
          values.append(try batch.value(text, field, row, isJSON: false))
        }
      case .vector(let rows): values = Array(rows.values(at: row))
      case .geoJSON(let rows):
        let members = rows.fields(at: row)
        values = fields.map { field in members.first { $0.name == field.name }?.value ?? .null }
      }
      if values.count > inputCount { values.removeLast(values.count - inputCount) }
      while values.count < inputCount { values.append(.null) }
      for column in columns.columns {
        values.append(columns.fieldValue(column, row: row, answers, isJSON: false))
      }
      try writer.append(point: batch.point(row), values: values)
    }
  }

  package func finish() throws { try writer.finish() }
}
