import CGDAL
import PlumbCore
import PlumbIO

/// What GDAL may use while a source is opened and read, on the thread that does it: which drivers,
/// whether a network, and what the SQL of a SQLite file may do.
///
/// Nothing of the process is changed: other threads, and this one when it has left, keep GDAL as the
/// program has set it up.
public struct GDALAccess: Sendable, Hashable {
  /// How far a source is believed.
  package enum Trust: Sendable, Hashable {
    /// Whatever GDAL opens.
    case full
    /// Named by the user: the SQL of its own is held back.
    case named
    /// Named by a document, which may come from anywhere: it reads its own files.
    case document
  }

  /// The names of the drivers that may open it; nil for all.
  public var drivers: [String]?
  package var trust: Trust
  package var allowsNetwork: Bool
  /// How Plumb itself fetches the one TIFF behind a URL that it is for, and what lies beside it, where
  /// GDAL may use no network.
  package var fetching: HTTPSettings?
  /// Whether rasters of formats outside a short list are read in a helper process, as features are always.
  package var isIsolated = false
  /// The only folder that a helper process reads for it; nil for all.
  package var folder: String?

  /// All drivers, networks, other files and SQL that reaches them.
  public static let anywhere = GDALAccess(drivers: nil, trust: .full, allowsNetwork: true)

  /// For a file that a document names: no network, and SQL that reads tables of its own.
  public static func document(drivers: [String]?) -> GDALAccess {
    GDALAccess(drivers: drivers, trust: .document, allowsNetwork: false)
  }

  /// For a TIFF behind a URL that a document names: the hosts of the settings, and no network of GDAL's.
  package static func document(fetching settings: HTTPSettings) -> GDALAccess {
    var access = GDALAccess.document(drivers: ["GTiff"])
    access.fetching = settings
    return access
  }

  /// The same, with rasters of most formats read in a helper process.
  ///
  /// - Parameter folder: the only folder that the helper reads; nil for all.
  package func isolated(in folder: String? = nil) -> GDALAccess {
    var access = self
    (access.isIsolated, access.folder) = (true, folder)
    return access
  }

  /// For what the user names: all drivers and the files that it refers to, a network only where the
  /// name itself leads to one.
  public static func named(_ path: String) -> GDALAccess {
    GDALAccess(drivers: nil, trust: .named, allowsNetwork: NetworkName.leadsToNetwork(path))
  }

  /// Puts the walls up on this thread until `leave` is called on it.
  func enter() -> Stay {
    let thread = ThreadAccess.current
    let outer = thread.access
    if outer == nil { thread.restart() }
    // Inside one and the same wall there is nothing to do.
    guard trust != .full, outer != self else { return Stay(outer: nil, options: nil, isIdle: true) }
    thread.access = self
    SQLWall.install()
    if trust == .document, thread.referenceWall == nil { try? ReferenceWall.raise() }
    let options = CPLGetThreadLocalConfigOptions()
    var inner = CSLDuplicate(options)
    for (key, value) in settings { inner = CSLSetNameValue(inner, key, value) }
    plumb_gdal_set_thread_options(inner)
    CSLDestroy(inner)
    if !allowsNetwork { CPLHTTPPushFetchCallback(refuseFetch, nil) }
    return Stay(outer: outer, options: options, isIdle: false, hasCallback: !allowsNetwork)
  }

  /// The time behind a wall.
  struct Stay {
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

  /// Puts the walls up before something is opened, those round references too, which it may have.
  ///
  /// - Throws: when these cannot stand here.
  func enterToOpen() throws(GDALError) -> Stay {
    if trust == .document { try ReferenceWall.raise() }
    return enter()
  }

  /// Calls `body` with the walls up.
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

  /// SpatiaLite brings functions and tables that read and write files.
  private static let sqlSettings = [
    ("SPATIALITE_LOAD", "NO"), ("OGR_SQLITE_LIST_VIRTUAL_OGR", "NO"),
  ]
  /// GDAL's file systems on networks open the one name that is allowed, which is none. Those that
  /// stream, and listings of folders, do not ask: curl has no way to such a proxy and gives up
  /// before it connects.
  private static let networkSettings = [
    ("CPL_VSIL_CURL_ALLOWED_FILENAME", "/vsicurl/"), ("GDAL_HTTP_PROXY", "none://0"),
    ("GDAL_HTTPS_PROXY", "none://0"),
  ]
  private static let documentSettings = [
    ("OGR_SQLITE_LOAD_EXTENSIONS", ""), ("GDAL_VRT_ENABLE_PYTHON", "NO"),
    ("LIBKML_RESOLVE_STYLE", "NO"),
  ]
}

/// What is asked when GDAL fetches an address on a thread without a network.
private let refuseFetch: CPLHTTPFetchCallbackFunc = { url, _, _, _, _, _, _ in
  let name = url.map { String(cString: $0).printable } ?? "an address"
  ThreadAccess.current.refuse("it names \(name), and no network is used for it")
  guard let memory = CPLCalloc(1, MemoryLayout<CPLHTTPResult>.size) else { return nil }
  let result = memory.bindMemory(to: CPLHTTPResult.self, capacity: 1)
  result.pointee.nStatus = 1
  result.pointee.pszErrBuf = CPLStrdup("no network is used for this source")
  return result
}
