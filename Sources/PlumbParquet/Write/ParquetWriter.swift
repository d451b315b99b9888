import PlumbCore
import PlumbIO

/// Writes a table as a Parquet file.
///
/// Rows are collected until they fill a row group, whose columns are then encoded by the workers
/// and written. The file is complete only after `finish`. A column of geometries makes the file a
/// GeoParquet file: the geometries are written as WKB, followed by a column `bbox` with the
/// bounding box of each geometry.
package final class ParquetWriter: TableWriter {
  /// The sizes of the parts of a file, and the compression level.
  package struct Options: Sendable {
    /// The largest number of rows in a row group.
    package var rowsPerGroup = 1 << 20
    /// The size in bytes, before compression, at which a row group ends.
    package var groupBytes = 64 << 20
    /// The size in bytes of a page before compression.
    package var pageBytes = 1 << 20
    /// The largest size in bytes of the distinct values of a column.
    package var dictionaryBytes = 1 << 20
    /// The level of compression.
    package var level = 1

    package init() {}
  }

  private let output: ByteOutput
  private let options: Options
  private let workers: Workers
  private let fields: [ColumnField]
  private let geometry: GeometryColumns?
  /// The columns in the file.
  private let schema: [ColumnField]
  private var buffers: [ColumnBuffer] = []
  private var groups: [[UInt8]] = []
  private var position = 0
  private var rowCount = 0

  /// The number of rows that are added at a time, so that a large batch does not exceed the size of a group.
  private static let step = 1 << 15
  private static let magic = Array("PAR1".utf8)

  /// - Parameters:
  ///   - fields: the columns, with at most one column of geometries.
  ///   - crs: the CRS of the geometries as PROJJSON; nil if it is unknown.
  /// - Throws: if the columns cannot be written.
  package init(
    _ output: ByteOutput, fields: [ColumnField], crs: String?, options: Options = Options(),
    workers: Workers
  ) throws {
    (self.output, self.options, self.workers, self.fields) = (output, options, workers, fields)
    geometry = try GeometryColumns(fields, crs: crs)
    schema = geometry.map { $0.schema } ?? fields
    var seen = Set<String>()
    for field in schema where !seen.insert(field.name).inserted {
      throw PlumbError("two columns are called \(field.name.printable); rename one of them")
    }
    for field in schema {
      guard case .structure(let members) = field.kind else {
        let leaf = try LeafColumn(path: [field.name], field: field, isOptional: field.isNullable)
        buffers.append(ColumnBuffer(leaf))
        continue
      }
      for member in members {
        guard !field.isNullable || !member.isNullable else {
          throw PlumbError(
            "column \(field.name.printable): nullable members of a nullable structure cannot be "
              + "written", code: .unsupported)
        }
        let leaf = try LeafColumn(
          path: [field.name, member.name], field: member,
          isOptional: field.isNullable || member.isNullable)
        buffers.append(ColumnBuffer(leaf))
      }
    }
  }

  // MARK: Rows

  /// Adds rows.
  package func write(_ batch: ColumnBatch) throws {
    guard batch.columns.count == fields.count else {
      throw PlumbError("the rows and their table have different numbers of columns", code: .failed)
    }
    var row = 0
    while row < batch.rowCount {
      let room = max(1, options.rowsPerGroup) - (buffers.first?.rowCount ?? 0)
      let end = min(batch.rowCount, row + min(room, Self.step))
      try append(batch, rows: row..<end)
      row = end
      if isFull { try writeGroup() }
    }
  }

  private var isFull: Bool {
    guard let first = buffers.first else { return false }
    return first.rowCount >= options.rowsPerGroup
      || buffers.reduce(0, { $0 + $1.byteCount }) >= options.groupBytes
  }

  private func append(_ batch: ColumnBatch, rows: Range<Int>) throws {
    rowCount += rows.count
    var columns = batch.columns
    var range = rows
    if let geometry {
      // The geometry columns contain only the rows of this range. The other columns contain all rows
      // of the batch.
      let made = try geometry.columns(of: batch.columns[geometry.index], rows: rows)
      columns[geometry.index] = made.wkb
      columns.append(made.box)
    }
    var index = 0
    for (position, column) in columns.enumerated() {
      let isMade = geometry.map { position == $0.index || position == columns.count - 1 } ?? false
      range = isMade ? 0..<rows.count : rows
      guard case .structure(let members) = schema[position].kind else {
        try buffers[index].append(column, outer: nil, rows: range)
        index += 1
        continue
      }
      guard case .structure(let values) = column.values, values.count == members.count else {
        throw PlumbError(
          "column \(schema[position].name.printable) has values of another type", code: .failed)
      }
      for value in values {
        try buffers[index].append(value, outer: column.validity, rows: range)
        index += 1
      }
    }
  }

  // MARK: The file

  private func write(_ bytes: [UInt8]) throws {
    try output.write(bytes)
    position += bytes.count
  }

  private func begin() throws {
    if position == 0 { try write(Self.magic) }
  }

  private func writeGroup() throws {
    let count = buffers.first?.rowCount ?? 0
    if count == 0 { return }
    try begin()
    let (columns, options) = (buffers, options)
    let start = position
    var element = ThriftWriter()
    var (descriptions, plainBytes): ([[UInt8]], Int) = ([], 0)
    // Many columns are encoded in several rounds, so that not all of them are in memory twice.
    let round = max(8, 2 * workers.count)
    for first in stride(from: 0, to: columns.count, by: round) {
      let chunks = try workers.map(min(round, columns.count - first)) { _, job in
        try ColumnChunkEncoder.encode(columns[first + job], options)
      }
      for chunk in chunks {
        descriptions.append(chunk.metadata(chunk, position))
        plainBytes += chunk.plainByteCount
        try write(chunk.bytes)
      }
    }
    let size = position - start
    element.structure { group in
      group.list(1, of: .structure, count: descriptions.count)
      for description in descriptions { group.append(encoded: description) }
      group.field(2, Int64(plainBytes))
      group.field(3, Int64(count))
      group.field(5, Int64(start))
      group.field(6, Int64(size))
      if let ordinal = Int16(exactly: groups.count) { group.field(7, short: ordinal) }
    }
    groups.append(element.bytes)
    // `columns` shares the storage of the buffers. The buffers are emptied in another function, so
    // that `columns` can be released first and the storage is not copied.
    releaseRows()
  }

  private func releaseRows() {
    for index in buffers.indices { buffers[index].removeAll() }
  }

  /// Writes the remaining rows and the end of the file.
  package func finish() throws {
    try writeGroup()
    try begin()
    var footer = ThriftWriter()
    footer.structure { file in
      file.field(1, Int32(2))
      appendSchema(to: &file)
      file.field(3, Int64(rowCount))
      file.list(4, of: .structure, count: groups.count)
      for group in groups { file.append(encoded: group) }
      if let geometry {
        file.list(5, of: .structure, count: 1)
        file.structure {
          $0.field(1, "geo")
          $0.field(2, geometry.metadata)
        }
      }
      file.field(6, "Plumb")
      // The order of minimum and maximum is the usual order of each column's type.
      file.list(7, of: .structure, count: buffers.count)
      for _ in buffers { file.structure { $0.field(1) { _ in } } }
    }
    guard let size = UInt32(exactly: footer.bytes.count), size <= Int32.max else {
      throw PlumbError("the table has too many columns and row groups for Parquet", code: .limit)
    }
    try write(footer.bytes + withUnsafeBytes(of: size.littleEndian) { Array($0) } + Self.magic)
  }

  private func appendSchema(to file: inout ThriftWriter) {
    let members = schema.reduce(0) { count, field in
      if case .structure(let members) = field.kind { return count + 1 + members.count }
      return count + 1
    }
    file.list(2, of: .structure, count: members + 1)
    file.structure {
      $0.field(3, Int32(0))
      $0.field(4, "schema")
      $0.field(5, Int32(clamping: schema.count))
    }
    var index = 0
    for field in schema {
      guard case .structure(let members) = field.kind else {
        buffers[index].leaf.append(to: &file, name: field.name)
        index += 1
        continue
      }
      file.structure {
        $0.field(3, Int32(field.isNullable ? 1 : 0))
        $0.field(4, field.name)
        $0.field(5, Int32(clamping: members.count))
      }
      for member in members {
        buffers[index].leaf.append(to: &file, name: member.name)
        index += 1
      }
    }
  }
}
