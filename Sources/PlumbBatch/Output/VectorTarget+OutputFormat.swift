import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbSources

extension VectorTarget {
  /// - Returns: nil for formats that GDAL does not write.
  /// - Throws: if GDAL lacks the format.
  init?(_ format: OutputFormat, _ file: OutputFile?, _ table: DatabaseTable?) throws {
    if let table {
      self = .table(table)
      return
    }
    guard case .vector(let driverName) = format, let file else { return nil }
    guard let driver = VectorDriver.named(driverName) else {
      throw PlumbError("GDAL has no format \(driverName.printable)", code: .unsupported)
    }
    let path = file.temporaryPath
    let name = path.split(separator: "/").last.map(String.init) ?? "layer"
    self = .file(
      path: path, driver: driver, layer: name.split(separator: ".").first.map(String.init) ?? name)
  }
}

extension OutputFormat {
  /// Chooses the format of an output: that of the table's database, or else the requested format or
  /// the format of the file's extension.
  ///
  /// - Returns: nil if the default format applies.
  /// - Throws: for an unknown format, and an unknown extension.
  static func choose(
    among formats: OutputFormats<OutputFormat>, _ name: String?, output: String?,
    table: DatabaseTable?
  ) throws -> OutputFormat? {
    if table != nil { return .vector(GDALAccess.databaseDriver) }
    return try formats.choose(name.map { try OutputFormat(name: $0) }, output: output)
  }
}
