import CGDAL
import PlumbCore

/// The connection to a database in whose table rows are written, in one transaction.
final class DatabaseTarget {
  let dataset: OwnedDataset
  let session: DatabaseSession
  let table: DatabaseTable
  private let name: DatabaseTableName
  private var isDone = false

  /// Connects to the database, and checks that the table exists if and only if rows are added to it.
  ///
  /// - Throws: if the database cannot be opened, lacks PostGIS, or refuses a statement.
  init(_ table: DatabaseTable) throws(GDALError) {
    self.table = table
    name = DatabaseTableName(table.name)
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_UPDATE | GDAL_OF_VERBOSE_ERROR)
    guard let opened = openDataset(table.database, flags, [GDALAccess.databaseDriver]) else {
      throw DatabaseSession.fault(table.database, "the database cannot be opened")
    }
    dataset = OwnedDataset(opened)
    session = DatabaseSession(dataset: opened, path: table.database)
    guard !(try session.execute("SELECT 1 FROM pg_extension WHERE extname = 'postgis'")).isEmpty
    else {
      throw GDALError(
        "\(table.database.printable): the database has no PostGIS; create it with CREATE EXTENSION "
          + "postgis", code: .unsupported)
    }
    guard GDALDatasetStartTransaction(opened, 0) == OGRERR_NONE else {
      throw DatabaseSession.fault(table.database, "a transaction cannot be started")
    }
    try prepare()
  }

  deinit { rollBack() }

  private func prepare() throws(GDALError) {
    let found = try session.execute(
      "SELECT 1 WHERE to_regclass(\(DatabaseSession.constant(name.quoted))) IS NOT NULL")
    switch (table.mode, found.isEmpty) {
    case (.create, false):
      var fault = GDALError(
        "\(table.database.printable) has a table \(table.name.printable) already", code: .exists)
      fault.isExistingTable = true
      throw fault
    case (.append, true):
      throw GDALError(
        "\(table.database.printable) has no table \(table.name.printable) to add rows to",
        code: .notFound)
    case (.overwrite, false): try session.execute("DROP TABLE \(name.quoted)")
    default: break
    }
  }

  /// Whether the rows are first written to a temporary table.
  var isTemporary: Bool { table.mode == .append }
  /// The name of the layer that GDAL creates.
  var layerName: String { isTemporary ? "plumb_rows" : table.name }

  /// Creates the spatial index of a new table, or copies the rows to the existing table, and commits
  /// the transaction.
  ///
  /// - Parameters:
  ///   - geometry: the name of the column of geometries; empty for none.
  ///   - columns: the names of the other columns.
  func commit(geometry: String, columns: [String]) throws(GDALError) {
    if isTemporary {
      try copyRows(geometry: geometry, columns: columns)
    } else if !geometry.isEmpty {
      try session.execute(
        "CREATE INDEX ON \(name.quoted) USING gist (\(geometry.asIdentifier))")
    }
    guard let handle = dataset.handle else { return }
    CPLErrorReset()
    guard GDALDatasetCommitTransaction(handle) == OGRERR_NONE,
      CPLGetLastErrorType().rawValue < CE_Failure.rawValue
    else { throw DatabaseSession.fault(table.database, "the transaction cannot be committed") }
    isDone = true
    dataset.close()
  }

  private func copyRows(geometry: String, columns: [String]) throws(GDALError) {
    var sources = columns.map { $0.asIdentifier }
    var targets = sources
    if !geometry.isEmpty {
      let found = try session.execute(
        "SELECT attname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = "
          + "to_regclass(\(DatabaseSession.constant(name.quoted))) AND attnum > 0 AND NOT "
          + "attisdropped AND typname IN ('geometry', 'geography') ORDER BY attnum LIMIT 1")
      guard let column = found.first else {
        throw GDALError(
          "\(table.database.printable): the table \(table.name.printable) has no geometries",
          code: .badInput)
      }
      sources.append(geometry.asIdentifier)
      targets.append(column.asIdentifier)
    }
    try session.execute(
      "INSERT INTO \(name.quoted) (\(targets.joined(separator: ", "))) SELECT "
        + "\(sources.joined(separator: ", ")) FROM \(layerName.asIdentifier)")
    try session.execute("DROP TABLE \(layerName.asIdentifier)")
  }

  private func rollBack() {
    guard !isDone, let handle = dataset.handle else { return }
    isDone = true
    GDALDatasetRollbackTransaction(handle)
    dataset.close()
  }
}
