import CGDAL
import PlumbCore

/// Advice about a file of a known kind that GDAL cannot open directly.
enum UnsupportedFileAdvice {
  /// Returns one line of advice for the user; nil if there is no specific advice.
  static func advice(_ path: String) -> String? {
    guard !NetworkName.leadsToNetwork(path), !path.hasBytes(of: "/vsistdin") else { return nil }
    if path.hasBytes(atStart: archivePrefix) { return archiveAdvice(path, path) }
    let start = firstBytes(of: path)
    if start.starts(with: Array("PK\u{3}\u{4}".utf8)) {
      let hasExtension = path.lowercasedASCII.hasBytes(atEnd: ".zip")
      return archiveAdvice(path, archivePrefix + (hasExtension ? path : "{\(path)}"))
    }
    if start.starts(with: Array("GRIB".utf8)),
      let template = GRIBMessages.first(path: path)?.template
    {
      return "\(path.printable) is a GRIB file that GDAL cannot open; if GDAL does not decode its "
        + "template 5.\(template), convert the file with grib_set -r -s packingType=grid_simple IN OUT"
    }
    for (mark, driver) in [("PAR1", "Parquet"), ("ARROW1", "Arrow")]
    where start.starts(with: Array(mark.utf8)) && GDALGetDriverByName(driver) == nil {
      let isParquet = driver == "Parquet"
      return "\(path.printable) is \(driver), for which this GDAL has no driver"
        + ", and Plumb itself reads it only from local files"
        + ": convert it to a GeoPackage or FlatGeobuf with GeoPandas "
        + "(read_\(isParquet ? "parquet" : "feather") and to_file) or with ogr2ogr of a GDAL that has "
        + "the driver, or give the table to Plumb's Python package"
    }
    return nil
  }

  private static func firstBytes(of path: String) -> [UInt8] {
    guard let file = VSIFOpenL(path, "rb") else { return [] }
    defer { VSIFCloseL(file) }
    var bytes = [UInt8](repeating: 0, count: 8)
    let count = VSIFReadL(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  // MARK: Archives

  private static let archivePrefix = "/vsizip/"

  /// The extensions of files that can be opened as points, features or rasters. Side files have
  /// other extensions.
  private static let endings = [
    ".csv", ".tsv", ".geojson", ".json", ".shp", ".gpkg", ".fgb", ".kml", ".gml", ".gpx", ".tif",
    ".tiff", ".nc", ".vrt",
  ]
  private static let shownCount = 3

  /// - Parameter archive: the path of the archive for GDAL, which begins with `/vsizip/`.
  private static func archiveAdvice(_ path: String, _ archive: String) -> String? {
    let list = VSIReadDirRecursive(archive)
    defer { CSLDestroy(list) }
    var names: [String] = []
    var next = list
    while let name = next?.pointee.map({ String(cString: $0) }) {
      if !name.hasBytes(atEnd: "/") { names.append(name) }
      next = next?.advanced(by: 1)
    }
    let known = names.filter { name in
      let name = name.lowercasedASCII
      return endings.contains { name.hasBytes(atEnd: $0) }
    }
    if !known.isEmpty { names = known }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(shownCount).map { "\(archive)/\($0)".printable }.joined(
      separator: ", ")
    return "\(path.printable) is an archive: name a file in it, for example \(shown)"
      + (names.count > shownCount ? ", …" : "")
  }
}
