import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Writes delimited text with a row for each date: the columns of the input, then `stack`, `band`, `date`, `value`
/// and `status`.
final class LongRowWriter: RowWriter {
  private let columns: ResultColumns
  private let delimiter: UInt8
  private let inputNames: [String]
  private let texts: RowTextOutput
  private let output: ByteOutput
  /// The text between the input's columns and the value of each column of the results.
  private let labels: TextPieces
  /// The maximum number of values that a worker formats at a time.
  private static let valueLimit = 1 << 15

  /// - Parameter columns: the columns of values, one for each band of each date.
  init(
    _ output: ByteOutput, columns: ResultColumns, _ series: SeriesSource?, delimiter: UInt8,
    input: PointInput, workers: Workers
  ) throws {
    (self.output, self.columns, self.delimiter) = (output, columns, delimiter)
    texts = RowTextOutput(output, workers: workers)
    let names = input.fields.map(\.name)
    inputNames = names
    var builder = TextPieces.Builder()
    for column in columns.columns {
      guard let date = series?.dates[column.part], let stack = series?.stacks[date.stack] else {
        continue
      }
      _ = builder.add { text in
        if !names.isEmpty { text.append(delimiter) }
        DelimitedRow.append(stack.name, delimiter: delimiter, to: text)
        text.append(delimiter)
        text.append(signed: Int64(series?.bandNumber(column.content.bandPosition) ?? 1))
        text.append(delimiter)
        DelimitedRow.append(stack.slices[date.slice].date.text, delimiter: delimiter, to: text)
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
    for name in names + Self.names {
      if text.count > 0 { text.append(delimiter) }
      DelimitedRow.append(name, delimiter: delimiter, to: text)
    }
    text.append(0x0A)
    output.begin(with: Array(text.bytes))
  }

  /// The names of the columns after those of the input.
  private static let names = ["stack", "band", "date", "value", "status"]

  /// - Throws: if the input has a column with the name of an added one.
  static func checkNames(against input: [String]) throws(PlumbError) {
    if let name = input.first(where: names.contains) {
      throw PlumbError("the input has a column \(name.printable) already; rename it")
    }
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let writers = columns.columns.enumerated().map { ColumnWriter($0, $1, answers, nil) }
    let fields = DelimitedFields(names: inputNames, delimiter: delimiter)
    let statuses = columns.columns.map { column in
      SharedPointer(
        UnsafePointer(
          answers.rasters[column.part].columns[column.content.bandPosition].status.base))
    }
    let names = Self.statusNames
    let size = max(1, Self.valueLimit / max(1, writers.count))
    let jobs = (batch.count + size - 1) / size
    try texts.write(jobs: jobs, rounds: 4) { [columns, labels, delimiter] _, job, text in
      let record = TextBuffer()
      for row in job * size..<min(batch.count, (job + 1) * size) {
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

  /// The name of each status, by its raw value.
  private static let statusNames: TextPieces = {
    var builder = TextPieces.Builder()
    for status in SampleStatus.allCases { _ = builder.add { $0.append(status.name) } }
    return builder.pieces
  }()

  func finish() throws {
    try texts.finish()
    try output.write([])
  }
}
