import CGDAL
import PlumbCore
import PlumbIO

/// The resources that GDAL may use on a thread while it opens and reads a source: drivers, the network, and
/// SQL in a SQLite file.
///
/// Process-wide settings are not changed: other threads, and this thread after `Scope.leave()`, use GDAL as
/// the program has configured it.
public struct GDALAccess: Sendable, Hashable {
  /// How far a source is trusted.
  package enum Trust: Sendable, Hashable {
    /// No restrictions.
    case full
    /// Named by the user: SQL in the source is restricted.
    case named
    /// Named by a document of unknown origin: only its own files are read.
    case document
  }

  /// The names of the drivers that may open the source; nil for all.
  public var drivers: [String]?
  package var trust: Trust
  package var allowsNetwork: Bool
  /// The settings with which Plumb itself downloads a TIFF at a URL and its side files when GDAL may not use
  /// a network.
  package var fetching: HTTPSettings?
  /// Whether rasters of formats outside a short list are read in a helper process, as features always are.
  package var isIsolated = false
  /// The only folder that a helper process reads for the source; nil for all.
  package var folder: String?

  /// All drivers, networks and other files, with unrestricted SQL.
  public static let anywhere = GDALAccess(drivers: nil, trust: .full, allowsNetwork: true)

  /// Access for a file that a document names: no network, and SQL that reads only the file's own tables.
  public static func document(drivers: [String]?) -> GDALAccess {
    GDALAccess(drivers: drivers, trust: .document, allowsNetwork: false)
  }

  /// Access for a TIFF at a URL that a document names: Plumb downloads from the hosts in the settings, and
  /// GDAL has no network.
  package static func document(fetching settings: HTTPSettings) -> GDALAccess {
    var access = GDALAccess.document(drivers: ["GTiff"])
    access.fetching = settings
    return access
  }

  /// The same access, with rasters of most formats read in a helper process.
  ///
  /// - Parameter folder: the only folder that the helper reads; nil for all.
  package func isolated(in folder: String? = nil) -> GDALAccess {
    var access = self
    (access.isIsolated, access.folder) = (true, folder)
    return access
  }

  /// Access for a path that the user names: all drivers, the files that the source refers to, and a network
  /// only if the path itself requires one.
  public static func named(_ path: String) -> GDALAccess {
    GDALAccess(drivers: nil, trust: .named, allowsNetwork: NetworkName.leadsToNetwork(path))
  }

  /// Applies the restrictions to this thread until `leave` is called on the returned scope.
  func enter() -> Scope {
    let thread = ThreadAccess.current
    let outer = thread.access
    if outer == nil { thread.restart() }
    // Nothing to do if these restrictions already apply.
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

  /// Applies the restrictions before a source is opened, including those on coordinate reference systems.
  ///
  /// - Throws: when the restrictions on coordinate reference systems cannot be applied on this thread.
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

  /// SpatiaLite adds functions and tables that read and write files.
  private static let sqlSettings = [
    ("SPATIALITE_LOAD", "NO"), ("OGR_SQLITE_LIST_VIRTUAL_OGR", "NO"),
  ]
  /// The only name that GDAL's network file systems may open does not exist. Streaming file systems and
  /// folder listings ignore that setting; for these, curl has no route to the proxy and fails before it
  /// connects.
  private static let networkSettings = [
    ("CPL_VSIL_CURL_ALLOWED_FILENAME", "/vsicurl/"), ("GDAL_HTTP_PROXY", "none://0"),
    ("GDAL_HTTPS_PROXY", "none://0"),
  ]
  private static let documentSettings = [
    ("OGR_SQLITE_LOAD_EXTENSIONS", ""), ("GDAL_VRT_ENABLE_PYTHON", "NO"),
    ("LIBKML_RESOLVE_STYLE", "NO"),
  ]
}

/// Called when GDAL fetches an address on a thread without a network.
private let refuseFetch: CPLHTTPFetchCallbackFunc = { url, _, _, _, _, _, _ in
  let name = url.map { String(cString: $0).printable } ?? "an address"
  ThreadAccess.current.refuse("it names \(name), but may not use a network")
  guard let memory = CPLCalloc(1, MemoryLayout<CPLHTTPResult>.size) else { return nil }
  let result = memory.bindMemory(to: CPLHTTPResult.self, capacity: 1)
  result.pointee.nStatus = 1
  result.pointee.pszErrBuf = CPLStrdup("this source may not use a network")
  return result
}
