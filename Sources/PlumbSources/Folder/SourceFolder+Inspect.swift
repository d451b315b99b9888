import PlumbCore
import PlumbGDAL
import PlumbIO

/// Formats whose files are self-contained.
///
/// The lists exclude formats that refer to other files (except VRT, whose list of sources is
/// inspected), formats that access a network, and formats whose libraries open other files named in
/// the file.
private enum PlainFormats {
  static let raster = [
    "GTiff", "COG", "GPKG", "MBTiles", "AAIGrid", "GRASSASCIIGrid", "EHdr", "ENVI", "HFA",
    "SRTMHGT", "PNG", "JPEG", "GIF", "BIGGIF", "BMP", "WEBP", "JP2OpenJPEG", "JP2KAK", "JP2ECW",
    "USGSDEM", "DTED", "XYZ", "GSAG", "GSBG", "GS7BG", "SAGA", "RST", "AIG", "BT", "LCP", "PNM",
    "GRIB", "NTv2", "GTX", "JPEGXL", "VRT",
  ]
  static let vector = [
    "ESRI Shapefile", "GeoJSON", "GeoJSONSeq", "ESRIJSON", "TopoJSON", "GPKG", "SQLite",
    "FlatGeobuf", "GPX", "KML", "LIBKML", "CSV", "OpenFileGDB", "DXF", "OGR_GMT", "JML", "GeoRSS",
    "S57", "OSM", "DGN", "XLSX", "ODS", "Parquet", "Arrow", "PMTiles", "MBTiles",
    "OGR_VRT",
  ]
}

extension SourceFolder {
  /// The drivers that GDAL may use for a file.
  ///
  /// - Throws: if the file, or a file that it refers to, is outside the permitted folder.
  package func access(
    to path: String, as content: SourceInspection.Content
  ) throws(PlumbError) -> GDALAccess {
    guard let boundary else { return .anywhere.isolated() }
    if DatabaseAddress.isAddress(path) {
      guard content == .vector else {
        throw PlumbError("\(path.printable) is a database, which has no rasters")
      }
      return .document(drivers: [GDALAccess.databaseDriver])
    }
    var seen: Set<ByteName> = []
    return .document(drivers: try inspect(path, as: content, depth: 0, seen: &seen))
      .isolated(in: boundary)
  }

  /// The drivers that GDAL may use for a variable of a file of arrays, such as `NETCDF:"era5.nc":t2m`.
  ///
  /// - Throws: if the file is outside the permitted folder, or the kernel cannot limit the files that GDAL reads.
  func access(toArray name: ArrayName) throws(PlumbError) -> GDALAccess {
    guard let boundary else { return .anywhere.isolated() }
    try check(name.file, as: name.file)
    try inspectNeighbours(of: name.file)
    guard GDALAccess.limitsFiles else {
      throw PlumbError(
        "\(name.file.printable) is of a format that may lead outside the map's folder",
        code: .notAllowed, remedies: ["this requires \(.allowOutside)"])
    }
    return .document(drivers: GDALAccess.arrayDrivers).isolated(in: boundary)
  }

  /// The maximum nesting of virtual sources.
  private static let depthLimit = 16
  private static let virtualSizeLimit = 64 << 20

  private func inspect(
    _ path: String, as content: SourceInspection.Content, depth: Int, seen: inout Set<ByteName>
  ) throws(PlumbError) -> [String] {
    try check(path, as: path)
    try inspectNeighbours(of: path)
    var plain = content == .raster ? PlainFormats.raster : PlainFormats.vector
    // Files of arrays are opened only where the kernel limits the files that a helper process reads. A helper process
    // does not open the sources of a virtual source separately.
    if content == .raster, depth == 0, GDALAccess.limitsFiles { plain += GDALAccess.arrayDrivers }
    guard let driver = try driver(of: path, as: content, among: plain, depth) else { return plain }
    if GDALAccess.arrayDrivers.contains(driver) { return GDALAccess.arrayDrivers }
    // Each file is inspected once per folder. A file may have several paths, and the relative names
    // in the file are resolved in the folder of the path.
    let start = realPath(path.folderPrefix.isEmpty ? "." : path.folderPrefix) ?? path.folderPrefix
    guard seen.insert(ByteName((realPath(path) ?? path) + "\0" + start)).inserted else {
      return [driver]
    }
    if driver == "VRT" || driver == "OGR_VRT" {
      try inspectSources(of: path, as: content, depth: depth, seen: &seen)
    }
    let files: [String]
    do throws(GDALError) {
      files = try SourceInspection.files(of: path, as: content, drivers: [driver], in: boundary)
    } catch {
      throw PlumbError(error)
    }
    for file in files {
      // GDAL lists an archive as a file within itself.
      if ["/vsizip/", "/vsigzip/"].contains(where: {
        file.hasBytes(atStart: $0 + path) || file.hasBytes(atStart: $0 + "{" + path + "}")
      }) {
        continue
      }
      guard !Self.isVirtual(file) else { throw Self.refusal(of: path, leadingTo: file) }
      if FileKind(path: file) != nil, !isInside(file) {
        throw Self.refusal(of: path, leadingTo: file, ", outside the map's folder")
      }
    }
    return [driver]
  }

