import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbSources

/// Formats whose files hold all they say.
///
/// Left out are those that name other files (but VRT, whose list of sources is read), that fetch
/// from a network, or whose libraries open what a file tells them to.
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

extension DocumentFolder {
  /// What GDAL may use for a file.
  ///
  /// - Throws: when the file, or one that it leads to, lies where the map may not look.
  package func access(
    to path: String, as content: SourceInspection.Content
  ) throws(PlumbError) -> GDALAccess {
    guard boundary != nil else { return .anywhere }
    var seen: Set<String> = []
    return .document(drivers: try inspect(path, as: content, depth: 0, seen: &seen))
  }

  /// Virtual sources within virtual sources.
  private static let depthLimit = 16
  private static let virtualSizeLimit = 64 << 20

  private func inspect(
    _ path: String, as content: SourceInspection.Content, depth: Int, seen: inout Set<String>
  ) throws(PlumbError) -> [String] {
    try check(path, as: path)
    try inspectNeighbours(of: path)
    let plain = content == .raster ? PlainFormats.raster : PlainFormats.vector
    guard let driver = SourceInspection.driver(of: path, as: content, among: plain) else {
      if let other = SourceInspection.driver(of: path, as: content) {
        throw PlumbError(
          "\(path.printable) is of the format \(other.printable), which may lead outside the "
            + "map's folder", code: .notAllowed, remedies: ["it needs \(.allowOutside)"])
      }
      return plain
    }
    guard seen.insert(path).inserted else { return [driver] }
    if driver == "VRT" || driver == "OGR_VRT" {
      try inspectSources(of: path, as: content, depth: depth, seen: &seen)
    }
    let files: [String]
    do throws(GDALError) {
      files = try SourceInspection.files(of: path, as: content, drivers: [driver])
    } catch {
      throw PlumbError(error)
    }
    for file in files {
      // Inside an archive that is the file itself.
      if ["/vsizip/", "/vsigzip/"].contains(where: {
        file.hasPrefix($0 + path) || file.hasPrefix($0 + "{" + path + "}")
      }) {
        continue
      }
      guard !Self.isVirtual(file) else {
        throw PlumbError(
          "\(path.printable) leads to \(file.printable)", code: .notAllowed,
          remedies: ["it needs \(.allowOutside)"])
      }
      if FileKind(path: file) != nil, !isInside(file) {
        throw PlumbError(
          "\(path.printable) leads to \(file.printable), outside the map's folder",
          code: .notAllowed, remedies: ["it needs \(.allowOutside)"])
      }
    }
    return [driver]
  }

  /// Looks at the files beside a file that GDAL takes for parts of it, by name and first bytes.
  private func inspectNeighbours(of path: String) throws(PlumbError) {
    if let fault = SideFile.archiveFault(path) { throw PlumbError(fault) }
    var files = SideFile.list(besides: path)
    if FileKind(path: path) == .folder {
      files += folderEntries(path).map { path + "/" + $0 }.filter { FileKind(path: $0) != nil }
    }
    for file in files {
      if let fault = SideFile.fault(of: file) {
        throw PlumbError(fault, code: .notAllowed, remedies: ["it needs \(.allowOutside)"])
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
    of path: String, as content: SourceInspection.Content, depth: Int, seen: inout Set<String>
  ) throws(PlumbError) {
    guard depth < Self.depthLimit else {
      throw PlumbError("\(path.printable) nests virtual sources too deep")
    }
    guard DocumentFile.size(of: path) ?? .max <= Self.virtualSizeLimit else {
      throw PlumbError("\(path.printable) is too large for a list of sources")
    }
    let sources: [VirtualSource]
    do throws(GDALError) {
      sources = try VirtualSource.list(inFile: path)
    } catch {
      throw PlumbError(
        wording: "\(error.message), which needs \(.allowOutside)", code: .notAllowed,
        cause: error)
    }
    // GDAL starts from the file behind a link, or from the link, as the format has it.
    let starts = [path, realPath(path) ?? path].map { start in
      start.lastIndex(of: "/").map { String(start[...$0]) } ?? ""
    }
    for source in sources {
      let isAbsolute = source.text.hasPrefix("/")
      let points =
        isAbsolute || !source.isRelative
        ? [source.text] : Set(starts).sorted().map { $0 + source.text }
      for point in points {
        guard !Self.isVirtual(source.text), !Self.isVirtual(point) else {
          throw PlumbError(
            "\(path.printable) leads to \(source.text.printable)", code: .notAllowed,
            remedies: ["it needs \(.allowOutside)"])
        }
        // GDAL says what it misses.
        guard FileKind(path: point) != nil else { continue }
        guard isInside(point) else {
          throw PlumbError(
            "\(path.printable) leads to \(source.text.printable), outside the map's folder",
            code: .notAllowed, remedies: ["it needs \(.allowOutside)"])
        }
        _ = try inspect(point, as: content, depth: depth + 1, seen: &seen)
      }
    }
  }
}
