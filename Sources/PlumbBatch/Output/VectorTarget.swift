import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// The destination of features that GDAL writes: a new file, or a table of a database.
enum VectorTarget {
  case file(OutputFile, driver: VectorDriver)
  case table(DatabaseTable)

  /// - Returns: nil for formats that GDAL does not write.
  /// - Throws: if GDAL lacks the format.
  init?(_ format: OutputFormat, _ file: OutputFile?, _ table: DatabaseTable?) throws {
    if let table {
      self = .table(table)
      return
    }
    guard case .vector(let name) = format, let file else { return nil }
    guard let driver = VectorDriver.named(name) else {
      throw PlumbError("GDAL has no format \(name.printable)", code: .unsupported)
    }
    self = .file(file, driver: driver)
  }

  /// Creates the layer or the table.
  ///
  /// - Parameter kind: the kind of every row's geometry.
  func writer(
    fields: [VectorField], reference: SpatialReference?, kind: VectorShapeKind
  ) throws -> VectorRowWriter {
    switch self {
    case .file(let file, let driver):
      let name = file.temporaryPath.split(separator: "/").last.map(String.init) ?? "layer"
      return try VectorRowWriter(
        path: file.temporaryPath, driver: driver,
        layer: name.split(separator: ".").first.map(String.init) ?? name, fields: fields,
        reference: reference?.definition, kind: kind)
    case .table(let table):
      return try VectorRowWriter(
        table: table, fields: fields, reference: reference?.definition, kind: kind)
    }
  }
}

extension OutputFormat {
  /// Chooses the format of an output: that of the table's database, or else the requested format or
  /// the format of the file's extension.
  ///
  /// - Returns: nil if the default format applies.
  /// - Throws: for an unknown format, an unknown extension, and a format for a table.
  static func choose(
    among formats: OutputFormats<OutputFormat>, _ name: String?, output: String?,
    table: DatabaseTable?
  ) throws -> OutputFormat? {
    guard table != nil else {
      return try formats.choose(name.map { try OutputFormat(name: $0) }, output: output)
    }
    guard name == nil else {
      throw PlumbError(
        messageTemplate: "\(.format) is for files; \(.table) is a table of a database",
        code: .badOption)
    }
    return .vector(GDALAccess.databaseDriver)
  }
}
