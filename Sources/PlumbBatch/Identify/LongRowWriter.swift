import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes delimited text with a row for each date: the columns of the input, then `stack`, `band`, `date`, `value`
/// and `status`.
final class LongRowWriter: RowWriter {
  private let long: LongColumns
  private let delimiter: UInt8
  private let inputNames: [String]
  private let texts: RowTextOutput
  private let output: ByteOutput
  /// The text between the input's columns and the value of each column of the results.
  private let labels: TextPieces

  /// - Parameter long: the columns, with one column of values for each band of each date.
  init(
    _ output: ByteOutput, _ long: LongColumns, delimiter: UInt8, input: PointInput,
    workers: Workers
  ) {
    (self.output, self.long, self.delimiter) = (output, long, delimiter)
    texts = RowTextOutput(output, workers: workers)
    let names = input.fields.map(\.name)
    inputNames = names
    var builder = TextPieces.Builder()
    for label in long.labels {
      _ = builder.add { text in
        if !names.isEmpty { text.append(delimiter) }
        DelimitedRow.append(label.stack, delimiter: delimiter, to: text)
        text.append(delimiter)
        text.append(signed: label.band)
        text.append(delimiter)
        DelimitedRow.append(label.date, delimiter: delimiter, to: text)
        text.append(delimiter)
      }
    }
    labels = builder.pieces
    // Input without a header results in output without a header.
    if case .delimited(let reader, _) = input.kind, !reader.header.isPresent {
      output.begin(with: [])
      return
    }
    let text = TextBuffer()
    for name in names + LongColumns.names {
      if text.count > 0 { text.append(delimiter) }
      DelimitedRow.append(name, delimiter: delimiter, to: text)
    }
    text.append(0x0A)
    output.begin(with: Array(text.bytes))
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let columns = long.columns
    let writers = columns.columns.enumerated().map { ColumnWriter($0, $1, answers, nil) }
    let fields = DelimitedFields(names: inputNames, delimiter: delimiter)
    let statuses = columns.columns.indices.map { long.statuses($0, answers) }
    let names = LongColumns.statusNames
    try texts.write(batch.count, linesPerRow: writers.count) { [labels, delimiter] _, rows, text in
      let record = TextBuffer()
      for row in rows {
        record.removeAll()
        fields.appendRecord(batch, row, to: record)
        for index in writers.indices {
          if let base = record.bytes.baseAddress {
            text.append(base.assumingMemoryBound(to: UInt8.self), record.count)
          }
          labels.append(index, to: text)
          let start = text.count
          if let other = writers[index].append(row, to: text) {
            columns.append(
              columns.columns[other], row: row, answers, delimiter: delimiter, to: text)
          }
          // With spaces as delimiters, an empty field has to be quoted.
          if delimiter == DelimitedHeader.space, text.count == start { text.append("\"\"") }
          text.append(delimiter)
          names.append(Int(statuses[index].pointer[row]), to: text)
          text.append(0x0A)
        }
      }
    }
  }

  func flush() throws { try texts.finish() }

  func finish() throws {
    try texts.finish()
    try output.write([])
  }
}
