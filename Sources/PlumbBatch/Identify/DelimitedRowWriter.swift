import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes delimited text. Rows from delimited text are copied unchanged, followed by the new columns.
final class DelimitedRowWriter: RowWriter {
  private let output: ByteOutput
  private let columns: ResultColumns
  private let delimiter: UInt8
  private var isSpaced: Bool { delimiter == DelimitedHeader.space }
  private let lineEnd: [UInt8]
  private let inputNames: [String]
  private let header: DelimitedHeader?
  private let workers: Workers
  private let texts: RowTextOutput
  /// The number of parts of a block that each worker formats before their text is written.
  private static let rounds = 4
  /// The fields of feature layers as text, by the index of the layer's count column.
  private var featureTexts: [Int: FeatureTexts] = [:]

  package init(
    _ output: ByteOutput, columns: ResultColumns, delimiter: UInt8, input: PointInput,
    workers: Workers
  ) throws {
    self.output = output
    self.columns = columns
    self.delimiter = delimiter
    self.workers = workers
    texts = RowTextOutput(output, workers: workers)
    inputNames = input.fields.map(\.name)
    let text = TextBuffer()
    var isHeaderless = false
    if case .delimited(let reader, _) = input.kind { isHeaderless = !reader.header.isPresent }
    if case .delimited(let reader, _) = input.kind, reader.header.delimiter == delimiter {
      header = reader.header
      lineEnd = reader.header.lineEnd
      if reader.header.hasByteOrderMark { text.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
      text.append(contentsOf: reader.header.bytes)
    } else {
      header = nil
      lineEnd = [0x0A]
    }
    // Input without a header results in output without a header.
    if isHeaderless {
      output.begin(with: Array(text.bytes))
      return
    }
    if header == nil {
      for (index, name) in inputNames.enumerated() {
        if index > 0 { text.append(delimiter) }
        DelimitedRow.append(name, delimiter: delimiter, to: text)
      }
    }
    for (index, name) in columns.names.enumerated() {
      if index > 0 || !inputNames.isEmpty { text.append(delimiter) }
      DelimitedRow.append(name, delimiter: delimiter, to: text)
    }
    text.append(contentsOf: lineEnd)
    output.begin(with: Array(text.bytes))
  }

  package func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let rowText = DelimitedRowText(
      columns: columns, delimiter: delimiter, lineEnd: lineEnd, inputNames: inputNames)
    switch batch.rows {
    case .delimited(let rows) where header != nil:
      let writers = columnWriters(batch, answers)
      let width = writers.reduce(0) { $0 + $1.likelyWidth }
      try texts.write(jobs: rows.parts.count, rounds: Self.rounds) { _, job, text in
        let part = rows.parts[job]
        // Reserves generously: unused capacity takes no physical memory, while growing would copy the text.
        text.reserve(part.range.count + part.rows.count * width)
        rowText.passThrough(rows, part, writers, answers, to: text)
      }
    default:
      let fields = DelimitedFields(names: inputNames, delimiter: delimiter)
      let writers = columnWriters(batch, answers)
      let text = TextBuffer()
      for row in 0..<batch.count {
        fields.append(batch, row, to: text)
        rowText.appendValues(row, writers, answers, to: text, leading: !inputNames.isEmpty)
        text.append(contentsOf: lineEnd)
        if text.count > 1 << 20 {
          try output.write(text.bytes)
          text.removeAll()
        }
      }
      try output.write(text.bytes)
    }
  }

  func flush() throws { try texts.finish() }

  package func finish() throws {
    try texts.finish()
    try output.write([])
  }

  /// The writers of the columns of a row, in order.
  private func columnWriters(_ batch: PointBatch, _ answers: MapAnswers) -> [ColumnWriter] {
    prepareTexts(batch, answers)
    var writers: [ColumnWriter] = []
    var index = 0
    while index < columns.columns.count {
      let writer = ColumnWriter(index, columns.columns[index], answers, featureTexts[index])
      writers.append(writer)
      index += writer.columnCount
    }
    return writers
  }

  /// Formats all features' fields as text if a batch is large enough for that to be worthwhile.
  private func prepareTexts(_ batch: PointBatch, _ answers: MapAnswers) {
    for (index, column) in columns.columns.enumerated() {
      guard case .featureCount = column.content,
        let features = answers.features[column.part].features,
        features.features.count <= batch.count * 8, !isSpaced,
        featureTexts[index]?.features !== features
      else { continue }
      featureTexts[index] = FeatureTexts(features, delimiter: delimiter, workers: workers)
    }
  }
}

/// Writes the columns of rows as delimited text.
struct DelimitedFields: Sendable {
  let names: [String]
  let delimiter: UInt8

  /// Appends the columns of a row; a row of delimited text with the same delimiter is copied
  /// unchanged.
  func appendRecord(_ batch: PointBatch, _ row: Int, to text: TextBuffer) {
    // A row with more or fewer fields than the header is written with as many fields as the header.
    guard case .delimited(let rows) = batch.rows, rows.delimiter == delimiter,
      rows.status.base[row] == SampleStatus.ok.rawValue
    else {
      return append(batch, row, to: text)
    }
    let record = rows.range(of: row)
    text.append(UnsafePointer(rows.block.bytes.base + record.lowerBound), record.count)
  }

