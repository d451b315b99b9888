import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster
import PlumbTIFF
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens a GeoTIFF without GDAL if it needs no other files, because loading GDAL takes longer than
/// reading a cell.
///
/// GDAL is used if a side file, the environment or GDAL's own configuration could change the interpretation
/// of the file.
enum PlainRaster {
  /// - Parameters:
  ///   - path: a local file.
  ///   - access: the resources that GDAL may use for the file if GDAL is needed.
  ///   - neighbours: the names of the files in the raster's folder.
  /// - Returns: nil for a file that GDAL has to open.
  static func open(
    _ path: String, _ access: GDALAccess?, _ neighbours: FolderNames
  ) -> TIFFTileSource? {
    guard let plain = layout(of: path, neighbours) else { return nil }
    let reference: (text: LazyText, period: LazyValue<Double?>)
    if let known = commonReference(of: plain) {
      reference = (LazyText(known.definition), LazyValue(known.isGeographic ? 360 : nil))
    } else {
      let keys = plain.geoKeys.signature
      let meaning = LazyValue {
        KnownKeys.shared.meaning(of: keys) {
          try GDALRasterSource(path: path, access: access).profile
        }
      }
      reference = (
        LazyValue { meaning.value.reference }, LazyValue { meaning.value.longitudePeriod }
      )
    }
    let other = DeferredGDALSource(
      path: path, profile: plain.profile(reference: reference.text, period: reference.period),
      hasOverviews: plain.hasOverviews
    ) { try GDALRasterSource(path: path, access: access) }
    return TIFFTileSource(
      path: path, other: other, largestTile: GDALRasterSource.largestTile)
  }

  /// Whether Plumb itself opens a file as a GeoTIFF, and the file does not refer to other files. The CRS must
  /// have a common EPSG code, because any other definition of a CRS may name a file.
  static func isSelfContained(_ path: String) -> Bool {
    layout(of: path, FolderNames()).flatMap { commonReference(of: $0) } != nil
  }

  private static func commonReference(of plain: PlainTIFF) -> SpatialReference? {
    plain.geoKeys.code.flatMap { SpatialReference.common("EPSG:\($0)") }
  }

  private static func layout(of path: String, _ neighbours: FolderNames) -> PlainTIFF? {
    guard endings.contains(where: { path.hasSuffix($0) }), FileKind(path: path) == .file,
      !GDALSettings.areChanged, !neighbours.hasSideFiles(path)
    else { return nil }
    return PlainTIFF(path: path)
  }

  private static let endings = [".tif", ".tiff", ".TIF", ".TIFF"]
}

extension SourceFolder {
  /// The drivers that GDAL may use for a raster. GDAL is not loaded for a GeoTIFF that does not refer to other
  /// files.
  ///
  /// - Throws: if the raster, or a file that it refers to, is outside the permitted folder.
  package func access(toRaster path: String) throws(PlumbError) -> GDALAccess {
    let array = ArrayName(path)
    if array.array != nil { return try access(toArray: array) }
    if let boundary, !DatabaseAddress.isAddress(path) {
      try check(path, as: path)
      try inspectNeighbours(of: path)
      if PlainRaster.isSelfContained(path) {
        return .document(drivers: ["GTiff"]).isolated(in: boundary)
      }
    }
    return try access(to: path, as: .raster)
  }
}

/// A raster that GDAL opens only when it is needed to read a requested cell.
private final class DeferredGDALSource: TileSource {
  let path: String
  let profile: RasterProfile
  let route = "GDAL"
  var files: [String] { [path] }
  private let open: @Sendable () throws -> GDALRasterSource
  /// The source of overviews; nil if the raster cannot be opened, or has no overviews.
  private let overviews: LazyValue<GDALRasterSource?>

  init(
    path: String, profile: RasterProfile, hasOverviews: Bool,
    open: @escaping @Sendable () throws -> GDALRasterSource
  ) {
    self.path = path
    self.profile = profile
    self.open = open
    overviews = hasOverviews ? LazyValue { try? open() } : LazyValue(nil)
  }

  func overview(atMost factor: Double) -> (any TileSource)? {
    overviews.value?.overview(atMost: factor)
  }

  func makeReader() throws(RasterError) -> any TileReader {
    do {
      return try open().makeReader()
    } catch {
      throw RasterError(error)
    }
  }
}

