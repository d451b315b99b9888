import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO
import PlumbSources

/// Reads the rows of a Parquet file, or of an Arrow stream or file. Points in another CRS are transformed to
/// WGS84.
final class ColumnarFeed: FeedReader {
  private let reader: ColumnarPointReader
  /// The column of each role.
  private let columns: [LocationRole: Int]
  private let measures: [LocationRole]
  /// The columns of attributes, with their numbers among the attributes of the feed.
  private var attributes: [(column: Int, number: Int)] = []
  /// The transformation to WGS84; nil if none is needed.
  private let transformation: Transformation?
  private var batch: VectorBatch?
  /// The longitudes and latitudes of the batch.
  private var (x, y) = ([Double](), [Double]())
  private var nextRow = 0
  private(set) var hasEnded = false
  let leavesRows = true
  private let path: String

  /// - Parameters:
  ///   - arrow: fills a buffer with the next bytes of an Arrow stream; nil if the path is a Parquet file or an
  ///     Arrow file.
  /// - Throws: when the file is not valid, or has no column of times or points.
  init(
    path: String, columns names: LocationColumns, rows: inout LocationRows,
    arrow: ArrowBytes? = nil
  ) throws(PlumbError) {
    self.path = path
    do {
      reader = try ColumnarPointReader(
        path: path, x: names.x, y: names.y, access: .folder, workers: Workers(count: 1),
        arrow: arrow)
      let reference = reader.spatialReference
      transformation =
        try reference.map { $0.isEquivalent(to: .wgs84) } ?? true
        ? nil : reference.map { try Transformation(from: $0, to: .wgs84) }
    } catch {
      throw PlumbError(error)
    }
    var notes = reader.notes.map(\.description)
    if let reference = reader.spatialReference,
      let line = Transformation.warning(from: reference, to: .wgs84, area: nil)
    {
      notes.append("\(path.printable): \(line)")
    }
    notes.forEach { rows.remark($0) }
    var columns: [LocationRole: Int] = [:]
    do throws(PlumbError) {
      let (roles, note) = try names.roles(
        of: reader.fields.map(\.name), hasPoints: reader.hasShapes, lists: reader.lists)
      if let note { rows.remark(note) }
      if !rows.readsAttributes { reader.keepAttributes { roles[$0] != .other } }
      let kept = rows.readsAttributes ? roles : roles.filter { $0 != .other }
      for (column, role) in kept.enumerated() where role != .other { columns[role] = column }
    } catch {
      let reasons = notes.map { "; " + $0 }.joined()
      throw PlumbError("\(path.printable): \(error.message)\(reasons)", code: error.code)
    }
    measures = [.horizontalAccuracy, .verticalAccuracy, .speed, .course].filter {
      columns[$0] != nil
    }
    self.columns = columns
    guard rows.readsAttributes else { return }
    for (column, field) in reader.fields.enumerated() {
      if let number = rows.field(field.name) { attributes.append((column, number)) }
    }
  }

  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    while rows.count < limit {
      guard let batch, nextRow < batch.count else {
        // The next rows of a pipe may not have arrived yet.
        if window.isLive, rows.count > 0 { return }
        try readBatch()
        guard hasEnded else { continue }
        let next = Array(window.bytes(window.start..<min(window.end, window.start + 4)))
        if next == [0xFF, 0xFF, 0xFF, 0xFF] {
          throw PlumbError("\(path.printable): another Arrow stream follows the end of the first")
        }
        return
      }
      add(batch, nextRow, to: &rows)
      nextRow += 1
    }
  }

  /// The maximum number of rows that are converted at a time.
  private static let rowLimit = 8192

  private func readBatch() throws(PlumbError) {
    batch = nil
    do {
      if case .values(let next)? = try reader.next(limit: Self.rowLimit, keepsColumns: false) {
        batch = next
      }
    } catch {
      throw PlumbError(error)
    }
    nextRow = 0
    guard let batch else {
      hasEnded = true
      return
    }
    (x, y) = (batch.x, batch.y)
    guard let transformation else { return }
    x.withUnsafeMutableBufferPointer { x in
      y.withUnsafeMutableBufferPointer { y in
        guard let first = x.baseAddress, let second = y.baseAddress else { return }
        transformation.apply(x: first, y: second, count: x.count)
      }
    }
  }

  private func add(_ batch: VectorBatch, _ row: Int, to rows: inout LocationRows) {
    let values = batch.values(at: row)
    func value(_ role: LocationRole) -> FieldValue? {
      columns[role].map { values[values.startIndex + $0] }
    }
    guard !batch.isBad[row], x[row].isFinite, y[row].isFinite else {
      rows.addBad(line: nil, "no point")
      return
    }
    var text = (value(.time) ?? .null).description
    guard let time = text.withUTF8({ LocationTime.parse($0) }) else {
      rows.addBad(
        line: nil,
        "invalid time: \"\(Self.shown(text))\"; expected ISO 8601 or Unix seconds or milliseconds")
      return
    }
    var entity = ""
    if let id = value(.id) {
      entity = Self.isUnknown(id) ? "" : id.description.trimmingASCIISpace()
      if entity.isEmpty {
        rows.addBad(line: nil, "no id")
        return
      }
    }
    var location = LocationRow(time: time, x: x[row], y: y[row])
    for role in measures {
      guard let value = value(role), !Self.isUnknown(value) else { continue }
      if let number = value.number {
        location.set(number, role)
      } else {
        rows.note(
          line: nil,
          "\(role.name) is not a number: \"\(Self.shown(value.description))\"; the value is treated as unknown"
        )
      }
    }
    let number = rows.entities.number(of: entity)
    guard rows.add(location, entity: number, line: nil) else { return }
    for (column, number) in attributes {
      rows.set(values[values.startIndex + column], field: number)
    }
  }

  /// Whether a value is missing.
  private static func isUnknown(_ value: FieldValue) -> Bool {
    switch value {
    case .null: return true
    case .real(let real): return real.isNaN
    case .text(var text): return text.withUTF8 { DelimitedTable.isUnknown($0) }
    case .integer, .boolean, .json: return false
    }
  }

  private static func shown(_ text: String) -> String { String(text.prefix(40)).printable }
}