  /// Returns the driver that opens a file; nil if no driver does.
  ///
  /// - Throws: if a driver that is not in `plain` may open the file.
  private func driver(
    of path: String, as content: SourceInspection.Content, among plain: [String], _ depth: Int
  ) throws(PlumbError) -> String? {
    let driver: String?
    var other: String?
    do throws(GDALError) {
      driver = try SourceInspection.driver(of: path, as: content, among: plain, in: boundary)
      if driver == nil {
        other = try SourceInspection.driver(of: path, as: content, in: boundary)
      } else if let driver, depth > 0 {
        // GDAL itself chooses the drivers of a virtual source's sources, so another driver could open this
        // file first.
        other = try SourceInspection.otherDriver(
          of: path, as: content, than: plain, before: driver, in: boundary)
      }
    } catch {
      throw PlumbError(error)
    }
    if let other {
      throw PlumbError(
        "\(path.printable) is of the format \(other.printable), which may lead outside the "
          + "map's folder", code: .notAllowed, remedies: ["this requires \(.allowOutside)"])
    }
    guard driver != nil || depth == 0 else {
      throw PlumbError("\(path.printable) has a format that a virtual source may not refer to")
    }
    return driver
  }

  private static func refusal(
    of path: String, leadingTo other: String, _ where: String = ""
  ) -> PlumbError {
    // The text may be a long description of a source.
    let shown = other.printable
    let name = shown.utf8.count > 200 ? String(shown.prefix(80)) + "…" : shown
    return PlumbError(
      "\(path.printable) leads to \(name)\(`where`)", code: .notAllowed,
      remedies: ["this requires \(.allowOutside)"])
  }

  /// Checks, by name and first bytes, the neighbouring files that GDAL treats as parts of a file.
  func inspectNeighbours(of path: String) throws(PlumbError) {
    if let fault = SideFile.archiveFault(path) { throw PlumbError(fault) }
    var files = SideFile.list(besides: path)
    if FileKind(path: path) == .folder {
      files += folderEntries(path).map { path + "/" + $0 }.filter { FileKind(path: $0) != nil }
    }
    for file in files {
      if let fault = SideFile.fault(of: file) {
        throw PlumbError(fault, code: .notAllowed, remedies: ["this requires \(.allowOutside)"])
      }
    }
  }

  private func isInside(_ path: String) -> Bool {
    do throws(PlumbError) {
      try check(path, as: path)
      return true
    } catch {
      return false
    }
  }

  private func inspectSources(
    of path: String, as content: SourceInspection.Content, depth: Int, seen: inout Set<ByteName>
  ) throws(PlumbError) {
    guard depth < Self.depthLimit else {
      throw PlumbError("\(path.printable) nests virtual sources too deeply")
    }
    guard DocumentFile.size(of: path) ?? .max <= Self.virtualSizeLimit else {
      throw PlumbError("\(path.printable) is too large for a list of sources")
    }
    let sources: [VirtualSource]
    do throws(GDALError) {
      sources = try VirtualSource.list(inFile: path)
    } catch {
      throw PlumbError(
        messageTemplate: "\(error.message), which needs \(.allowOutside)", code: .notAllowed,
        cause: error)
    }
    let folders = Set([path, realPath(path) ?? path].map { ByteName($0.folderPrefix) })
      .map(\.text).sorted()
    for source in sources {
      for point in try paths(of: source, in: path, from: folders) {
        if source.isRaw {
          // A source of raw bytes contains only cells, and cannot refer to other files.
          guard FileKind(path: point) == .file else {
            throw Self.refusal(of: path, leadingTo: source.text)
          }
        } else {
          _ = try inspect(point, as: content, depth: depth + 1, seen: &seen)
        }
      }
    }
  }

  /// Returns the files and folders to which a source in a virtual source refers.
  ///
  /// - Throws: for any other name, because it is unknown how GDAL would interpret the name.
  private func paths(
    of source: VirtualSource, in path: String, from folders: [String]
  ) throws(PlumbError) -> [String] {
    let points = source.paths(from: folders)
    guard Self.isPlain(source.text), !points.contains(where: Self.isVirtual) else {
      throw Self.refusal(of: path, leadingTo: source.text)
    }
    let files = points.filter { FileKind(path: $0) != nil }
    for file in files where !isInside(file) {
      throw Self.refusal(of: path, leadingTo: source.text, ", outside the map's folder")
    }
    guard !files.isEmpty else {
      throw PlumbError(
        "\(path.printable) leads to \(source.text.printable), which is not a file of the map's "
          + "folder", code: .notFound)
    }
    return files
  }

  /// Whether a string can only be a path, because no driver interprets its leading characters or
  /// quotes.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last, first > 0x20, last > 0x20,
      !"<{[(\"'@\\".utf8.contains(first)
    else { return false }
    return !isVirtual(text) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
