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

  /// The layer of a table that exists.
  ///
  /// - Throws: if the layer has another CRS.
  func layer(reference: String?) throws(GDALError) -> OGRLayerH {
    guard let dataset = dataset.handle, let layer = GDALDatasetGetLayerByName(dataset, table.name)
    else { throw DatabaseSession.fault(table.database, "the table cannot be read") }
    if let reference, let known = OGR_L_GetSpatialRef(layer) {
      let wanted = try makeReference(reference)
      defer { OSRRelease(wanted) }
      if OSRIsSame(known, wanted) == 0 {
        let (a, b) = (referenceText(known) ?? "", referenceText(wanted) ?? "")
        throw GDALError(
          "\(table.database.printable): the table \(table.name.printable) has the CRS "
            + "\(a.printable), and the rows have \(b.printable)", code: .badInput)
      }
    }
    return layer
  }

  /// Creates the spatial index of a new table, and commits the transaction.
  ///
  /// - Parameter geometry: the name of the column of geometries; empty for none.
  func commit(geometry: String) throws(GDALError) {
    if table.mode != .append, !geometry.isEmpty {
      try session.execute(
        "CREATE INDEX ON \(name.quoted) USING gist (\(DatabaseSession.quoted(geometry)))")
    }
    guard let handle = dataset.handle else { return }
    CPLErrorReset()
    guard GDALDatasetCommitTransaction(handle) == OGRERR_NONE,
      CPLGetLastErrorType().rawValue < CE_Failure.rawValue
    else { throw DatabaseSession.fault(table.database, "the transaction cannot be committed") }
    isDone = true
    dataset.close()
  }

  private func rollBack() {
    guard !isDone, let handle = dataset.handle else { return }
    isDone = true
    GDALDatasetRollbackTransaction(handle)
    dataset.close()
  }
}
