import CSQLite
import PlumbCore

/// A connection to an existing SQLite file, separate from GDAL's connection.
///
/// Only one thread at a time may use the connection and its statements.
final class SQLiteConnection {
  private let path: String
  fileprivate let handle: OpaquePointer

  /// - Throws: if the file cannot be opened for writing.
  init(path: String) throws(GDALError) {
    self.path = path
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else {
      let reason = opened.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0).printable }
      sqlite3_close(opened)
      throw GDALError("\(path.printable): \(reason ?? "SQLite has no memory for it")")
    }
    handle = opened
  }

  // Remaining statements keep the connection open until they are finalized.
  deinit { sqlite3_close_v2(handle) }

  /// The maximum number of parameters of a statement.
  var maximumParameters: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)) }

  /// Sets one of SQLite's configuration options for the connection.
  func set(_ option: Int32, _ isOn: Bool) {
    _ = plumb_sqlite_set(handle, option, isOn ? 1 : 0)
  }

  /// Runs statements and ignores their rows.
  func run(_ statements: String) throws(GDALError) {
    guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// The most recent error, with the file's name.
  fileprivate var failure: GDALError {
    let reason = sqlite3_errmsg(handle).map { String(cString: $0).printable }
    return GDALError("\(path.printable): \(reason ?? "SQLite reports an error without a message")")
  }
}

/// A statement that is executed repeatedly with different values.
///
/// Strings and blobs are not copied. Their memory must be valid until the statement has been
/// executed.
final class SQLiteStatement {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer
  /// The error code of the first value that could not be bound.
  private var bindCode = SQLITE_OK

  init(_ sql: String, on connection: SQLiteConnection) throws(GDALError) {
    self.connection = connection
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.failure }
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: Parameters, from 1

  func bindNull(_ parameter: Int32) { keep(sqlite3_bind_null(handle, parameter)) }

  func bind(_ value: Int64, _ parameter: Int32) {
    keep(sqlite3_bind_int64(handle, parameter, value))
  }

  func bind(_ value: Double, _ parameter: Int32) {
    keep(sqlite3_bind_double(handle, parameter, value))
  }

  func bind(text: UnsafePointer<UInt8>, _ count: Int, _ parameter: Int32) {
    text.withMemoryRebound(to: CChar.self, capacity: max(1, count)) {
      keep(
        sqlite3_bind_text64(handle, parameter, $0, UInt64(count), nil, UInt8(SQLITE_UTF8)))
    }
  }

  func bind(blob: UnsafePointer<UInt8>, _ count: Int, _ parameter: Int32) {
    keep(sqlite3_bind_blob64(handle, parameter, blob, UInt64(count), nil))
  }

  private func keep(_ code: Int32) { if bindCode == SQLITE_OK { bindCode = code } }

  // MARK: Running

  /// Executes the statement to its end. The values remain bound.
  func run() throws(GDALError) { while try step() {} }

  /// Advances to the next row. At the end, the statement is reset for its next execution.
  ///
  /// - Returns: false at the end.
  func step() throws(GDALError) -> Bool {
    if bindCode != SQLITE_OK {
      let reason = sqlite3_errstr(bindCode).map { String(cString: $0) } ?? "too large"
      bindCode = SQLITE_OK
      throw GDALError("a value cannot be stored: \(reason)")
    }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let failure = connection.failure
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// The integer in a column of the current row. Columns are counted from 0.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
}
