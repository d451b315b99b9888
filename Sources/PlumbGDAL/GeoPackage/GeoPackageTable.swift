import CSQLite
import PlumbCore
import PlumbIO

/// Fills an empty layer of a GeoPackage that GDAL has created and closed. All rows are written in
/// one transaction, and the spatial index is built at the end.
///
/// GDAL's triggers, which maintain the index and the number of rows, remain in the file for later
/// changes. They do not run on this connection. No journal is written: no other process uses the
/// file until it is complete, and the file is deleted if it is not completed.
final class GeoPackageTable {
  /// The names of the layer and its columns, as GDAL chose them.
  struct Names {
    var layer: String
    /// The column of feature ids.
    var number: String
    var geometry: String
    var columns: [String]
  }

  private let names: Names
  private let connection: SQLiteConnection
  private let insertion: GroupedInsertion
  private let geometry: GeoPackageGeometry
  private let index: PackedRTree?
  /// The values of the rows that are not stored yet, row by row. The last row may be incomplete.
  private var values: [GroupedInsertion.Value] = []
  private let bytes = TextBuffer()
  /// The number of complete rows that are not stored yet.
  private var waiting = 0
  /// The end of the last complete row in `bytes`.
  private var rowEnd = 0
  private var box = Box.nowhere
  private var extent = Box.nowhere
  private var count: Int64 = 0

  /// The number of columns of a row: the feature id, the geometry, and the layer's other columns.
  private let width: Int
  private static let firstColumn = 2
  /// The number of bytes above which complete rows are stored.
  private static let maximumBytes = 1 << 20

  /// - Throws: if the file cannot be opened, or if GDAL has not created the layer.
  init(path: String, _ names: Names) throws(GDALError) {
    self.names = names
    connection = try SQLiteConnection(path: path)
    connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    // SQLite's defensive mode would not allow writing the tables of the R-tree.
    connection.set(SQLITE_DBCONFIG_DEFENSIVE, false)
    try connection.run(
      """
      PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;
      BEGIN
      """)
    let reference = try SQLiteStatement(
      "SELECT srs_id FROM gpkg_geometry_columns WHERE table_name = \(names.layer.asLiteral)",
      on: connection)
    guard try reference.step(), let number = Int32(exactly: reference.integer(0)) else {
      throw GDALError("\(path.printable): GDAL has not created the layer")
    }
    geometry = GeoPackageGeometry(reference: number)
    let columns = [names.number, names.geometry] + names.columns
    width = columns.count
    insertion = try GroupedInsertion(into: names.layer, columns: columns, on: connection)
    index = try PackedRTree(name: "rtree_\(names.layer)_\(names.geometry)", on: connection)
  }

  // MARK: A row

  /// Begins a row. A previous row that was begun but not ended is discarded.
  func begin(_ shape: VectorRowShape) throws(GDALError) {
    bytes.removeAll(after: rowEnd)
    values.removeLast(values.count - waiting * width)
    box = try geometry.append(shape, to: bytes)
    values.append(.integer(count + 1))
    values.append(bytes.count > rowEnd ? .blob(rowEnd..<bytes.count) : .null)
    for _ in Self.firstColumn..<width { values.append(.null) }
  }

  func setNull(_ column: Int) { put(.null, column) }

  func set(_ value: Int64, _ column: Int) { put(.integer(value), column) }

  func set(_ value: Double, _ column: Int) { put(.real(value), column) }

  /// Sets a string, up to the first NUL character, because strings in GDAL end there.
  func set(_ text: String, _ column: Int) {
    let start = bytes.count
    var text = text
    text.withUTF8 { text in
      guard let start = text.baseAddress else { return }
      bytes.append(start, text.firstIndex(of: 0) ?? text.count)
    }
    put(.text(start..<bytes.count), column)
  }

  func set(_ data: [UInt8], _ column: Int) {
    let start = bytes.count
    bytes.append(contentsOf: data)
    put(.blob(start..<bytes.count), column)
  }

  private func put(_ value: GroupedInsertion.Value, _ column: Int) {
    values[waiting * width + Self.firstColumn + column] = value
  }

  /// Ends the row, and stores it now or together with later rows.
  func end() throws(GDALError) {
    waiting += 1
    rowEnd = bytes.count
    count += 1
    if waiting == insertion.rowCount || rowEnd > Self.maximumBytes { try store() }
    guard box.low.x <= box.high.x, box.low.y <= box.high.y else { return }
    extent.include(box)
    try index?.append(PackedRTree.Entry(id: count, box))
  }

  /// Stores the complete rows. A row that was begun but not ended is discarded.
  private func store() throws(GDALError) {
    values.removeLast(values.count - waiting * width)
    defer {
      values.removeAll(keepingCapacity: true)
      bytes.removeAll()
      (waiting, rowEnd) = (0, 0)
    }
    // The bytes do not move, because nothing is appended to them while they are stored.
    try insertion.store(values, bytes.bytes.bindMemory(to: UInt8.self).baseAddress)
  }

  // MARK: The end

  /// Builds the index, updates the metadata of the layer, and ends the transaction.
  func finish() throws(GDALError) {
    try store()
    try index?.finish()
    let name = names.layer.asLiteral
    let contents = try SQLiteStatement(
      """
      UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ?,
        last_change = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE table_name = \(name)
      """, on: connection)
    if extent.low.x <= extent.high.x {
      contents.bind(extent.low.x, 1)
      contents.bind(extent.low.y, 2)
      contents.bind(extent.high.x, 3)
      contents.bind(extent.high.y, 4)
    }
    try contents.run()
    let counts = try SQLiteStatement(
      "SELECT count(*) FROM sqlite_master WHERE name = 'gpkg_ogr_contents'", on: connection)
    // GDAL does not store a count for an empty table.
    if count > 0, try counts.step(), counts.integer(0) == 1 {
      try connection.run(
        "UPDATE gpkg_ogr_contents SET feature_count = \(count) WHERE table_name = \(name)")
    }
    try connection.run("COMMIT")
  }
}
