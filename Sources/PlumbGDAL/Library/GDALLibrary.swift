import CGDAL
import PlumbCore
import PlumbGeometry
import PlumbIO
import Synchronization

/// Initializes GDAL for the whole process, and collects its messages.
public enum GDALLibrary {
  private static let started: Void = {
    CPLSetErrorHandlerEx({ level, number, text in keepMessage(level, number, text) }, nil)
    // Drivers may create PROJ contexts.
    ProjRestriction.install()
    // `GDALAllRegister` also reads the user's settings from GDAL's configuration file.
    GDALAllRegister()
    for (key, value) in settings where CPLGetConfigOption(key, nil) == nil {
      CPLSetConfigOption(key, value)
    }
    setBucketEndpoint()
  }()

  /// Applies the server address for buckets from `AWS_ENDPOINT_URL`, which other programs also
  /// read.
  private static func setBucketEndpoint() {
    guard CPLGetConfigOption("AWS_S3_ENDPOINT", nil) == nil,
      let text = CPLGetConfigOption("AWS_ENDPOINT_URL_S3", nil)
        ?? CPLGetConfigOption("AWS_ENDPOINT_URL", nil),
      let origin = NetworkOrigin(String(cString: text))
    else { return }
    let host = NetworkHost(name: origin.host, port: origin.port).description
    for (key, value) in [
      ("AWS_S3_ENDPOINT", host), ("AWS_HTTPS", origin.isSecure ? "YES" : "NO"),
      ("AWS_VIRTUAL_HOSTING", "NO"),
    ] where CPLGetConfigOption(key, nil) == nil {
      CPLSetConfigOption(key, value)
    }
  }

  /// Default values of settings that are not in the user's environment or GDAL's configuration
  /// file. With them, GDAL does not write files next to the user's rasters, has a small block cache
  /// (because Plumb has a cache), and does not start threads in addition to Plumb's workers.
  private static let settings = [
    ("GDAL_CACHEMAX", "64"),
    ("GDAL_NUM_THREADS", "1"),
    ("GDAL_PAM_ENABLE_MARK_DIRTY", "NO"),
    ("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO"),
    ("OGR_GEOJSON_MAX_OBJ_SIZE", "200"),
    // Rows are sent to a database as one stream, and read from it in pages of `OGR_PG_CURSOR_PAGE`
    // rows.
    ("PG_USE_COPY", "YES"),
    ("OGR_PG_CURSOR_PAGE", "2000"),
  ]

  /// Registers the drivers and installs a handler for GDAL's messages. In PROJ's default context,
  /// installs a file finder that finds no files, so that coordinate reference systems in documents
  /// cannot name files.
  ///
  /// Can be called at any time and any number of times. A program that itself uses GDAL's spatial
  /// references must call `start()` first, because documents cannot be opened on a thread that used
  /// spatial references before.
  public static func start() { _ = started }

  /// Calls `start()`, or throws an error if GDAL or PROJ's database is missing. Without these
  /// checks, a call of a missing GDAL function would end the process. Without PROJ's database, GDAL
  /// would read a CRS as another one.
  ///
  /// - Throws: if GDAL is not installed, if its version differs from the version that Plumb was built for, or
  ///   if PROJ cannot read its database.
  public static func load() throws(GDALError) {
    // PROJ is the smaller library. While this thread loads GDAL, other threads can use PROJ.
    do {
      try ProjDatabase.check()
    } catch {
      throw GDALError(error.message, code: error.code)
    }
    if let missing = plumb_gdal_missing() {
      throw GDALError(String(cString: missing), code: .missingLibrary)
    }
    start()
  }

  /// The most recent error message of this thread as one printable line. Returns `fallback` if
  /// there is no message or no driver recognized the file. If access was blocked, returns the
  /// reason instead of GDAL's message.
  static func lastError(_ fallback: String) -> String {
    if let refusal = ThreadAccess.current.removeRefusal() { return refusal }
    if let fault = ThreadAccess.current.networkFault { return fault }
    guard let text = CPLGetLastErrorMsg(), text.pointee != 0 else { return fallback }
    let message = String(cString: text)
    // If no driver recognized a file, GDAL's message contains GDAL's own name for the file.
    if message.contains("' not recognized as ") { return fallback }
    return RemoteFileSystem.plain(message).printable
  }

  /// Returns GDAL's warnings since the last call, without duplicates and in order; at most the
  /// first 20.
  public static func drainWarnings() -> [String] {
    warnings.withLock { list in
      defer { list = [] }
      return list
    }
  }

  private static let warnings = Mutex<[String]>([])
  private static let warningLimit = 20

  /// Adds a warning to the result of `drainWarnings()`. A file is opened more than once, and GDAL
  /// repeats its warnings with and without the file's name. In this case, the warning with the name
  /// is kept.
  static func warn(_ line: String) {
    warnings.withLock { list in
      if list.contains(where: { $0 == line || $0.hasSuffix(": " + line) }) { return }
      if let nameless = list.firstIndex(where: { line.hasSuffix(": " + $0) }) {
        list[nameless] = line
      } else if list.count < warningLimit {
        list.append(line)
      }
    }
  }

  /// Sets the encoding of strings in Shapefiles and DXF files for the whole process. It overrides
  /// the encoding in the files. `name` is a name that GDAL supports, such as `CP1252`, `ISO-8859-2`
  /// or `SHIFT_JIS`.
  ///
  /// - Throws: if strings cannot be converted from this encoding.
  public static func setTextEncoding(_ name: String) throws(GDALError) {
    try load()
    CPLErrorReset()
    VSIFree(CPLRecode("a\u{E9}", "UTF-8", name))
    let isKnown = CPLGetLastErrorType().rawValue < CE_Warning.rawValue
    _ = drainWarnings()
    guard isKnown, !name.isEmpty else {
      throw GDALError(
        "\(name.printable) is not an encoding that GDAL supports; GDAL supports UTF-8, CP1252, ISO-8859-1 "
          + "to ISO-8859-16, CP437, SHIFT_JIS and the encodings of iconv")
    }
    for key in ["SHAPE_ENCODING", "DXF_ENCODING"] { CPLSetConfigOption(key, name) }
    TextEncoding.set(name)
  }

  /// Warnings about array axes that GDAL cannot use. They are dropped, because Plumb reads the
  /// coordinates itself.
  private static let settledWarnings = [
    "Latitude grid not spaced evenly", "1-pixel width/height files not supported",
    "is not a Longitude/X dimension", "is not a Latitude/Y dimension",
  ]

  /// Whether the warning only reports a GeoPackage of version 1.4. GDAL reads this version like
  /// 1.3, because features did not change between the two versions.
  private static func isOfNewerGeoPackage(_ line: String) -> Bool {
    line.contains("This version of GeoPackage user_version=") && line.contains(", v1.4.")
  }

  private static func keepMessage(
    _ level: CPLErr, _ number: CPLErrorNum, _ text: UnsafePointer<CChar>?
  ) {
    guard level == CE_Warning, let text else { return }
    let line = RemoteFileSystem.plain(String(cString: text)).printable
    if settledWarnings.contains(where: { line.contains($0) }) || isOfNewerGeoPackage(line) {
      return
    }
    // Warnings of libraries below GDAL do not contain the file's name.
    guard let path = FaultLine.path, let name = path.split(separator: "/").last,
      !line.contains(name)
    else { return warn(line) }
    warn(path + ": " + line)
  }
}
