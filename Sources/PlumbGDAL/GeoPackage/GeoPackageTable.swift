import CSQLite
import PlumbCore
import PlumbIO

/// A layer of a GeoPackage that GDAL has made, without rows, and closed: filled here in one
/// transaction, its spatial index last and at once.
///
/// GDAL's triggers, which keep the index and the number of rows row by row, stay in the file for
/// whoever changes it later; on this connection they do not run. The file is nobody else's until it
/// is whole, and thrown away when it does not become so: there is no journal.
final class GeoPackageTable {
  /// What GDAL has called the parts of the layer.
  struct Names {
    var layer: String
    /// The column of rows' numbers.
    var number: String
    var geometry: String
    var columns: [String]
  }

  /// A text or a blob of the row at hand, in `bytes`.
  private struct Span {
    var parameter: Int32
    var start: Int
    var isText: Bool
  }

  private let names: Names
  private let connection: SQLiteConnection
  private let insertion: SQLiteStatement
  private let geometry: GeoPackageGeometry
  private let index: PackedRTree?
  /// The texts and the shape of the row at hand: they stay until it is stored.
  private let bytes = TextBuffer()
  private var spans: [Span] = []
  private var box = Box.nowhere
  private var extent = Box.nowhere
  private var count: Int64 = 0

  private static let (numberParameter, shapeParameter, firstColumn): (Int32, Int32, Int32) =
    (1, 2, 3)

  /// - Throws: when the file does not open, or is none that GDAL makes.
  init(path: String, _ names: Names) throws(GDALError) {
    self.names = names
    connection = try SQLiteConnection(path: path)
    connection.set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    // The index's tables are written here.
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
      throw GDALError("\(path.printable): GDAL has not made the layer")
    }
    geometry = GeoPackageGeometry(reference: number)
    let columns = [names.number, names.geometry] + names.columns
    insertion = try SQLiteStatement(
      "INSERT INTO \(names.layer.asIdentifier)(\(columns.map(\.asIdentifier).joined(separator: ", ")))"
        + " VALUES(\(columns.map { _ in "?" }.joined(separator: ", ")))", on: connection)
    index = try PackedRTree(name: "rtree_\(names.layer)_\(names.geometry)", on: connection)
  }

  // MARK: A row

  /// Begins a row; what a row that was begun before it was given is forgotten.
  func begin(_ shape: VectorRowShape) throws(GDALError) {
    bytes.removeAll()
    spans.removeAll(keepingCapacity: true)
    box = try geometry.append(shape, to: bytes)
    insertion.bind(count + 1, Self.numberParameter)
    if bytes.count > 0 {
      spans.append(Span(parameter: Self.shapeParameter, start: 0, isText: false))
    } else {
      insertion.bindNull(Self.shapeParameter)
    }
  }

  func setNull(_ column: Int) { insertion.bindNull(Self.parameter(column)) }

  func set(_ value: Int64, _ column: Int) { insertion.bind(value, Self.parameter(column)) }

  func set(_ value: Double, _ column: Int) { insertion.bind(value, Self.parameter(column)) }

  /// Sets a text, up to a character 0 in it: GDAL's own texts end there.
  func set(_ text: String, _ column: Int) {
    spans.append(Span(parameter: Self.parameter(column), start: bytes.count, isText: true))
    var text = text
    text.withUTF8 { text in
      guard let start = text.baseAddress else { return }
      bytes.append(start, text.firstIndex(of: 0) ?? text.count)
    }
  }

  func set(_ data: [UInt8], _ column: Int) {
    spans.append(Span(parameter: Self.parameter(column), start: bytes.count, isText: false))
    bytes.append(contentsOf: data)
  }

  /// Stores the row.
  func end() throws(GDALError) {
    // Nothing is appended any more, so that the bytes stay where they are.
    let base = UnsafePointer(bytes.bytes.bindMemory(to: UInt8.self).baseAddress!)
    for (index, span) in spans.enumerated() {
      let end = index + 1 < spans.count ? spans[index + 1].start : bytes.count
      if span.isText {
        insertion.bind(text: base + span.start, end - span.start, span.parameter)
      } else {
        insertion.bind(blob: base + span.start, end - span.start, span.parameter)
      }
    }
    try insertion.run()
    count += 1
    guard box.low.x <= box.high.x, box.low.y <= box.high.y else { return }
    extent.include(box)
    try index?.append(PackedRTree.Entry(id: count, box))
  }

  private static func parameter(_ column: Int) -> Int32 { firstColumn + Int32(column) }

  // MARK: The end

  /// Makes the index, says what the layer holds, and ends the transaction.
  func finish() throws(GDALError) {
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
    // Of a table without rows GDAL says nothing.
    if count > 0, try counts.step(), counts.integer(0) == 1 {
      try connection.run(
        "UPDATE gpkg_ogr_contents SET feature_count = \(count) WHERE table_name = \(name)")
    }
    try connection.run("COMMIT")
  }
}
