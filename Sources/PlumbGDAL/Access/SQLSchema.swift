import CSQLite
import PlumbCore

/// The schema of a SQLite file, which is read before anything else in the file.
struct SQLSchema {
  /// The names of tables and views in lower case, because SQLite compares ASCII letters without
  /// regard to case.
  private(set) var tables: Set<ByteName> = []
  /// The size of the file in bytes.
  private(set) var size: Int64 = 0
  /// The reason why the file must not be read, as a clause.
  private(set) var refusal: String?

  /// - Returns: nil if the file is still empty, or its schema cannot be read.
  init?(_ database: OpaquePointer, trust: GDALAccess.Trust) {
    let query = "SELECT name, tbl_name, sql FROM sqlite_master"
    let isRead = Self.forEachRow(of: query, in: database) { row in
      let name = Self.text(row, 0)
      for text in [name, Self.text(row, 1)] { tables.insert(ByteName(text.lowercasedASCII)) }
      let tokens = SQLToken.list(Self.bytes(row, 2), limit: 256)
      // SQLite takes the name from the SQL, not from the row's other columns.
      if let created = Self.createdName(tokens) { tables.insert(ByteName(created.lowercasedASCII)) }
      if let module = Self.virtualModule(tokens), !module.isAllowed(trust) {
        refusal = refusal ?? "it has a virtual table \(name.printable) of \(module.name.printable)"
      }
    }
    guard isRead else { return nil }
    var pages: Int64 = 0
    var bytes: Int64 = 0
    _ = Self.forEachRow(of: "PRAGMA page_count", in: database) {
      pages = sqlite3_column_int64($0, 0)
    }
    _ = Self.forEachRow(of: "PRAGMA page_size", in: database) {
      bytes = sqlite3_column_int64($0, 0)
    }
    guard pages > 0 else { return nil }
    size = pages.multipliedReportingOverflow(by: bytes).partialValue
  }

  private struct Module {
    var name: String
    var hasArguments: Bool

    /// Whether the module may be used. SQLite's own spatial index is allowed. The modules that
    /// SpatiaLite adds to each of its files are allowed if they have no arguments: they do not read
    /// other files, and cannot be read without SpatiaLite. Full-text indexes are allowed unless a
    /// document names the file.
    func isAllowed(_ trust: GDALAccess.Trust) -> Bool {
      switch name.lowercasedASCII {
      case "rtree", "rtree_i32": true
      case "virtualspatialindex", "virtualelementary", "virtualknn", "virtualknn2": !hasArguments
      case "fts3", "fts4", "fts5": trust != .document
      default: false
      }
    }
  }

  /// The module of a `CREATE VIRTUAL TABLE`; nil for another statement.
  private static func virtualModule(_ tokens: [SQLToken]) -> Module? {
    guard tokens.first?.isWord("create") == true,
      tokens.dropFirst().first?.isWord("virtual") == true
    else { return nil }
    // `isWord` does not match a quoted name, such as "using".
    guard let using = tokens.firstIndex(where: { $0.isWord("using") }),
      using + 1 < tokens.count
    else { return Module(name: "an unknown kind", hasArguments: true) }
    let rest = tokens[(using + 2)...].filter { $0.text != ";" }
    let isBare = rest.isEmpty || rest.count == 2 && rest[0].text == "(" && rest[1].text == ")"
    return Module(name: tokens[using + 1].text, hasArguments: !isBare)
  }

  /// The table or view that a statement creates.
  private static func createdName(_ tokens: [SQLToken]) -> String? {
    guard tokens.first?.isWord("create") == true,
      let kind = tokens.prefix(4).firstIndex(where: { $0.isWord("table") || $0.isWord("view") })
    else { return nil }
    var rest = tokens[(kind + 1)...]
    if rest.first?.isWord("if") == true { rest = rest.dropFirst(3) }
    // A name may be preceded by the name of a database.
    if rest.dropFirst().first?.text == "." { rest = rest.dropFirst(2) }
    return rest.first?.text
  }

  // MARK: Rows

  private static func forEachRow(
    of query: String, in database: OpaquePointer, _ body: (OpaquePointer) -> Void
  ) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK, let statement
    else { return false }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return true
      default: return false
      }
    }
  }

  private static func bytes(_ row: OpaquePointer, _ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_text(row, column)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column)))
  }

  private static func text(_ row: OpaquePointer, _ column: Int32) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }
}