  func append(_ batch: PointBatch, _ row: Int, to text: TextBuffer) {
    switch batch.rows {
    case .delimited:
      let fields = batch.rawFields(row)
      for index in names.indices {
        if index > 0 { text.append(delimiter) }
        if index < fields.count {
          DelimitedRow.append(fields[index], delimiter: delimiter, to: text)
        }
      }
    case .geoJSON(let rows):
      let values = Dictionary(
        rows.fields(at: row).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      for (index, name) in names.enumerated() {
        if index > 0 { text.append(delimiter) }
        if let value = values[name] {
          DelimitedRow.append(value, delimiter: delimiter, to: text)
        }
      }
    case .vector(let rows): append(rows.values(at: row), to: text)
    case .columnar(let rows): append(rows.values(at: row)[...], to: text)
    }
  }

  private func append(_ values: ArraySlice<FieldValue>, to text: TextBuffer) {
    for (index, value) in values.enumerated() {
      if index > 0 { text.append(delimiter) }
      DelimitedRow.append(value, delimiter: delimiter, to: text)
    }
  }
}

/// Writes rows of delimited text for one worker's part of a batch.
struct DelimitedRowText: Sendable {
  let columns: ResultColumns
  let delimiter: UInt8
  let lineEnd: [UInt8]
  let inputNames: [String]
  private var isSpaced: Bool { delimiter == DelimitedHeader.space }

  func appendValues(
    _ row: Int, _ writers: [ColumnWriter], _ answers: MapAnswers, to text: TextBuffer,
    leading: Bool = true
  ) {
    for position in writers.indices {
      if position > 0 || leading { text.append(delimiter) }
      let before = text.count
      if let column = writers[position].append(row, to: text) {
        columns.append(
          columns.columns[column], row: row, answers, delimiter: delimiter, to: text)
      }
      // With spaces as delimiters, an empty field has to be quoted.
      if isSpaced, text.count == before { text.append("\"\"") }
    }
  }

  func passThrough(
    _ rows: DelimitedRows, _ part: DelimitedPart, _ writers: [ColumnWriter],
    _ answers: MapAnswers, to text: TextBuffer
  ) {
    let bytes = UnsafePointer(rows.block.bytes.base)
    var nextBad = 0
    let first = part.rows.lowerBound
    let start = part.rows.isEmpty ? part.range.upperBound : rows.range(of: first).lowerBound
    text.append(bytes + part.range.lowerBound, start - part.range.lowerBound)
    for row in part.rows {
      let record = rows.range(of: row)
      let end = record.upperBound
      if nextBad < part.badRows.count, part.badRows[nextBad].row == row - first {
        append(part.badRows[nextBad], bytes, record, to: text)
        nextBad += 1
      } else {
        text.append(bytes + record.lowerBound, record.count)
      }
      appendValues(row, writers, answers, to: text)
      let tailEnd =
        row + 1 < part.rows.upperBound
        ? rows.range(of: row + 1).lowerBound : part.range.upperBound
      // A lone carriage return at the end of the text does not end a line.
      if tailEnd > end,
        bytes[tailEnd - 1] == 0x0A || memchr(bytes + end, 0x0A, tailEnd - end) != nil
      {
        text.append(bytes + end, tailEnd - end)
      } else {
        text.append(contentsOf: lineEnd)
      }
    }
  }
}

extension DelimitedRowText {
  /// Appends a row that has more or fewer fields than the header. Missing fields are added and
  /// extra fields are omitted, so that the new fields are in their columns.
  func append(
    _ row: DelimitedPart.BadRow, _ bytes: UnsafePointer<UInt8>, _ record: Range<Int>,
    to text: TextBuffer
  ) {
    let isLong = row.fault == .extraFields
    let end = isLong ? self.end(ofFields: inputNames.count, bytes, record) : record.upperBound
    text.append(bytes + record.lowerBound, end - record.lowerBound)
    for _ in 0..<max(0, inputNames.count - row.fieldCount) {
      text.append(delimiter)
      if isSpaced { text.append("\"\"") }
    }
  }

  /// Returns the end of a record's first `count` fields.
  private func end(
    ofFields count: Int, _ bytes: UnsafePointer<UInt8>, _ record: Range<Int>
  ) -> Int {
    var (position, end) = (record.lowerBound, record.lowerBound)
    for _ in 0..<count where position < record.upperBound {
      while isSpaced, position < record.upperBound,
        bytes[position] == 0x20 || bytes[position] == 0x09
      {
        position += 1
      }
      let field = DelimitedField(
        bytes, at: position, limit: record.upperBound, delimiter: delimiter,
        other: isSpaced ? 0x09 : delimiter, lineEnd: delimiter)
      (end, position) = (field.end, field.next + 1)
    }
    return end
  }
}

extension PointBatch {
  /// The fields of a row of delimited text; empty for other rows.
  func delimitedFields(_ row: Int) -> [String] {
    rawFields(row).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields of a row of delimited text as bytes in the encoding of the text; empty for other rows.
  package func rawFields(_ row: Int) -> [[UInt8]] {
    guard case .delimited(let rows) = rows else { return [] }
    return DelimitedRow.rawFields(rows.record(row), delimiter: rows.delimiter)
  }
}
