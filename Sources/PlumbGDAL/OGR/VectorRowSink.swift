import CGDAL
import PlumbCore

/// The destination of the rows of a new layer.
protocol VectorRowSink: AnyObject {
  /// Adds a row. If the method throws an error, the row is not added.
  ///
  /// - Parameters:
  ///   - kind: the name of the layer's kind of shape, for messages.
  ///   - values: the attributes, one for each column.
  func append(
    _ shape: VectorRowShape, kind: String, _ values: [FieldValue]
  ) throws(GDALError)

  /// Commits the rows added so far to a live table of a database. Does nothing for other outputs.
  func flush() throws(GDALError)

  /// Writes the remaining rows and closes the file.
  func finish() throws(GDALError)
}

/// Writes rows as OGR features.
final class VectorFeatureSink: VectorRowSink {
  private let made: NewVectorLayer
  private let path: String
  private let driver: VectorDriver
  /// The database with the table to which the rows are written; nil for a file.
  private let database: DatabaseTarget?
  private let hasTransactions: Bool
  private var count = 0
  private static let rowsPerTransaction = 100_000

  init(_ made: NewVectorLayer, path: String, driver: VectorDriver) throws(GDALError) {
    self.made = made
    self.path = path
    self.driver = driver
    database = nil
    hasTransactions =
      made.dataset.handle.map { GDALDatasetTestCapability($0, ODsCTransactions) != 0 } ?? false
    try begin()
  }

  init(_ made: NewVectorLayer, of database: DatabaseTarget) throws(GDALError) {
    (self.made, self.database, path) = (made, database, database.table.database)
    driver = VectorDriver(name: GDALAccess.databaseDriver, extensions: [])
    hasTransactions = false
    // Creates a new live table, or checks that an existing one has the columns.
    try flush()
  }

  func append(
    _ shape: VectorRowShape, kind: String, _ values: [FieldValue]
  ) throws(GDALError) {
    try database?.begin()
    CPLErrorReset()
    guard let feature = OGR_F_Create(made.definition) else {
      throw GDALError(GDALLibrary.lastError("a row cannot be created"))
    }
    defer { OGR_F_Destroy(feature) }
    if let geometry = try geometry(of: shape) {
      guard OGR_F_SetGeometryDirectly(feature, geometry) == OGRERR_NONE else {
        throw GDALError(GDALLibrary.lastError("a row's \(kind) cannot be stored"))
      }
    } else if driver.name == "FlatGeobuf" {
      let article = kind == "area" ? "an" : "a"
      throw GDALError("FlatGeobuf drops rows without \(article) \(kind); write another format")
    }
    for (column, value) in zip(made.columns, values) { try column.set(value, in: feature) }
    guard OGR_L_CreateFeature(made.layer, feature) == OGRERR_NONE, !hasFailed else {
      throw failure("a row cannot be written")
    }
    // Numbers in a Shapefile have a fixed width. The driver only warns about a number that is too
    // long.
    if CPLGetLastErrorType() == CE_Warning,
      GDALLibrary.lastError("").contains("not successfully written")
    {
      throw failure("a value is too long")
    }
    count += 1
    if count % Self.rowsPerTransaction == 0 {
      try commit()
      try begin()
    }
  }

  private func geometry(of shape: VectorRowShape) throws(GDALError) -> OGRGeometryH? {
    guard made.hasGeometry else { return nil }
    switch shape {
    case .none: return nil
    case .point(let point):
      let geometry = OGR_G_CreateGeometry(wkbPoint)
      OGR_G_SetPoint_2D(geometry, 0, point.x, point.y)
      return geometry
    case .area(let area): return try makeShape(area)
    case .line(let line): return try makeShape(line)
    }
  }

  private var hasFailed: Bool { CPLGetLastErrorType().rawValue >= CE_Failure.rawValue }

  private func failure(_ fallback: String) -> GDALError {
    if database != nil { return DatabaseSession.fault(path, fallback) }
    return GDALError("\(path.printable): \(GDALLibrary.lastError(fallback))")
  }

  private func begin() throws(GDALError) {
    guard hasTransactions, let handle = made.dataset.handle else { return }
    guard GDALDatasetStartTransaction(handle, 0) == OGRERR_NONE else {
      throw GDALError(GDALLibrary.lastError("a transaction cannot be started"))
    }
  }

  private func commit() throws(GDALError) {
    guard hasTransactions, let handle = made.dataset.handle else { return }
    guard GDALDatasetCommitTransaction(handle) == OGRERR_NONE, !hasFailed else {
      throw failure("rows cannot be written")
    }
  }

  func flush() throws(GDALError) {
    if let database, database.table.isLive { try commit(to: database) }
  }

  private func commit(to database: DatabaseTarget) throws(GDALError) {
    CPLErrorReset()
    // Sends the last rows.
    OGR_L_SyncToDisk(made.layer)
    if hasFailed { throw failure("rows cannot be written") }
    let geometry = OGR_L_GetGeometryColumn(made.layer).map { String(cString: $0) } ?? ""
    try database.commit(geometry: geometry, columns: made.columns.map(\.name))
  }

  func finish() throws(GDALError) {
    guard let handle = made.dataset.handle else { return }
    if let database {
      try commit(to: database)
      return database.close()
    }
    CPLErrorReset()
    try commit()
    GDALFlushCache(handle)
    let flushed = !hasFailed
    let flushFailure = failure("the file cannot be written completely")
    CPLErrorReset()
    made.dataset.close()
    if !flushed { throw flushFailure }
    if hasFailed { throw failure("the file cannot be written completely") }
  }
}
