import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbParquet
import PlumbRaster
import PlumbSources

/// Writes rows with their results as a Parquet or Arrow table: the columns of the input, the columns
/// of the results, and the points.
final class ColumnRowWriter: RowWriter {
  private let output: ColumnOutput
  private let rows: ColumnRows
  private let workers: Workers

  /// - Parameters:
  ///   - long: the result columns if each date has a separate row; nil if each row contains all results.
  ///   - hasGeometry: whether the points are written as geometries.
  init(
    _ bytes: ByteOutput, _ format: ColumnFormat, columns: ResultColumns, long: LongColumns?,
    input: PointInput, reference: SpatialReference?, hasGeometry: Bool, workers: Workers
  ) throws {
    let results =
      long.map { $0.fields.map { ColumnField($0) } }
      ?? columns.columns.map { ColumnField($0) }
    output = try ColumnOutput(
      bytes, format, fields: input.columnFields + results, geometry: hasGeometry ? .points : nil,
      reference: reference, workers: workers)
    rows = ColumnRows(
      columns: columns, long: long, input: input.fields, fields: output.fields,
      resultCount: results.count, hasGeometry: hasGeometry)
    self.workers = workers
  }

  var warnings: [String] { output.warnings }

  func write(_ batch: PointBatch, _ answers: MapAnswers) throws {
    let grain = max(1, Self.grain / rows.objectCount)
    // Only some of the rows are held in memory as columns at a time.
    let step = grain * 2 * workers.count
    for start in stride(from: 0, to: batch.count, by: step) {
      try WorkCancellation.checkCurrent()
      let count = min(step, batch.count - start)
      let tables = try workers.mapRanges(count, grain: grain) { [rows] _, range in
        try rows.table(batch, answers, start + range.lowerBound..<start + range.upperBound)
      }
      for table in tables { try output.write(table) }
    }
  }

  /// The number of output rows for which a worker creates columns at a time.
  private static let grain = 1 << 15

  func finish() throws { try output.finish() }
}

extension ColumnField {
  /// A column for results.
  fileprivate init(_ column: ResultColumns.Column) {
    self.init(Field(name: column.name, kind: column.kind))
    switch column.pixelType {
    case .uint8, .uint16, .uint32, .uint64:
      kind = .integer(bits: 8 * (column.pixelType?.byteCount ?? 8), isSigned: false)
    case .int8, .int16, .int32, .int64:
      kind = .integer(bits: 8 * (column.pixelType?.byteCount ?? 8), isSigned: true)
    case .float32: kind = .float(bits: 32)
    case .float64: kind = .float(bits: 64)
    // Parquet and Arrow do not support complex numbers, which are written as text.
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64, nil: break
    }
  }
}

/// Creates tables of consecutive rows with their results.
private struct ColumnRows: Sendable {
  let columns: ResultColumns
  let long: LongColumns?
  let input: [Field]
  /// The columns of the output.
  let fields: [ColumnField]
  let resultCount: Int
  let hasGeometry: Bool

  /// The number of rows of the output for each row of the input.
  var objectCount: Int { max(1, long?.labels.count ?? 1) }

  func table(
    _ batch: PointBatch, _ answers: MapAnswers, _ rows: Range<Int>
  ) throws -> ColumnBatch {
    let objects = long?.labels.count ?? 1
    var made = try inputColumns(batch, rows, objects)
    if let long {
      made += try longColumns(long, answers, rows)
    } else {
      for (index, column) in columns.columns.enumerated() {
        made.append(try resultColumn(column, fields[input.count + index], answers, rows))
      }
    }
    if hasGeometry, let field = fields.last { made.append(points(field, batch, rows, objects)) }
    return ColumnBatch(columns: made, rowCount: rows.count * objects)
  }

  // MARK: The input's columns

