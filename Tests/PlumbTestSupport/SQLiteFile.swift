import CSQLite

/// SQLite files with any content, even content that SQLite and GDAL would not write.
public enum SQLiteFile {
  public struct Failure: Error { public var message: String }

  /// Executes statements on a file, which is created if it does not exist. The statements can also
  /// change the schema directly.
  public static func run(_ statements: String, on path: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw Failure(message: path) }
    _ = plumb_sqlite_set(database!, SQLITE_DBCONFIG_DEFENSIVE, 0)
    var message: UnsafeMutablePointer<CChar>?
    defer { sqlite3_free(message) }
    guard
      sqlite3_exec(database, "PRAGMA writable_schema = ON; " + statements, nil, nil, &message)
        == SQLITE_OK
    else { throw Failure(message: message.map { String(cString: $0) } ?? path) }
  }

  /// The rows of a query, with each value as text; null is `NULL`.
  public static func rows(_ query: String, of path: String) throws -> [[String]] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw Failure(message: path) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(database)))
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
          })
      case SQLITE_DONE: return rows
      default: throw Failure(message: String(cString: sqlite3_errmsg(database)))
      }
    }
  }

  /// Writes a GeoPackage with the layer `pts` of two points, at 1, 2 and at 3, 4 in EPSG:4326, and
  /// runs statements on it.
  ///
  /// - Parameters:
  ///   - layers: additional layers with points in the column `geom`, which the statements create.
  ///   - encoding: SQLite's text encoding.
  public static func package(
    at path: String, _ statements: String = "", layers: [String] = [], encoding: String = "UTF-8"
  ) throws {
    var script = """
      PRAGMA encoding = '\(encoding)';
      PRAGMA application_id = 1196444487;
      PRAGMA user_version = 10300;
      CREATE TABLE gpkg_spatial_ref_sys(srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY,
        organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL,
        definition TEXT NOT NULL, description TEXT);
      INSERT INTO gpkg_spatial_ref_sys VALUES('Undefined', 0, 'NONE', 0, 'undefined', '');
      INSERT INTO gpkg_spatial_ref_sys VALUES('WGS 84', 4326, 'EPSG', 4326,
        'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],\
      PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]', '');
      CREATE TABLE gpkg_contents(table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL,
        identifier TEXT UNIQUE, description TEXT, last_change DATETIME, min_x DOUBLE, min_y DOUBLE,
        max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
      CREATE TABLE gpkg_geometry_columns(table_name TEXT PRIMARY KEY, column_name TEXT NOT NULL,
        geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL,
        m TINYINT NOT NULL);
      CREATE TABLE pts(fid INTEGER PRIMARY KEY, geom POINT, n TEXT);
      INSERT INTO pts VALUES(1, \(point("000000000000F03F", "0000000000000040")), 'a');
      INSERT INTO pts VALUES(2, \(point("0000000000000840", "0000000000001040")), 'b');

      """
    script += statements + ";\n"
    for name in ["pts"] + layers {
      script += """
        INSERT INTO gpkg_contents(table_name, data_type, identifier, srs_id)
          VALUES('\(name)', 'features', '\(name)', 4326);
        INSERT INTO gpkg_geometry_columns VALUES('\(name)', 'geom', 'POINT', 4326, 0, 0);

        """
    }
    try run(script, on: path)
  }

  /// A statement that inserts a row into the schema without checks; SQLite may be unable to parse
  /// the row.
  public static func schemaRow(_ name: String, _ sql: String, type: String = "table") -> String {
    "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql) VALUES("
      + "'\(type)', '\(name)', '\(name)', 0, '\(sql.replacing("'", with: "''"))');"
  }

  /// A point's blob from the bytes of its coordinates.
  private static func point(_ x: String, _ y: String) -> String {
    "X'47500001E61000000101000000\(x)\(y)'"
  }
}

extension String {
  fileprivate func replacing(_ character: Character, with text: String) -> String {
    reduce(into: "") { $0 += $1 == character ? text : String($1) }
  }
}
