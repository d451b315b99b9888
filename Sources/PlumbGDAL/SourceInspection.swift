import CGDAL
import PlumbCore

/// What a path is for GDAL, and where else it leads, found out before it is opened for good.
public enum SourceInspection {
  public enum Content: Sendable, Hashable {
    case raster, vector

    fileprivate var flag: UInt32 {
      UInt32(self == .raster ? GDAL_OF_RASTER : GDAL_OF_VECTOR)
    }
  }

  /// The driver that knows a path by its name and first bytes, of some or of all.
  public static func driver(
    of path: String, as content: Content, among drivers: [String]? = nil
  ) -> String? {
    GDALLibrary.start()
    let driver = withNames(drivers) { GDALIdentifyDriverEx(path, content.flag, $0, nil) }
    return driver.flatMap { GDALGetDriverShortName($0) }.map { String(cString: $0) }
  }

  /// The files that a source consists of, as far as its driver tells, and the other rasters that it
  /// takes its places from; none when it does not open.
  public static func files(of path: String, as content: Content, drivers: [String]?) -> [String] {
    GDALLibrary.start()
    let flags = content.flag | UInt32(GDAL_OF_READONLY)
    guard let dataset = withNames(drivers, { GDALOpenEx(path, flags, $0, nil, nil) }) else {
      return []
    }
    defer { GDALClose(dataset) }
    var files: [String] = []
    let list = GDALGetFileList(dataset)
    defer { CSLDestroy(list) }
    var next = list
    while let file = next?.pointee {
      files.append(String(cString: file))
      next = next?.advanced(by: 1)
    }
    for key in ["X_DATASET", "Y_DATASET"] {
      if let file = GDALGetMetadataItem(dataset, key, "GEOLOCATION") {
        files.append(String(cString: file))
      }
    }
    return files
  }

  /// The tables of a SQLite file that an extension makes up, of other files perhaps; those of
  /// SQLite's own indexes are left out.
  public static func virtualTables(of path: String, drivers: [String]?) -> [String] {
    GDALLibrary.start()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let dataset = withNames(drivers, { GDALOpenEx(path, flags, $0, nil, nil) }) else {
      return []
    }
    defer { GDALClose(dataset) }
    let query =
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%virtual%table%'"
    guard let rows = GDALDatasetExecuteSQL(dataset, query, nil, nil) else { return [] }
    defer { GDALDatasetReleaseResultSet(dataset, rows) }
    var names: [String] = []
    while let row = OGR_L_GetNextFeature(rows) {
      defer { OGR_F_Destroy(row) }
      let words = String(cString: OGR_F_GetFieldAsString(row, 1)).lowercased()
        .split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      guard words.starts(with: ["create", "virtual", "table"]) else { continue }
      let own: Set<Substring> = ["rtree", "rtree_i32", "fts3", "fts4", "fts5"]
      // The module stands right behind `using`, and so does no other word of that name.
      let modules = zip(words, words.dropFirst()).filter { $0.0 == "using" }.map(\.1)
      if modules.count != 1 || !own.contains(modules[0]) {
        names.append(String(cString: OGR_F_GetFieldAsString(row, 0)))
      }
    }
    return names
  }

  /// Whether a path holds features and no cells.
  public static func isVectorOnly(_ path: String, drivers: [String]?) -> Bool {
    GDALLibrary.start()
    let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let dataset = withNames(drivers, { GDALOpenEx(path, flags, $0, nil, nil) }) else {
      return false
    }
    defer { GDALClose(dataset) }
    return GDALGetRasterCount(dataset) == 0 && GDALDatasetGetLayerCount(dataset) > 0
  }
}

/// Calls `body` with names as the list that GDAL takes; nil for nil.
func withNames<Result>(
  _ names: [String]?, _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  guard let names else { return body(nil) }
  var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  for name in names { list = CSLAddString(list, name) }
  defer { CSLDestroy(list) }
  guard let list else {
    // An empty list allows nothing.
    var end: UnsafePointer<CChar>?
    return withUnsafePointer(to: &end) { body($0) }
  }
  return list.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: names.count + 1) {
    body($0)
  }
}
