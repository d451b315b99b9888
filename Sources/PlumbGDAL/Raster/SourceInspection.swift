import CGDAL
import PlumbCore
import PlumbGeometry

/// Inspects a path before it is opened for reading. Determines its GDAL driver and kind, and the
/// other files that it refers to.
package enum SourceInspection {
  package enum Content: Sendable, Hashable {
    case raster, vector

    fileprivate var flag: UInt32 { UInt32(content) }

    fileprivate var content: Int32 { self == .raster ? GDAL_OF_RASTER : GDAL_OF_VECTOR }
  }

  /// The driver, among the given drivers or all drivers, that recognizes a path by its name and
  /// first bytes.
  ///
  /// - Parameter folder: the only folder in which a helper process may read files for the path; nil
  ///   for all folders.
  /// - Throws: if the helper process crashed or is not available.
  package static func driver(
    of path: String, as content: Content, among drivers: [String]? = nil, in folder: String? = nil
  ) throws(GDALError) -> String? {
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder)
    switch try SourceRoute.route(path, content.content, access) {
    case .inProcess(let access):
      return SourceRoute.driver(of: path, content.flag, among: access.drivers, access)
    case .helper:
      var reply = try HelperSource.send(.driver, path, access) { $0.put(content == .raster) }
      return try reply.read()
    }
  }

  /// A driver that is not in a list but that GDAL may choose for a path if all drivers are allowed;
  /// nil if there is none.
  ///
  /// GDAL opens each source of a VRT with the first driver that accepts it. Some drivers accept or
  /// reject a file only when they open it.
  ///
  /// - Parameters:
  ///   - driver: the driver in the list that recognizes the path.
  ///   - folder: the only folder in which a helper process may read files for the path; nil for all
  ///     folders.
  /// - Throws: if the helper process crashed or is not available.
  package static func otherDriver(
    of path: String, as content: Content, than drivers: [String], before driver: String,
    in folder: String? = nil
  ) throws(GDALError) -> String? {
    GDALLibrary.start()
    let category = content == .raster ? "DCAP_RASTER" : "DCAP_VECTOR"
    var earlier: [String] = []
    for index in 0..<GDALGetDriverCount() {
      guard let handle = GDALGetDriver(index), let name = GDALGetDriverShortName(handle) else {
        continue
      }
      let text = String(cString: name)
      if text == driver { break }
      // The driver of derived rasters opens only special names and not files.
      guard GDALGetMetadataItem(handle, category, nil) != nil, !drivers.contains(text),
        text != "DERIVED"
      else {
        continue
      }
      earlier.append(text)
    }
    return earlier.isEmpty
      ? nil : try self.driver(of: path, as: content, among: earlier, in: folder)
  }

  /// The files of a source that its driver reports, and the rasters of its geolocation arrays;
  /// empty if the source cannot be opened.
  ///
  /// - Parameter folder: the only folder in which a helper process may read files for the path; nil
  ///   for all folders.
  /// - Throws: if the CRS of the source refers to another file.
  package static func files(
    of path: String, as content: Content, drivers: [String]?, in folder: String? = nil
  ) throws(GDALError) -> [String] {
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder)
    switch try SourceRoute.route(path, content.content, access) {
    case .inProcess(let access): return try filesOfSource(of: path, as: content, access)
    case .helper:
      var reply = try HelperSource.send(.files, path, access) { $0.put(content == .raster) }
      return try reply.read()
    }
  }

  static func filesOfSource(
    of path: String, as content: Content, _ access: GDALAccess
  ) throws(GDALError) -> [String] {
    try GDALLibrary.load()
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    if let fault = SideFile.openingFault(path, access) { throw fault }
    let flags = content.flag | UInt32(GDAL_OF_READONLY)
    guard let dataset = openDataset(path, flags, access.drivers) else {
      return []
    }
    defer { GDALClose(dataset) }
    if content == .raster, let file = fileNamed(inReferencesOf: dataset) {
      throw .refusal(of: path, "its CRS names \(file.printable)")
    }
    var files: [String] = []
    // The overview file is checked first, because GDAL would open it to list its files.
    if let overviews = GDALGetMetadataItem(dataset, "OVERVIEW_FILE", "OVERVIEWS") {
      let name = String(cString: overviews)
      let prefix = ":::BASE:::"
      let hasPrefix = name.hasBytes(atStart: prefix)
      let rest = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      let file = hasPrefix ? path.folderPrefix + rest : name
      guard SideFile.isPlainOverview(file) else { return ["overview:" + file] }
      files.append(file)
    }
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

  /// Another file that GDAL would open for a TIFF at a URL; nil if the TIFF does not refer to other
  /// files.
  ///
  /// - Parameter mask: the name of the TIFF's mask file; nil if it has none.
  static func elsewhere(of dataset: GDALDatasetH, mask: String?) -> String? {
    if let mask {
      let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY)
      let alone = withNames(["GTiff"]) { drivers in
        withNames([]) { GDALOpenEx(mask, flags, drivers, nil, $0) }
      }
      guard let alone else { return "a mask that is not a TIFF" }
      defer { GDALClose(alone) }
      if let file = elsewhere(of: alone, mask: nil) { return file }
    }
    if let file = fileNamed(inReferencesOf: dataset) { return file }
    for (key, domain) in [
      ("OVERVIEW_FILE", "OVERVIEWS"), ("X_DATASET", "GEOLOCATION"), ("Y_DATASET", "GEOLOCATION"),
    ] {
      if let file = GDALGetMetadataItem(dataset, key, domain) { return String(cString: file) }
    }
    return nil
  }

  /// The file that the CRS definitions of a raster refer to; nil if they do not refer to a file.
  private static func fileNamed(inReferencesOf dataset: GDALDatasetH) -> String? {
    var texts = [GDALGetSpatialRef(dataset), GDALGetGCPSpatialRef(dataset)].map {
      $0.flatMap { wktText($0) }
    }
    texts.append(item("SRS", "GEOLOCATION", of: dataset))
    return ThreadAccess.current.projRestriction?.file
      ?? texts.lazy.compactMap { $0.flatMap { SpatialReference.file(namedIn: $0) } }.first
  }

  /// The names of a source's feature layers, in the source's order.
  ///
  /// - Throws: when the source cannot be opened.
  package static func layerNames(
    of path: String, access: GDALAccess
  ) throws(GDALError) -> [String] {
    let route = try SourceRoute.route(path, GDAL_OF_VECTOR, access)
    guard case .inProcess(let access) = route else {
      var reply = try HelperSource.send(.layerNames, path, access)
      return try reply.read()
    }
    try GDALLibrary.load()
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    if let fault = SideFile.openingFault(path, access) { throw fault }
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    guard let dataset = openDataset(path, flags, access.drivers) else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) cannot be opened"))
    }
    defer { GDALClose(dataset) }
    return (0..<GDALDatasetGetLayerCount(dataset)).compactMap { index in
      GDALDatasetGetLayer(dataset, index).flatMap { OGR_L_GetName($0) }.map { String(cString: $0) }
    }
  }

  /// Whether a source has features but no cells.
  ///
  /// - Throws: when the helper process crashed or is not available.
  package static func isVectorOnly(
    _ path: String, access: GDALAccess
  ) throws(GDALError) -> Bool {
    let route = try SourceRoute.route(path, GDAL_OF_RASTER | GDAL_OF_VECTOR, access)
    guard case .inProcess(let access) = route else {
      var reply = try HelperSource.send(.isVectorOnly, path, access)
      return try reply.read()
    }
    GDALLibrary.start()
    let stay = access.enter()
    defer { stay.leave() }
    if SideFile.openingFault(path, access) != nil { return false }
    let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let dataset = openDataset(path, flags, access.drivers) else {
      return false
    }
    defer { GDALClose(dataset) }
    return GDALGetRasterCount(dataset) == 0 && GDALDatasetGetLayerCount(dataset) > 0
  }
}

/// Calls `body` with the names as a GDAL string list, or with nil if `names` is nil.
func withNames<Result>(
  _ names: [String]?, _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  guard let names else { return body(nil) }
  var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  for name in names { list = CSLAddString(list, name) }
  defer { CSLDestroy(list) }
  guard let list else {
    // An empty list means that no driver or file is allowed.
    var end: UnsafePointer<CChar>?
    return withUnsafePointer(to: &end) { body($0) }
  }
  return list.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: names.count + 1) {
    body($0)
  }
}
