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

/// Opens GeoTIFFs that say all of themselves without GDAL, which takes longer to load than a cell to
/// read.
///
/// GDAL is asked as soon as anything beside a file, in the environment or in GDAL's own configuration could
/// make it say something else.
enum PlainRaster {
  /// - Parameters:
  ///   - path: a file of this machine.
  ///   - access: what GDAL may use for the file when it has to be asked after all.
  ///   - neighbours: what lies beside it.
  /// - Returns: nil for a file that is GDAL's to open.
  static func open(
    _ path: String, _ access: GDALAccess?, _ neighbours: FolderNames
  ) -> TIFFTileSource? {
    guard endings.contains(where: { path.hasSuffix($0) }), FileKind(path: path) == .file,
      !GDALSettings.areChanged, !neighbours.hasSideFiles(path),
      let plain = PlainTIFF(path: path)
    else { return nil }
    let general = LazyValue { () -> RasterProfile? in
      try? GDALRasterSource(path: path, access: access).profile
    }
    let reference: (text: LazyText, period: LazyValue<Double?>)
    if let code = plain.geoKeys.code, let known = SpatialReference.common("EPSG:\(code)") {
      reference = (LazyText(known.definition), LazyValue(known.isGeographic ? 360 : nil))
    } else {
      let keys = plain.geoKeys.signature
      let meaning = LazyValue { KnownKeys.shared.meaning(of: keys) { general.value } }
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

  private static let endings = [".tif", ".tiff", ".TIF", ".TIFF"]
}

/// A raster that GDAL opens when a cell is asked that only it can read.
private final class DeferredGDALSource: TileSource {
  let path: String
  let profile: RasterProfile
  let route = "GDAL"
  var files: [String] { [path] }
  private let open: @Sendable () throws -> GDALRasterSource
  /// Nil where it does not open, and where there are no overviews.
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

/// The references that keys of GeoTIFFs have been found to stand for, by GDAL, once for all files that
/// have the same keys.
private final class KnownKeys: Sendable {
  struct Meaning: Sendable {
    var reference: String?
    var longitudePeriod: Double?
  }

  static let shared = KnownKeys()
  /// More are not kept.
  private static let most = 1000
  private let known = Mutex<[[UInt8]: Meaning]>([:])

  func meaning(of keys: [UInt8], _ profile: () -> RasterProfile?) -> Meaning {
    if let meaning = known.withLock({ $0[keys] }) { return meaning }
    let found = profile()
    let meaning = Meaning(
      reference: found?.reference, longitudePeriod: found?.longitudePeriod)
    // That of a document may be refused, and known of another file.
    if found?.reference != nil {
      known.withLock { if $0.count < Self.most { $0[keys] = meaning } }
    }
    return meaning
  }
}

/// The names in folders: each folder read once for many files, or looked through for one.
package final class FolderNames: Sendable {
  private let isForMany: Bool
  /// By folder, then by what stands before a name's first dot, in small letters. Not in a Mutex, for
  /// whose futex threads of a forked process may wait without end.
  private let folders = WaitableState<[String: [String: [String]]]>([:])

  /// Endings that no side file of a TIFF has: other data of the same name.
  private static let unrelated: Set<String> = [
    "tif", "tiff", "hgt", "csv", "tsv", "geojson", "json", "gpkg", "shp", "shx", "png", "jpg",
    "jpeg", "md", "zip", "gz", "nc", "parquet",
  ]

  /// - Parameter isForMany: whether it is asked for more than one file of a folder.
  package init(forMany isForMany: Bool = false) { self.isForMany = isForMany }

  /// Whether a file beside another has its name and may say something of it.
  package func hasSideFiles(_ path: String) -> Bool {
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

/// Whether the user has told GDAL to read TIFFs in another way than it does by itself.
private enum GDALSettings {
  /// Found out once: GDAL too reads its configuration once.
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

  /// Settings of the network, which rasterio's wheel makes in each process, say nothing of a file.
  private static func isHarmless(_ name: Substring) -> Bool {
    name.hasPrefix("GDAL_CURL_") || name.hasPrefix("GDAL_HTTP_") || harmless.contains(String(name))
  }
}
