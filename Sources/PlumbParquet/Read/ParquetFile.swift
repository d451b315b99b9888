import PlumbCore
import PlumbIO

/// An open Parquet file.
///
/// Several threads may read from the file at the same time.
package final class ParquetFile: Sendable {
  /// Rows that are stored together.
  package struct RowGroup: Sendable {
    /// The number of rows.
    package var rowCount: Int
    /// The number of bytes of the values before compression.
    package var byteCount: Int
  }

  /// The columns of the table.
  package let fields: [ColumnField]
  package let rowCount: Int
  package let rowGroups: [RowGroup]
  package let keyValues: [(key: String, value: String)]
  /// The metadata of GeoParquet; nil for other files.
  package let geo: GeoParquetMetadata?

  private let source: any ByteSource
  private let columns: [ParquetColumn]
  private let groups: [RowGroupMetadata]

  private static let mark = Array("PAR1".utf8)
  private static let encryptedMark = Array("PARE".utf8)

  /// Reads the metadata at the end of the file.
  package init(_ source: any ByteSource) throws {
    let metadata = try Self.metadata(source)
    guard !metadata.isEncrypted else { throw ParquetFault.unsupported("encrypted Parquet") }
    var schema = try ParquetSchema(metadata.elements)
    let geo = try metadata.keyValues.first { $0.key == "geo" }.map { pair throws(FormatError) in
      try GeoParquetMetadata(pair.value)
    }
    var total = 0
    for group in metadata.rowGroups {
      guard group.chunks.count == schema.leafCount else {
        throw ParquetFault.damaged(
          "a row group has \(group.chunks.count) columns, the schema \(schema.leafCount)")
      }
      let (sum, overflow) = total.addingReportingOverflow(group.rowCount)
      guard !overflow else { throw ParquetFault.damaged("the row groups have too many rows") }
      total = sum
    }
    // Some writers leave the number of the file's rows at 0.
    guard total == metadata.rowCount || metadata.rowCount == 0 else {
      throw ParquetFault.damaged(
        "the row groups have \(total) rows, the file \(metadata.rowCount)")
    }
    if let geo { schema.markGeometries(geo) }
    schema.refuseLargeLists(metadata.rowGroups)
    (self.source, self.geo) = (source, geo)
    columns = schema.columns
    fields = schema.columns.map(\.field)
    groups = metadata.rowGroups
    rowCount = total
    keyValues = metadata.keyValues
    rowGroups = metadata.rowGroups.map { group in
      RowGroup(
        rowCount: group.rowCount,
        byteCount: group.chunks.reduce(0) { $0 + min($1.unpackedSize, 1 << 40) })
    }
  }

  /// Opens a local file.
  package convenience init(path: String) throws { try self.init(FileByteSource(path: path)) }

  private static func metadata(_ source: any ByteSource) throws -> ParquetMetadata {
    guard source.count >= 12 else {
      throw ParquetFault.damaged("\(source.count) bytes are too few for a file")
    }
    let first = try bytes(source, at: 0, count: 4)
    guard first == mark || first == encryptedMark else {
      throw FormatError("this is not Parquet: it does not begin with PAR1")
    }
    let tailSize = min(source.count, 1 << 16)
    let tail = try bytes(source, at: source.count - tailSize, count: tailSize)
    let end = Array(tail.suffix(4))
    guard first == mark, end == mark else {
      if first == encryptedMark || end == encryptedMark {
        throw ParquetFault.unsupported("encrypted Parquet")
      }
      throw ParquetFault.damaged("the file is truncated: it does not end with PAR1")
    }
    let size = tail.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard size <= source.count - 12 else {
      throw ParquetFault.damaged("the metadata of \(size) bytes is larger than the file")
    }
    guard size <= ParquetLimits.footerBytes else {
      throw ParquetFault.tooLarge("the metadata of the Parquet file has \(size) bytes")
    }
    let footer =
      size + 8 <= tailSize
      ? Array(tail.suffix(size + 8).prefix(size))
      : try bytes(source, at: source.count - 8 - size, count: size)
    return try footer.withUnsafeBytes { bytes throws(FormatError) in
      try ParquetMetadata(bytes)
    }
  }

  private static func bytes(
    _ source: any ByteSource, at position: Int, count: Int
  ) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      try source.read(
        at: position,
        into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
      used = count
    }
  }

  // MARK: Columns

  /// The reason why a column cannot be read, such as `has variants`; nil if it can be read.
  package func refusal(ofColumn column: Int) -> String? {
    columns.indices.contains(column) ? columns[column].refusal : nil
  }

  /// Whether a column has lists or maps, which are read as JSON text.
  package func isNested(_ column: Int) -> Bool {
    columns.indices.contains(column) && columns[column].isNested
  }

  /// The CRS of a column of geometries, from GeoParquet's metadata or from the column's type; nil
  /// if neither specifies a CRS.
  package func crs(ofColumn column: Int) -> GeoParquetMetadata.CRS? {
    guard columns.indices.contains(column) else { return nil }
    if let geo, let known = geo.columns.first(where: { $0.name == fields[column].name }) {
      return known.crs
    }
    guard let crs = columns[column].crs else { return nil }
    guard let text = crs, !text.isEmpty else { return .longitudeLatitude }
    if text == "OGC:CRS84" { return .longitudeLatitude }
    if text.hasPrefix("srid:") {
      let number = text.dropFirst(5)
      return number == "0" ? .unknown : .text("EPSG:\(number)")
    }
    if text.hasPrefix("projjson:") {
      let key = text.dropFirst(9)
      return keyValues.first { $0.key == key }.map { .text($0.value) } ?? .text(text)
    }
    return .text(text)
  }

  /// Reads columns of a row group.
  ///
  /// 96-bit times are in microseconds instead of nanoseconds if 64 bits of nanoseconds cannot
  /// represent them; the field of the batch's column then differs from `fields`.
  /// - Parameters:
  ///   - columns: the indices of the columns, in the order of the result.
  ///   - workers: the threads that decode the columns.
  /// - Throws: if a column is not supported or damaged, or if the columns have more than 300 MB before
  ///   compression.
  /// - Precondition: the row group and the columns exist.
  package func read(
    rowGroup: Int, columns selected: [Int], workers: Workers
  ) throws -> ColumnBatch {
    precondition(groups.indices.contains(rowGroup), "the row group exists")
    let group = groups[rowGroup]
    let columns = selected.map { self.columns[$0] }
    for column in columns {
      if let reason = column.refusal {
        throw ParquetFault.unsupported("column \(column.field.name.printable) \(reason), which")
      }
    }
    let leaves = columns.flatMap(\.leaves)
    let size = leaves.reduce(0) { $0 + min(group.chunks[$1.index].unpackedSize, 1 << 40) }
    guard size <= ParquetLimits.rowGroupBytes else {
      throw FormatError(
        "row group \(rowGroup + 1) has \(size >> 20) MB, more than "
          + "\(ParquetLimits.rowGroupBytes >> 20) MB", code: .limit,
        remedies: ["write the file with smaller row groups"])
    }
    let (source, budget) = (source, DecodeBudget())
    let decoded = try workers.map(leaves.count) { _, job in
      let leaf = leaves[job]
      do {
        return try LeafReader.read(
          leaf, group.chunks[leaf.index], rowCount: group.rowCount, source, budget)
      } catch let error as FormatError {
        throw ParquetFault.at("column \(leaf.name.printable), row group \(rowGroup + 1)", error)
      }
    }
    var assembly = ColumnAssembly(decoded, rowCount: group.rowCount, budget)
    return ColumnBatch(
      columns: try columns.map { column throws(FormatError) in
        do throws(FormatError) {
          return try assembly.column(column)
        } catch {
          throw ParquetFault.at(
            "column \(column.field.name.printable), row group \(rowGroup + 1)", error)
        }
      }, rowCount: group.rowCount)
  }

  /// The byte ranges of columns in a row group; damaged columns are omitted.
  ///
  /// - Precondition: the row group and the columns exist.
  func bytes(ofRowGroup rowGroup: Int, columns selected: [Int]) -> [Range<Int>] {
    let (group, size) = (groups[rowGroup], source.count)
    return selected.flatMap { columns[$0].leaves }
      .compactMap { group.chunks[$0.index].bytes(inFileOf: size) }
  }

  /// Announces to the source the ranges that are read next.
  func prefetch(_ ranges: [Range<Int>]) { source.prefetch(ranges) }
}

