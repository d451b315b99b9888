import CGDAL
import PlumbCore

/// The connection of an open PostgreSQL dataset, for statements other than reading a layer.
struct DatabaseSession {
  let dataset: GDALDatasetH
  /// The address of the database, as shown in messages.
  let path: String

  static func isDatabase(_ dataset: GDALDatasetH) -> Bool {
    GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
      .map { String(cString: $0) == GDALAccess.databaseDriver } ?? false
  }

  /// Executes a statement, and returns the first column of the rows as text.
  ///
  /// - Throws: if the database reports an error.
  @discardableResult
  func execute(_ statement: String) throws(GDALError) -> [String] {
    CPLErrorReset()
    let result = GDALDatasetExecuteSQL(dataset, statement, nil, nil)
    defer { if let result { GDALDatasetReleaseResultSet(dataset, result) } }
    var values: [String] = []
    if let result {
      while let feature = OGR_L_GetNextFeature(result) {
        values.append(OGR_F_GetFieldAsString(feature, 0).map { String(cString: $0) } ?? "")
        OGR_F_Destroy(feature)
      }
    }
    guard CPLGetLastErrorType().rawValue < CE_Failure.rawValue else {
      throw Self.fault(path, "the statement failed")
    }
    return values
  }

  /// The error that the database or its driver reported last, on one line.
  static func fault(_ path: String, _ fallback: String) -> GDALError {
    GDALError(
      "\(path.printable): \(line(CPLGetLastErrorMsg().map { String(cString: $0) }, fallback))")
  }

  /// Returns a message of the database on one line, without the names of the driver's functions.
  static func line(_ message: String?, _ fallback: String) -> String {
    let prefixes = ["PQconnectdb failed.", "COPY statement failed.", "Writing COPY data failed."]
    let lines = (message ?? "").split(whereSeparator: \.isNewline)
      .map { line in String(line.drop { $0 == " " || $0 == "\t" }) }
      .filter { line in
        !line.isEmpty && line != "^" && !prefixes.contains(line)
          && !["CONTEXT:", "LINE "].contains { line.hasPrefix($0) }
      }
    let joined = lines.joined(separator: "; ").replacing(":  ", with: ": ")
    let text = joined.hasPrefix("ERROR: ") ? String(joined.dropFirst("ERROR: ".count)) : joined
    return text.isEmpty ? fallback : text.printable
  }

  /// A string constant.
  static func constant(_ text: String) -> String {
    // The escape form does not depend on the database's settings.
    "E" + text.doubling("\\").asLiteral
  }
}

/// The name of a table, with or without a schema.
struct DatabaseTableName {
  /// The schema; nil for the first schema of the search path.
  let schema: String?
  let table: String

  /// Parses `TABLE` or `SCHEMA.TABLE`.
  init(_ text: String) {
    if let dot = text.firstIndex(of: "."), dot != text.startIndex {
      schema = String(text[..<dot])
      table = String(text[text.index(after: dot)...])
    } else {
      (schema, table) = (nil, text)
    }
  }

  /// The name in SQL.
  var quoted: String {
    (schema.map { $0.asIdentifier + "." } ?? "") + table.asIdentifier
  }
}

extension DatabaseSession {
  /// Checks that all geometries of a layer have one CRS. A column that does not declare its CRS may
  /// contain geometries in several CRSs. GDAL would apply the first one to all of them.
  func checkReference(of layer: OGRLayerH) throws(GDALError) {
    guard let name = OGR_L_GetName(layer), let column = OGR_L_GetGeometryColumn(layer),
      column.pointee != 0
    else { return }
    let (table, geometry) = (DatabaseTableName(String(cString: name)), String(cString: column))
    let schema = table.schema.map { Self.constant($0) } ?? "current_schema()"
    let undeclared = try execute(
      "SELECT 1 FROM geometry_columns WHERE f_table_schema = \(schema) AND f_table_name = "
        + "\(Self.constant(table.table)) AND f_geometry_column = \(Self.constant(geometry)) "
        + "AND srid = 0")
    guard !undeclared.isEmpty else { return }
    let found = try execute(
      "SELECT DISTINCT ST_SRID(\(geometry.asIdentifier)) FROM \(table.quoted) "
        + "WHERE \(geometry.asIdentifier) IS NOT NULL LIMIT 4")
    guard found.count > 1 else { return }
    throw GDALError(
      "\(path.printable): the column \(geometry.printable) of \(String(cString: name).printable) has "
        + "geometries with several SRIDs (\(found.sorted().joined(separator: ", "))); read a view "
        + "that transforms them to one SRID", code: .badInput)
  }
}
