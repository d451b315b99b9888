import CGDAL
import CSQLite
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The restrictions on a SQLite connection that GDAL opens for a file that is not fully trusted.
///
/// The restrictions are applied before GDAL runs a statement, and remain for the lifetime of the
/// connection. Every statement, including its views and computed columns, is checked when it is
/// compiled, and again while it runs.
final class SQLRestriction {
  /// The tables and views of the file itself, in lower case; nil for a database that GDAL creates.
  private let tables: Set<ByteName>?
  private let rowLimit: Int64
  private let byteLimit: Int64
  private var rows: Int64 = 0
  private var bytes: Int64 = 0
  /// The time of the last check that found that a statement had started or returned a row.
  private var lastRow = ContinuousClock.now
  private var hasNews = false
  /// Whether a statement has used a view, which may multiply the file's contents.
  private var usesViews = false
  /// The reason why no further statement may run; nil while statements may run.
  private var end: String?

  /// The longest time that a statement may run without returning a row.
  static let timeout = Duration.seconds(10)
  /// The number of SQLite instructions between two checks of the clock.
  private static let interval: Int32 = 20_000
  /// The maximum size of a string or blob in bytes.
  private static let valueLimit: Int32 = 256 << 20

  private init(_ schema: SQLSchema?) {
    tables = schema?.tables
    let size = schema?.size ?? .max / 32
    // A row takes at least one byte of the file, but a join may repeat rows.
    rowLimit = max(1 << 20, size)
    byteLimit = max(1 << 28, size.multipliedReportingOverflow(by: 16).partialValue)
  }

  /// Restricts each connection that is opened on a restricted thread.
  ///
  /// Must be called whenever restrictions are applied, because SpatiaLite removes the hook when it
  /// is unloaded from a connection. Repeated calls are cheap.
  static func install() {
    _ = plumb_sqlite_on_open { database, message, _ in
      guard let database, let access = ThreadAccess.current.access, access.trust != .full else {
        return SQLITE_OK
      }
      ThreadAccess.current.restrictedConnections += 1
      guard let refusal = SQLRestriction.apply(database, access.trust) else { return SQLITE_OK }
      ThreadAccess.current.refuse(refusal)
      message?.pointee = SQLRestriction.copy(refusal)
      return SQLITE_ERROR
    }
  }

  /// Opens a dataset. On a restricted thread, a SQLite file is opened again if its connection was not
  /// restricted. This happens if another thread has unloaded SpatiaLite since the hook was installed.
  ///
  /// - Returns: nil if the dataset cannot be opened or restricted.
  static func opening(_ open: () -> GDALDatasetH?) -> GDALDatasetH? {
    let thread = ThreadAccess.current
    guard let access = thread.access, access.trust != .full else { return open() }
    for _ in 0..<attempts {
      install()
      let count = thread.restrictedConnections
      guard let dataset = open() else { return nil }
      if thread.restrictedConnections > count || !isSQLite(dataset) { return dataset }
      GDALClose(dataset)
    }
    thread.refuse("its SQL cannot be restricted while other threads use SpatiaLite; try again")
    return nil
  }

  private static let attempts = 16

  private static func isSQLite(_ dataset: GDALDatasetH) -> Bool {
    guard let name = GDALGetDatasetDriver(dataset).flatMap({ GDALGetDriverShortName($0) }) else {
      return false
    }
    return ["SQLite", "GPKG", "MBTiles", "Rasterlite"].contains(String(cString: name))
  }