extension ParquetSchema {
  /// Refuses columns of lists that are too large for JSON text in memory.
  mutating func refuseLargeLists(_ groups: [RowGroupMetadata]) {
    replaceColumns { column in
      guard column.isNested else { return }
      let leaves = column.leaves.filter { $0.repetition > 0 }
      for group in groups {
        let chunks = leaves.map { group.chunks[$0.index] }
        let count = chunks.reduce(0) { $0 + min($1.valueCount, 1 << 40) }
        let size = chunks.reduce(0) { $0 + min($1.unpackedSize, 1 << 40) }
        guard count > ParquetLimits.listValues || size > ParquetLimits.listBytes else { continue }
        column.node = .refused(
          "has lists of \(count) values and \(size >> 20) MB in a row group, more than "
            + "\(ParquetLimits.listValues) values or \(ParquetLimits.listBytes >> 20) MB")
        return
      }
    }
  }

  /// Sets the kinds of the columns that the metadata declares as geometries.
  mutating func markGeometries(_ geo: GeoParquetMetadata) {
    replaceColumns { column in
      guard let known = geo.columns.first(where: { $0.name == column.field.name }) else { return }
      switch (column.node, known.encoding) {
      case (.leaf(var leaf), "WKB") where leaf.physical == .byteArray:
        leaf.kind = .geometry(.wkb)
        (column.node, column.field.kind) = (.leaf(leaf), leaf.kind)
      case (.structure(let members), "point"):
        let names = members.map(\.field.name)
        guard names.starts(with: ["x", "y"]),
          members.allSatisfy({ $0.field.kind == .float(bits: 64) })
        else { return }
        column.field.kind = .geometry(.points)
      case (.list, let encoding): column.node = .refused(GeoParquetMetadata.refusal(encoding))
      default: break
      }
    }
  }

  private mutating func replaceColumns(_ change: (inout ParquetColumn) -> Void) {
    for index in columns.indices { change(&columns[index]) }
  }
}
