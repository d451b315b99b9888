import CGDAL
import PlumbCore
import PlumbGeometry

/// What a path is for GDAL, and where else it leads, found out before it is opened for good.
package enum SourceInspection {
  package enum Content: Sendable, Hashable {
    case raster, vector

    fileprivate var flag: UInt32 { UInt32(content) }

    fileprivate var content: Int32 { self == .raster ? GDAL_OF_RASTER : GDAL_OF_VECTOR }
  }

  /// The driver that knows a path by its name and first bytes, of some or of all.
  ///
  /// - Parameter folder: the only folder that a helper process reads for it; nil for all.
  /// - Throws: when the helper that is asked crashed or cannot be had.
  package static func driver(
    of path: String, as content: Content, among drivers: [String]? = nil, in folder: String? = nil
  ) throws(GDALError) -> String? {
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder)
    switch try SourceRoute.route(path, content.content, access) {
    case .here(let access):
      return SourceRoute.driver(of: path, content.flag, among: access.drivers, access)
    case .helper:
      var answer = try HelperSource.ask(.driver, path, access) { $0.put(content == .raster) }
      return try answer.take()
    }
  }

  /// The driver outside of a list that GDAL, free to choose, may give a path to; nil for none.
  ///
  /// What a VRT names is opened by whichever driver comes first, and some only find out by opening.
  ///
  /// - Parameters:
  ///   - driver: the one of the list that takes the path.
  ///   - folder: the only folder that a helper process reads for it; nil for all.
  /// - Throws: when the helper that is asked crashed or cannot be had.
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
      // The one of derived rasters takes names alone, and a file has none of those.
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

  /// The files that a source consists of, as far as its driver tells, and the other rasters that it
  /// takes its points from; none when it does not open.
  ///
  /// - Parameter folder: the only folder that a helper process reads for it; nil for all.
  /// - Throws: when it has a reference that leads to another file.
  package static func files(
    of path: String, as content: Content, drivers: [String]?, in folder: String? = nil
  ) throws(GDALError) -> [String] {
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder)
    switch try SourceRoute.route(path, content.content, access) {
    case .here(let access): return try ownFiles(of: path, as: content, access)
    case .helper:
      var answer = try HelperSource.ask(.files, path, access) { $0.put(content == .raster) }
      return try answer.take()
    }
  }

  static func ownFiles(
    of path: String, as content: Content, _ access: GDALAccess
  ) throws(GDALError) -> [String] {
    try GDALLibrary.load()
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    if let fault = SideFile.openingFault(path, access) { throw fault }
    let flags = content.flag | UInt32(GDAL_OF_READONLY)
    let opened = FaultLine.opening(path, flags, among: access.drivers) {
      withNames(access.drivers) { GDALOpenEx(path, flags, $0, nil, nil) }
    }
    guard let dataset = opened else {
      return []
    }
    defer { GDALClose(dataset) }
    if content == .raster, let file = fileNamed(inReferencesOf: dataset) {
      throw .refusal(of: path, "its reference names \(file.printable)")
    }
    var files: [String] = []
    // Asked for the list, GDAL would open this one.
    if let overviews = GDALGetMetadataItem(dataset, "OVERVIEW_FILE", "OVERVIEWS") {
      let name = String(cString: overviews)
      let own = ":::BASE:::"
      let isOwn = name.hasBytes(atStart: own)
      let rest = String(decoding: name.utf8.dropFirst(own.utf8.count), as: UTF8.self)
      let file = isOwn ? path.folderPrefix + rest : name
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

  /// What else than itself a TIFF behind a URL would have GDAL open; nil where there is nothing.
  ///
  /// - Parameter mask: the name of the file of its mask.
  static func elsewhere(of dataset: GDALDatasetH, mask: String?) -> String? {
    if let mask {
      let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY)
      let alone = withNames(["GTiff"]) { drivers in
        withNames([]) { GDALOpenEx(mask, flags, drivers, nil, $0) }
      }
      guard let alone else { return "a mask that is no TIFF" }
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

  /// The file that a raster's references lead to; nil where they lead nowhere else.
  private static func fileNamed(inReferencesOf dataset: GDALDatasetH) -> String? {
    var texts = [GDALGetSpatialRef(dataset), GDALGetGCPSpatialRef(dataset)].map {
      $0.flatMap { wktText($0) }
    }
    texts.append(item("SRS", "GEOLOCATION", of: dataset))
    return ThreadAccess.current.referenceWall?.file
      ?? texts.lazy.compactMap { $0.flatMap { SpatialReference.file(namedIn: $0) } }.first
  }

  /// The names of a source's layers of features, in its order.
  ///
  /// - Throws: when it does not open.
  package static func layerNames(
    of path: String, access: GDALAccess
  ) throws(GDALError) -> [String] {
    let route = try SourceRoute.route(path, GDAL_OF_VECTOR, access)
    guard case .here(let access) = route else {
      var answer = try HelperSource.ask(.layerNames, path, access)
      return try answer.take()
    }
    try GDALLibrary.load()
    let stay = try access.enterToOpen()
    defer { stay.leave() }
    if let fault = SideFile.openingFault(path, access) { throw fault }
    CPLErrorReset()
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR)
    let opened = FaultLine.opening(path, flags, among: access.drivers) {
      withNames(access.drivers) { GDALOpenEx(path, flags, $0, nil, nil) }
    }
    guard let dataset = opened else {
      throw GDALError(GDALLibrary.lastError("\(path.printable) does not open"))
    }
    defer { GDALClose(dataset) }
    return (0..<GDALDatasetGetLayerCount(dataset)).compactMap { index in
      GDALDatasetGetLayer(dataset, index).flatMap { OGR_L_GetName($0) }.map { String(cString: $0) }
    }
  }

  /// Whether a path holds features and no cells.
  ///
  /// - Throws: when the helper process that is asked crashed or cannot be had.
  package static func isVectorOnly(
    _ path: String, access: GDALAccess
  ) throws(GDALError) -> Bool {
    let route = try SourceRoute.route(path, GDAL_OF_RASTER | GDAL_OF_VECTOR, access)
    guard case .here(let access) = route else {
      var answer = try HelperSource.ask(.isVectorOnly, path, access)
      return try answer.take()
    }
    GDALLibrary.start()
    let stay = access.enter()
    defer { stay.leave() }
    if SideFile.openingFault(path, access) != nil { return false }
    let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_READONLY)
    let opened = FaultLine.opening(path, flags, among: access.drivers) {
      withNames(access.drivers) { GDALOpenEx(path, flags, $0, nil, nil) }
    }
    guard let dataset = opened else {
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