  /// - Returns: the reason why the file must not be read; nil if it may be read.
  private static func apply(_ database: OpaquePointer, _ trust: GDALAccess.Trust) -> String? {
    _ = plumb_sqlite_set(database, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = plumb_sqlite_set(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    _ = plumb_sqlite_set(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, valueLimit), (SQLITE_LIMIT_SQL_LENGTH, 1 << 24),
      (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
      (SQLITE_LIMIT_WORKER_THREADS, 0), (SQLITE_LIMIT_VDBE_OP, 1 << 20),
    ] {
      sqlite3_limit(database, limit, value)
    }
    keepModules(["rtree", "rtree_i32"], database)
    let schema = SQLSchema(database, trust: trust)
    if let refusal = schema?.refusal { return refusal }
    let restriction = Unmanaged.passRetained(SQLRestriction(schema))
    let owner = restriction.toOpaque()
    // The connection owns the object and releases it when it is closed.
    let code = sqlite3_create_collation_v2(
      database, "plumb_restriction", SQLITE_UTF8, owner, { _, _, _, _, _ in 0 },
      { Unmanaged<SQLRestriction>.fromOpaque($0!).release() })
    guard code == SQLITE_OK else {
      restriction.release()
      return "SQLite is out of memory"
    }
    sqlite3_set_authorizer(
      database,
      { owner, action, first, second, base, view in
        guard let owner else { return SQLITE_DENY }
        return Unmanaged<SQLRestriction>.fromOpaque(owner).takeUnretainedValue()
          .decide(action, first, second, base, view)
      }, owner)
    sqlite3_progress_handler(
      database, interval,
      { owner in
        guard let owner else { return 1 }
        return Unmanaged<SQLRestriction>.fromOpaque(owner).takeUnretainedValue().isLate() ? 1 : 0
      }, owner)
    sqlite3_trace_v2(
      database, UInt32(SQLITE_TRACE_ROW | SQLITE_TRACE_STMT),
      { event, owner, statement, _ in
        guard let owner else { return 0 }
        let restriction = Unmanaged<SQLRestriction>.fromOpaque(owner).takeUnretainedValue()
        event == UInt32(SQLITE_TRACE_ROW) ? restriction.count(statement) : restriction.restart()
        return 0
      }, owner)
    return nil
  }

  // MARK: Compilation of a statement

  private func decide(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ base: UnsafePointer<CChar>?, _ view: UnsafePointer<CChar>?
  ) -> Int32 {
    if view != nil { usesViews = true }
    if let end {
      ThreadAccess.current.refuse(end)
      return SQLITE_DENY
    }
    let reason: String
    switch action {
    case SQLITE_READ:
      guard let tables, let first, base.map({ String(cString: $0) }) != "temp" else {
        return SQLITE_OK
      }
      let name = String(cString: first).lowercasedASCII
      // Only a name with one of these prefixes can be a table outside the file: SQLite creates eponymous
      // virtual tables when they are used, and GDAL may register its module later. Any other name belongs
      // to a part of the query, such as a subquery.
      guard !tables.contains(ByteName(name)),
        ["pragma_", "virtual"].contains(where: { name.hasBytes(atStart: $0) })
      else {
        return SQLITE_OK
      }
      reason = "reads \(name.printable), which is not a table of the file"
    case SQLITE_FUNCTION:
      let name = second.map { String(cString: $0) } ?? ""
      if SQLFunctions.isAllowed(name) { return SQLITE_OK }
      reason = "calls \(name.printable)(), which is not an allowed function"
    case SQLITE_RECURSIVE: reason = "has a recursive query"
    case SQLITE_ATTACH: reason = "attaches another file"
    case SQLITE_CREATE_VTABLE: reason = "creates a virtual table"
    default: return SQLITE_OK
    }
    let subject = view.map { "its view \(String(cString: $0).printable)" } ?? "its SQL"
    ThreadAccess.current.refuse("\(subject) \(reason)")
    return SQLITE_DENY
  }

  // MARK: Execution of a statement

  private func restart() {
    hasNews = true
    (rows, bytes) = (0, 0)
  }

  private func isLate() -> Bool {
    if hasNews, end == nil {
      (hasNews, lastRow) = (false, .now)
      return false
    }
    // The time between two calls of GDAL does not count, because no statement runs then.
    let thread = ThreadAccess.current
    if end == nil, ContinuousClock.now - max(lastRow, thread.start) > Self.timeout {
      end = "a query in it returned no row for 10 s"
    }
    guard let end else { return false }
    thread.refuse(end)
    return true
  }

  private func count(_ statement: UnsafeMutableRawPointer?) {
    hasNews = true
    rows += 1
    if usesViews, let statement = statement.map({ OpaquePointer($0) }) {
      for column in 0..<sqlite3_column_count(statement) {
        let type = sqlite3_column_type(statement, column)
        guard type == SQLITE_TEXT || type == SQLITE_BLOB else { continue }
        bytes += Int64(sqlite3_column_bytes(statement, column))
      }
    }
    guard rows > rowLimit || bytes > byteLimit else { return }
    let reason = "a query in it returns far more than the file contains"
    end = reason
    ThreadAccess.current.refuse(reason)
    if let statement { sqlite3_interrupt(sqlite3_db_handle(OpaquePointer(statement))) }
  }

  // MARK: Parts

  /// Removes all modules of virtual tables except the named modules.
  private static func keepModules(_ names: [String], _ database: OpaquePointer) {
    var list: [UnsafePointer<CChar>?] = names.map { UnsafePointer(strdup($0)) } + [nil]
    sqlite3_drop_modules(database, &list)
    for name in list { free(UnsafeMutablePointer(mutating: name)) }
  }

  /// Returns a copy of a string in memory that SQLite frees.
  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = Array(text.utf8CString)
    guard let memory = sqlite3_malloc(Int32(clamping: bytes.count)) else { return nil }
    let start = memory.bindMemory(to: CChar.self, capacity: bytes.count)
    start.update(from: bytes, count: bytes.count)
    return start
  }
}
