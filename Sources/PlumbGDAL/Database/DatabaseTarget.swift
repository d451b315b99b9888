import CGDAL
import PlumbCore

/// The connection to a database, through which rows are written to a table. All rows are written in
/// one transaction. In a live table, each batch of rows is written in a separate transaction.
final class DatabaseTarget {
  let dataset: OwnedDataset
  let session: DatabaseSession
  let table: DatabaseTable
  /// Whether the rows are first written to a temporary table, because the table exists.
  private(set) var isTemporary = false
  private let name: DatabaseTableName
  private var hasTransaction = false
  private var isIndexed = false
  /// The statement that copies the rows of the temporary table; nil before the first copy.
  private var copyStatement: String?

  /// Connects to the database, starts a transaction, and checks whether the table exists.
  ///
  /// - Throws: if the database cannot be opened, lacks PostGIS, or refuses a statement, if the table
  ///   has to be created but exists, or if rows have to be appended to a table that does not exist.
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
        "\(table.database.printable): the database lacks the PostGIS extension; create it with CREATE EXTENSION "
          + "postgis", code: .unsupported)
    }
    try begin()
    try prepare()
  }

  deinit { close() }

  private func prepare() throws(GDALError) {
    let found = try session.execute(
      "SELECT 1 WHERE to_regclass(\(DatabaseSession.constant(name.quoted))) IS NOT NULL")
    switch (table.mode, found.isEmpty) {
    case (.create, false):
      var fault = GDALError(
        "\(table.database.printable) already has a table \(table.name.printable)", code: .exists)
      fault.isExistingTable = true
      throw fault
    case (.append, true):
      throw GDALError(
        "\(table.database.printable) has no table \(table.name.printable) to add rows to",
        code: .notFound)
    case (.overwrite, false): try session.execute("DROP TABLE \(name.quoted)")
    case (.append, false), (.appendOrCreate, false): isTemporary = true
    default: break
    }
  }

  /// The name of the layer that GDAL creates.
  var layerName: String { isTemporary ? "plumb_rows" : table.name }

  /// Starts a transaction, unless one is active.
  func begin() throws(GDALError) {
    guard !hasTransaction, let handle = dataset.handle else { return }
    CPLErrorReset()
    guard GDALDatasetStartTransaction(handle, 0) == OGRERR_NONE else {
      throw DatabaseSession.fault(table.database, "a transaction cannot be started")
    }
    hasTransaction = true
  }

  /// Copies the rows to the existing table, or creates the spatial index of a new table, and commits
  /// the transaction, if one is active.
  ///
  /// - Parameters:
  ///   - geometry: the name of the column of geometries; empty for none.
  ///   - columns: the names of the other columns.
  func commit(geometry: String, columns: [String]) throws(GDALError) {
    guard hasTransaction, let handle = dataset.handle else { return }
    if isTemporary {
      try copyRows(geometry: geometry, columns: columns)
    } else if !isIndexed, !geometry.isEmpty {
      try session.execute(
        "CREATE INDEX ON \(name.quoted) USING gist (\(geometry.asIdentifier))")
    }
    isIndexed = true
    CPLErrorReset()
    let result = GDALDatasetCommitTransaction(handle)
    // The transaction has ended even if the commit failed.
    hasTransaction = false
    guard result == OGRERR_NONE, CPLGetLastErrorType().rawValue < CE_Failure.rawValue else {
      throw DatabaseSession.fault(table.database, "the transaction cannot be committed")
    }
  }

  private func copyRows(geometry: String, columns: [String]) throws(GDALError) {
    if copyStatement == nil {
      copyStatement = try makeCopyStatement(geometry: geometry, columns: columns)
    }
    if let copyStatement { try session.execute(copyStatement) }
    // The temporary table exists until the connection is closed.
    try session.execute("TRUNCATE \(layerName.asIdentifier)")
  }

  /// The statement that copies the rows of the temporary table to the existing table.
  private func makeCopyStatement(
    geometry: String, columns: [String]
  ) throws(GDALError) -> String {
    var sources = columns.map { $0.asIdentifier }
    var targets = sources
    if !geometry.isEmpty {
      let found = try session.execute(
        "SELECT attname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = "
          + "to_regclass(\(DatabaseSession.constant(name.quoted))) AND attnum > 0 AND NOT "
          + "attisdropped AND typname IN ('geometry', 'geography') ORDER BY attnum LIMIT 1")
      guard let column = found.first else {
        throw GDALError(
          "\(table.database.printable): the table \(table.name.printable) has no geometry column",
          code: .badInput)
      }
      sources.append(geometry.asIdentifier)
      targets.append(column.asIdentifier)
    }
    return "INSERT INTO \(name.quoted) (\(targets.joined(separator: ", "))) SELECT "
      + "\(sources.joined(separator: ", ")) FROM \(layerName.asIdentifier)"
  }

  /// Closes the connection. Rows that are not committed are discarded.
  func close() {
    guard let handle = dataset.handle else { return }
    if hasTransaction {
      hasTransaction = false
      GDALDatasetRollbackTransaction(handle)
    }
    dataset.close()
  }
}
