import CGDAL
import PlumbCore
import PlumbIO
import PlumbSandbox

/// The resources that GDAL may use on a thread while it opens and reads a source: drivers, the
/// network, and SQL in SQLite files.
///
/// Process-wide settings are not changed. Other threads use GDAL as the program has configured it,
/// and so does this thread after `Scope.leave()`.
public struct GDALAccess: Sendable, Hashable {
  /// The degree to which a source is trusted.
  package enum Trust: Sendable, Hashable {
    /// No restrictions.
    case full
    /// The user named the source. SQL in the source is restricted.
    case named
    /// A document of unknown origin named the source. Only the source's own files are read.
    case document
  }

  /// The names of the drivers that may open the source; nil for all.
  public var drivers: [String]?
  package var trust: Trust
  package var allowsNetwork: Bool
  /// The settings with which Plumb itself downloads the source if GDAL must not use a network. The source is
  /// a remote TIFF with its side files, or a remote Parquet file.
  package var fetching: HTTPSettings?
  /// Whether rasters are read in a helper process unless their format is in a short list. Features
  /// are always read in a helper process.
  package var isIsolated = false
  /// Whether this process may read HDF5, NetCDF and Zarr sources that a document names. If false, a helper
  /// process reads these sources, because they may refer to other files.
  package var readsArrays = false
  /// The only folder in which a helper process may read files for the source; nil for all folders.
  package var folder: String?

  /// Whether the kernel limits the files that a helper process reads.
  package static var limitsFiles: Bool { HelperSandbox.limitsFiles }

  /// The drivers of multidimensional formats, whose files may refer to other files.
  package static let arrayDrivers = ["netCDF", "HDF5", "HDF5Image", "Zarr"]
  /// The driver of PostgreSQL databases.
  package static let databaseDriver = "PostgreSQL"

  /// Access to all drivers, networks and other files, with unrestricted SQL.
  public static let anywhere = GDALAccess(drivers: nil, trust: .full, allowsNetwork: true)

  /// Access for a file that a document names: no network, and SQL that reads only the file's own
  /// tables.
  public static func document(drivers: [String]?) -> GDALAccess {
    GDALAccess(drivers: drivers, trust: .document, allowsNetwork: false)
  }

  /// Access for a TIFF that a document names by its URL or its path in a bucket. Plumb downloads the TIFF
  /// from the hosts or the bucket in the settings. For a TIFF in a bucket, GDAL may use the network to sign
  /// requests and to list the TIFF's folder, but for no other purpose.
  package static func document(fetching settings: HTTPSettings) -> GDALAccess {
    var access = GDALAccess.document(drivers: ["GTiff"])
    access.fetching = settings
    return access
  }

  /// The same access, with rasters of most formats read in a helper process.
  ///
  /// - Parameter folder: the only folder in which the helper process may read files; nil for all
  ///   folders.
  package func isolated(in folder: String? = nil) -> GDALAccess {
    var access = self
    (access.isIsolated, access.folder) = (true, folder)
    return access
  }

  /// Access for a path that the user names: all drivers, the files that the source refers to, and a
  /// network only if the path itself requires a network.
  public static func named(_ path: String) -> GDALAccess {
    GDALAccess(drivers: nil, trust: .named, allowsNetwork: NetworkName.leadsToNetwork(path))
  }

  /// Applies the restrictions to this thread until `leave` is called on the returned scope.
  func enter() -> Scope {
    let thread = ThreadAccess.current
    let outer = thread.access
    if outer == nil { thread.restart() }
    // If these restrictions already apply, there is nothing to do.
    guard trust != .full, outer != self else {
      return Scope(outer: nil, options: nil, isIdle: true)
    }
    thread.access = self
    SQLRestriction.install()
    if trust == .document, thread.projRestriction == nil { try? ProjRestriction.apply() }
    let options = CPLGetThreadLocalConfigOptions()
    var inner = CSLDuplicate(options)
    for (key, value) in settings { inner = CSLSetNameValue(inner, key, value) }
    plumb_gdal_set_thread_options(inner)
    CSLDestroy(inner)
    if !allowsNetwork { CPLHTTPPushFetchCallback(refuseFetch, nil) }
    return Scope(outer: outer, options: options, isIdle: false, hasCallback: !allowsNetwork)
  }

  /// A period during which restrictions apply to a thread.
  struct Scope {
    fileprivate var outer: GDALAccess?
    fileprivate var options: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    fileprivate var isIdle: Bool
    fileprivate var hasCallback = false

    func leave() {
      guard !isIdle else { return }
      if hasCallback { _ = CPLHTTPPopFetchCallback() }
      plumb_gdal_set_thread_options(options)
      CSLDestroy(options)
      ThreadAccess.current.access = outer
    }
  }

  /// Applies the restrictions before a source is opened, including the restrictions on coordinate
  /// reference systems.
  ///
  /// - Throws: when the restrictions on coordinate reference systems cannot be applied on this
  ///   thread.
  func enterToOpen() throws(GDALError) -> Scope {
    if trust == .document { try ProjRestriction.apply() }
    return enter()
  }

  /// Calls `body` with the restrictions applied.
  func within<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let stay = enter()
    defer { stay.leave() }
    return try body()
  }

  private var settings: [(String, String)] {
    var settings = Self.sqlSettings
    if !allowsNetwork { settings += Self.networkSettings }
    if trust == .document { settings += Self.documentSettings }
    return settings
  }

  /// SpatiaLite is not loaded, because it adds functions and tables that read and write files.
  private static let sqlSettings = [
    ("SPATIALITE_LOAD", "NO"), ("OGR_SQLITE_LIST_VIRTUAL_OGR", "NO"),
  ]
  /// GDAL's network file systems may open only one name, which does not exist. Streaming file
  /// systems and folder listings ignore this setting. In these cases, curl fails before it connects
  /// to the server, because it cannot connect to the proxy.
  private static let networkSettings = [
    ("CPL_VSIL_CURL_ALLOWED_FILENAME", "/vsicurl/"), ("GDAL_HTTP_PROXY", "none://0"),
    ("GDAL_HTTPS_PROXY", "none://0"),
  ]
  private static let documentSettings = [
    ("OGR_SQLITE_LOAD_EXTENSIONS", ""), ("GDAL_VRT_ENABLE_PYTHON", "NO"),
    ("LIBKML_RESOLVE_STYLE", "NO"),
  ]
}

/// The callback that GDAL calls when it fetches a URL on a thread that must not use a network.
private let refuseFetch: CPLHTTPFetchCallbackFunc = { url, _, _, _, _, _, _ in
  let name = url.map { String(cString: $0).printable } ?? "an address"
  ThreadAccess.current.refuse("it names \(name), but may not use a network")
  guard let memory = CPLCalloc(1, MemoryLayout<CPLHTTPResult>.size) else { return nil }
  let result = memory.bindMemory(to: CPLHTTPResult.self, capacity: 1)
  result.pointee.nStatus = 1
  result.pointee.pszErrBuf = CPLStrdup("this source may not use a network")
  return result
}