  /// - Parameter objects: the number of times that each row is repeated.
  private func inputColumns(
    _ batch: PointBatch, _ rows: Range<Int>, _ objects: Int
  ) throws -> [PlumbParquet.ValueColumn] {
    var builders = fields.prefix(input.count).map { ColumnBuilder($0) }
    switch batch.rows {
    case .delimited(let records):
      for row in rows {
        for _ in 0..<objects {
          try append(records.record(row), records.delimiter, batch, row, to: &builders)
        }
      }
    case .geoJSON(let features):
      for row in rows {
        let members = features.fields(at: row)
        for (index, field) in input.enumerated() {
          let value = members.first { $0.name == field.name }?.value ?? .null
          for _ in 0..<objects { try builders[index].append(value) }
        }
      }
    case .vector(let features):
      for row in rows {
        let values = features.values(at: row)
        for index in input.indices {
          let value = index < values.count ? values[values.startIndex + index] : .null
          for _ in 0..<objects { try builders[index].append(value) }
        }
      }
    case .columnar(let table): return try table.columns(rows, copies: objects)
    }
    return builders.map(\.column)
  }

  /// Appends the fields of a record. Missing fields are null, and extra fields are dropped.
  private func append(
    _ record: UnsafeBufferPointer<UInt8>, _ delimiter: UInt8, _ batch: PointBatch, _ row: Int,
    to builders: inout [ColumnBuilder]
  ) throws {
    let isSpaced = delimiter == DelimitedHeader.space
    var position = 0
    var index = 0
    if let base = record.baseAddress {
      while index < builders.count {
        if isSpaced {
          while position < record.count, base[position] == 0x20 || base[position] == 0x09 {
            position += 1
          }
          if position >= record.count { break }
        }
        let field = DelimitedField(
          base, at: position, limit: record.count, delimiter: delimiter,
          other: isSpaced ? 0x09 : delimiter, lineEnd: delimiter)
        let content = field.content
        let bytes = UnsafeBufferPointer(rebasing: record[content])
        if field.quote >= 0, bytes.contains(UInt8(ascii: "\"")) {
          try builders[index].append(
            batch.value(field.text(in: base), input[index], row, isJSON: false))
        } else {
          try append(bytes, index, batch, row, to: &builders[index])
        }
        index += 1
        if field.next >= record.count { break }
        position = field.next + 1
      }
    }
    while index < builders.count {
      builders[index].appendNull()
      index += 1
    }
  }

  private func append(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ batch: PointBatch, _ row: Int,
    to builder: inout ColumnBuilder
  ) throws {
    let kind = input[index].kind
    switch (kind, kind == .text ? .text : FieldForm(bytes)) {
    case (.text, _) where UTF8Text.isValid(bytes):
      try builder.append(bytes: UnsafeRawBufferPointer(bytes))
    case (.integer, .empty), (.real, .empty), (.boolean, .empty): builder.appendNull()
    case (.integer, .integer):
      // The text has digits and possibly a minus sign, and the number is less than 2⁵³.
      let isNegative = bytes.first == UInt8(ascii: "-")
      let number = bytes.dropFirst(isNegative ? 1 : 0).reduce(Int64(0)) {
        $0 &* 10 &+ Int64($1) &- 48
      }
      try builder.append(integer: isNegative ? -number : number)
    case (.real, .integer), (.real, .real):
      if let number = NumberText.parse(bytes) {
        try builder.append(real: number)
      } else {
        try builder.append(batch.value(Array(bytes), input[index], row, isJSON: false))
      }
    default: try builder.append(batch.value(Array(bytes), input[index], row, isJSON: false))
    }
  }

  // MARK: Results

  private func resultColumn(
    _ column: ResultColumns.Column, _ field: ColumnField, _ answers: MapAnswers, _ rows: Range<Int>
  ) throws -> PlumbParquet.ValueColumn {
    if case .value(let position) = column.content, let type = column.pixelType, !type.isComplex {
      let values = answers.rasters[column.part].columns[position]
      if values.pixelType == type { return Self.values(values, field, rows) }
    }
    var builder = ColumnBuilder(field)
    for row in rows {
      try builder.append(columns.fieldValue(column, row: row, answers, isJSON: false))
    }
    return builder.column
  }

