import PlumbCore
import PlumbIO

/// Reads a table from an Arrow stream, or from an Arrow file in the order of its bytes.
///
/// Only one thread at a time uses a reader.
package final class ArrowStreamReader: ColumnTable {
  package let fields: [ColumnField]
  package let geo: GeoParquetMetadata?

  private let messages: ArrowMessageReader
  private let columns: [ArrowColumn]
  private var dictionaries: ArrowDictionaries
  private var batchCount = 0

  /// The number of leading bytes to pass to `isArrow`.
  package static let markCount = 8

  /// Whether bytes begin with the magic of an Arrow file, or with the marker of the first message of an
  /// Arrow stream.
  package static func isArrow(_ start: [UInt8]) -> Bool {
    start.starts(with: Array("ARROW1".utf8)) || start.starts(with: [0xFF, 0xFF, 0xFF, 0xFF])
  }

  /// Reads the description of the columns.
  ///
  /// - Parameter read: fills a buffer with the next bytes, and returns their number; 0 at the end.
  package init(read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) throws {
    messages = ArrowMessageReader(read: read)
    guard let message = try messages.next() else { throw ArrowFault.damaged("it has no schema") }
    guard message.kind == .schema else {
      throw ArrowFault.damaged("it does not begin with a schema")
    }
    let schema = try ArrowSchemaReader(message)
    let geo = try schema.keyValues.first { $0.key == "geo" }.map { pair throws(FormatError) in
      try GeoParquetMetadata(pair.value)
    }
    var columns = schema.columns
    if let geo { Self.markGeometries(&columns, geo) }
    (self.columns, self.geo) = (columns, geo)
    fields = columns.map(\.field)
    dictionaries = try ArrowDictionaries(columns)
  }

  /// Sets the kinds of the columns that the metadata declares as geometries.
  private static func markGeometries(_ columns: inout [ArrowColumn], _ geo: GeoParquetMetadata) {
    for index in columns.indices {
      let name = columns[index].field.name
      guard let known = geo.columns.first(where: { $0.name == name }) else { continue }
      switch (columns[index].field.kind, known.encoding) {
      case (.binary, "WKB"): columns[index].field.kind = .geometry(.wkb)
      case (.structure(let members), "point") where ArrowExtension.arePoints(members):
        columns[index].field.kind = .geometry(.points)
      case (.json, let encoding) where columns[index].isNested:
        columns[index].refusal = GeoParquetMetadata.refusal(encoding)
      default: break
      }
    }
  }

  package var formatName: String { "Arrow" }
  package var rowCount: Int? { nil }

  package func refusal(ofColumn column: Int) -> String? {
    columns.indices.contains(column) ? columns[column].refusal : nil
  }

  package func isNested(_ column: Int) -> Bool {
    columns.indices.contains(column) && columns[column].isNested
  }

  package func crs(ofColumn column: Int) -> GeoParquetMetadata.CRS? {
    guard columns.indices.contains(column) else { return nil }
    if let known = geo?.columns.first(where: { $0.name == fields[column].name }) {
      return known.crs
    }
    return columns[column].crs
  }

  /// - Throws: if a column is not supported or damaged, or if a record batch has more than 300 MB.
  /// - Precondition: the columns exist.
  package func next(columns selected: [Int], workers: Workers) throws -> ColumnBatch? {
    for column in selected {
      if let reason = columns[column].refusal {
        throw FormatError(
          "column \(fields[column].name.printable) \(reason), which is not supported",
          code: .unsupported)
      }
    }
    while let message = try messages.next() {
      switch message.kind {
      case .schema: throw ArrowFault.damaged("it has a second schema")
      case .dictionary: try dictionaries.read(message)
      case .batch: return try batch(message, selected, workers)
      }
    }
    return nil
  }

  private func batch(
    _ message: ArrowIncoming, _ selected: [Int], _ workers: Workers
  ) throws -> ColumnBatch {
    let batch = try ArrowBatch(message.header, body: message.body)
    var positions: [ArrowDecoder.Position] = []
    var position = ArrowDecoder.Position()
    for column in columns {
      positions.append(position)
      try position.skip(column, batch)
    }
    batchCount += 1
    let (number, columns, dictionaries) = (batchCount, columns, dictionaries)
    let starts = positions
    let values = try workers.map(selected.count) { _, job throws(FormatError) in
      let column = columns[selected[job]]
      var decoder = ArrowDecoder(batch, dictionaries, at: starts[selected[job]])
      do throws(FormatError) {
        return try decoder.column(column, count: batch.rowCount)
      } catch {
        throw ParquetFault.at(
          "column \(column.field.name.printable), record batch \(number)", error)
      }
    }
    return ColumnBatch(columns: values, rowCount: batch.rowCount)
  }
}