/// A cache of the CRSs that GDAL determines from GeoTIFF keys, with one entry for all files with the
/// same keys.
private final class KnownKeys: Sendable {
  struct Meaning: Sendable {
    var reference: String?
    var longitudePeriod: Double?
  }

  static let shared = KnownKeys()
  /// The maximum number of entries.
  private static let maximumCount = 1000
  private let known = Mutex<[[UInt8]: Meaning]>([:])

  func meaning(of keys: [UInt8], _ profile: () throws -> RasterProfile) -> Meaning {
    if let meaning = known.withLock({ $0[keys] }) { return meaning }
    let meaning: Meaning
    do {
      let found = try profile()
      meaning = Meaning(reference: found.reference, longitudePeriod: found.longitudePeriod)
    } catch {
      return Meaning(
        reference: SpatialReference.unreadable(because: PlumbError.message(of: error)))
    }
    // A missing CRS is not cached, because a CRS that is rejected in a document may be accepted for another
    // file.
    if meaning.reference != nil {
      known.withLock { if $0.count < Self.maximumCount { $0[keys] = meaning } }
    }
    return meaning
  }
}

/// The names of the files in folders. If there are many files, each folder is listed once; for a single file,
/// its folder is searched.
package final class FolderNames: Sendable {
  private let isForMany: Bool
  /// The names by folder, then by the part of a name before its first dot, in lower case. The type
  /// is not `Mutex`, because threads of a forked process could wait for a mutex forever.
  private let folders = WaitableState<[String: [String: [String]]]>([:])

  /// The extensions of other data with the same stem, which are not side files of a TIFF.
  private static let unrelated: Set<String> = [
    "tif", "tiff", "hgt", "csv", "tsv", "geojson", "json", "gpkg", "shp", "shx", "png", "jpg",
    "jpeg", "md", "zip", "gz", "nc", "parquet",
  ]

  /// - Parameter isForMany: whether the names are used for more than one file of a folder.
  package init(forMany isForMany: Bool = false) { self.isForMany = isForMany }

  /// Whether there is a file with the same stem that may be a side file.
  func hasSideFiles(_ path: String) -> Bool {
    guard isForMany else { return SideFile.list(besides: path).contains(where: Self.isSideFile) }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "./"
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let start = Self.start(of: name)
    let others = folders.withLock { folders in
      if folders[folder] == nil {
        folders[folder] = Dictionary(grouping: folderEntries(folder)) { Self.start(of: $0) }
      }
      return folders[folder]?[start] ?? []
    }
    return others.contains { $0 != name && Self.isSideFile($0) }
  }

  private static func isSideFile(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return !unrelated.contains(name[name.index(after: dot)...].lowercased())
  }

  private static func start(of name: String) -> String {
    name.prefix { $0 != "." }.lowercased()
  }
}

/// Whether the user has changed GDAL settings that affect the reading of TIFFs.
private enum GDALSettings {
  /// Whether settings are changed; computed once, because GDAL also reads its configuration once.
  static let areChanged: Bool = {
    var next = environ
    while let entry = next.pointee {
      next += 1
      let text = String(cString: entry)
      let name = text.prefix { $0 != "=" }
      if prefixes.contains(where: { name.hasPrefix($0) }), !isHarmless(name) { return true }
    }
    let home = getenv("HOME").map { String(cString: $0) + "/.gdal/gdalrc" }
    return ["/etc/gdal/gdalrc", home].contains { $0.map { FileKind(path: $0) != nil } ?? false }
  }()

  private static let prefixes = ["GDAL_", "GTIFF_", "GEOTIFF_", "TIFF_", "ESRI_", "OSR_"]
  private static let harmless: Set<String> = [
    "GDAL_DATA", "GDAL_CACHEMAX", "GDAL_NUM_THREADS", "GDAL_DRIVER_PATH", "GDAL_VERSION",
    "GDAL_MAX_DATASET_POOL_SIZE",
  ]

  /// Whether a setting does not affect files, such as the network settings that rasterio's wheel
  /// sets in each process.
  private static func isHarmless(_ name: Substring) -> Bool {
    name.hasPrefix("GDAL_CURL_") || name.hasPrefix("GDAL_HTTP_") || harmless.contains(String(name))
  }
}