  /// The values of a band, which have the type of the column.
  private static func values(
    _ values: PlumbRaster.ValueColumn, _ field: ColumnField, _ rows: Range<Int>
  ) -> PlumbParquet.ValueColumn {
    let ok = SampleStatus.ok.rawValue
    let status = UnsafeBufferPointer(start: values.status.base + rows.lowerBound, count: rows.count)
    var validity: [UInt8]?
    if status.contains(where: { $0 != ok }) {
      var bits = [UInt8](repeating: 0, count: (rows.count + 7) / 8)
      for (index, value) in status.enumerated() where value == ok {
        bits[index >> 3] |= 1 << UInt8(index & 7)
      }
      validity = bits
    }
    func cells<Cell: BitwiseCopyable & ExpressibleByIntegerLiteral>(of type: Cell.Type) -> [Cell] {
      let cells = values.bytes.assumingMemoryBound(to: type) + rows.lowerBound
      return [Cell](unsafeUninitializedCapacity: rows.count) { target, filled in
        // The elements of `cells` for rows without a value are undefined.
        for index in status.indices { target[index] = status[index] == ok ? cells[index] : 0 }
        filled = status.count
      }
    }
    let stored: ColumnValues =
      switch values.pixelType {
      case .uint8: .uint8(cells(of: UInt8.self))
      case .int8: .int8(cells(of: Int8.self))
      case .uint16: .uint16(cells(of: UInt16.self))
      case .int16: .int16(cells(of: Int16.self))
      case .uint32: .uint32(cells(of: UInt32.self))
      case .int32: .int32(cells(of: Int32.self))
      case .uint64: .uint64(cells(of: UInt64.self))
      case .int64: .int64(cells(of: Int64.self))
      case .float32: .float(cells(of: Float.self))
      case .float64: .double(cells(of: Double.self))
      case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: .double([])
      }
    return PlumbParquet.ValueColumn(
      field: field, values: stored, validity: validity, count: rows.count)
  }

  private func longColumns(
    _ long: LongColumns, _ answers: MapAnswers, _ rows: Range<Int>
  ) throws -> [PlumbParquet.ValueColumn] {
    var builders = fields[input.count..<input.count + resultCount].map { ColumnBuilder($0) }
    for row in rows {
      for label in long.labels.indices {
        for (index, value) in long.values(label, row: row, answers).enumerated() {
          try builders[index].append(value)
        }
      }
    }
    return builders.map(\.column)
  }

  /// The points, which are null for rows without a usable point.
  private func points(
    _ field: ColumnField, _ batch: PointBatch, _ rows: Range<Int>, _ objects: Int
  ) -> PlumbParquet.ValueColumn {
    let count = rows.count * objects
    var (x, y): ([Double], [Double]) = ([], [])
    x.reserveCapacity(count)
    y.reserveCapacity(count)
    var validity = [UInt8](repeating: 0, count: (count + 7) / 8)
    for row in rows {
      let point = batch.point(row)
      for _ in 0..<objects {
        if let point, point.x.isFinite, point.y.isFinite {
          validity[x.count >> 3] |= 1 << UInt8(x.count & 7)
        }
        x.append(point?.x ?? 0)
        y.append(point?.y ?? 0)
      }
    }
    let member = { (name: String, values: [Double]) in
      PlumbParquet.ValueColumn(
        field: ColumnField(name: name, kind: .float(bits: 64), isNullable: false),
        values: .double(values), validity: nil, count: count)
    }
    return PlumbParquet.ValueColumn(
      field: field, values: .structure([member("x", x), member("y", y)]), validity: validity,
      count: count)
  }
}
