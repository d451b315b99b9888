import PlumbCore
import PlumbIO

/// Writes a table as an Arrow stream. Each batch of rows is one record batch.
package final class ArrowStreamWriter: TableWriter {
  private let output: ByteOutput
  private let schema: ArrowSchema
  private var hasBegun = false

  /// The largest number of rows in a record batch.
  private static let rowLimit = 1 << 18
  /// The maximum size in bytes of a column of variable-length values in a record batch of several
  /// rows. The offsets of the values are signed 32-bit integers.
  private static let byteLimit = 1 << 30

  /// - Parameters:
  ///   - fields: the columns.
  ///   - crs: the CRS of the geometries as PROJJSON; nil if it is unknown.
  /// - Throws: if the columns cannot be written.
  package init(_ output: ByteOutput, fields: [ColumnField], crs: String?) throws {
    self.output = output
    var fields = fields
    for index in fields.indices {
      if case .geometry = fields[index].kind { fields[index].kind = .geometry(.wkb) }
    }
    schema = try ArrowSchema(fields, crs: crs)
  }

  package func write(_ batch: ColumnBatch) throws {
    guard batch.columns.count == schema.fields.count else {
      throw PlumbError("the rows and their table have different numbers of columns", code: .failed)
    }
    try begin()
    var row = 0
    while row < batch.rowCount {
      try WorkCancellation.checkCurrent()
      var end = min(batch.rowCount, row + Self.rowLimit)
      while end - row > 1, batch.largestColumn(row..<end) > Self.byteLimit {
        end = row + (end - row) / 2
      }
      try write(batch, rows: row..<end)
      row = end
    }
  }

  private func begin() throws {
    if hasBegun { return }
    hasBegun = true
    try output.write(schema.message)
  }

  private func write(_ batch: ColumnBatch, rows: Range<Int>) throws {
    var body = ArrowBody()
    for (field, column) in zip(schema.fields, batch.columns) {
      try body.append(column, as: field, rows: rows)
    }
    var writer = FlatBufferWriter()
    let buffers = writer.vector(body.buffers)
    let nodes = writer.vector(body.nodes)
    let header = writer.table(fieldCount: 4) {
      $0.add(0, Int64(rows.count))
      $0.add(2, buffers)
      $0.add(1, nodes)
    }
    try output.write(
      ArrowMessage.finish(&writer, kind: .batch, header: header, bodyCount: body.bytes.count))
    try output.write(body.bytes)
  }

  package func finish() throws {
    try begin()
    try output.write(ArrowMessage.end)
  }
}

extension ColumnBatch {
  /// The size in bytes of the rows of the largest column of variable-length values.
  fileprivate func largestColumn(_ rows: Range<Int>) -> Int {
    columns.reduce(0) { largest, column in
      guard case .bytes(let offsets, _) = column.values, offsets.count > rows.upperBound else {
        return largest
      }
      return max(largest, offsets[rows.upperBound] - offsets[rows.lowerBound])
    }
  }
}
