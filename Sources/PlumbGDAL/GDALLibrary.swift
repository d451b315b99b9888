import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

/// The one GDAL of the process: its set-up and its messages.
public enum GDALLibrary {
  private static let started: Void = {
    CPLSetErrorHandlerEx({ level, number, text in keepMessage(level, number, text) }, nil)
    // Drivers may make contexts of PROJ.
    ReferenceWall.install()
    // Reads the user's own settings from their file.
    GDALAllRegister()
    for (key, value) in settings where CPLGetConfigOption(key, nil) == nil {
      CPLSetConfigOption(key, value)
    }
  }()

  /// What holds where the user's environment or GDAL's configuration file says nothing: nothing
  /// beside the user's rasters, a small block cache (Plumb has its own), no network unless
  /// asked, and no thread of GDAL's own beside Plumb's workers.
  private static let settings = [
    ("GDAL_CACHEMAX", "64"),
    ("GDAL_NUM_THREADS", "1"),
    ("GDAL_PAM_ENABLE_MARK_DIRTY", "NO"),
    ("CPL_VSIL_GZIP_WRITE_PROPERTIES", "NO"),
    ("OGR_GEOJSON_MAX_OBJ_SIZE", "200"),
  ]

  /// Registers the drivers, takes over GDAL's messages, and gives PROJ's default context a finder of
  /// files, which finds none, so that documents can be kept from naming files in their references.
  ///
  /// Safe to call at any time, any often. A program that uses GDAL's references itself calls it before:
  /// no document opens on a thread where they were used first.
  public static func start() { _ = started }

  /// `start()`, with an error where there is no GDAL: without one, calls of it end the process.
  ///
  /// - Throws: when GDAL is not installed, or is of another version than Plumb was built for.
  public static func load() throws(GDALError) {
    if let missing = plumb_gdal_missing() {
      throw GDALError(String(cString: missing), code: .missingLibrary)
    }
    start()
  }

  /// The newest error message of this thread as one printable line, or `fallback` when there is
  /// none or no driver took a file; what a wall has held back goes before what came of it.
  package static func lastError(_ fallback: String) -> String {
    if let refusal = ThreadAccess.current.takeRefusal() { return refusal }
    if let fault = ThreadAccess.current.networkFault { return fault }
    guard let text = CPLGetLastErrorMsg(), text.pointee != 0 else { return fallback }
    let message = String(cString: text)
    // That no driver took a file GDAL says in the name that it has for the file.
    if message.contains("' not recognized as ") { return fallback }
    return RemoteFileSystem.plain(message).printable
  }

  /// Warnings that GDAL has given since the last call, each once, in order; the first 20 of them.
  public static func takeWarnings() -> [String] {
    warnings.withLock { list in
      defer { list = [] }
      return list
    }
  }

  private static let warnings = Mutex<[String]>([])
  private static let warningLimit = 20

  /// Adds a warning to those that `takeWarnings()` gives. A file is opened more than once, and GDAL says
  /// the same of it with its name and without: the line with the name stays.
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

  /// The encoding of text in Shapefiles and DXF files, for the whole process, instead of what the
  /// files say: a name that GDAL knows, as `CP1252`, `ISO-8859-2` or `SHIFT_JIS`.
  ///
  /// - Throws: when text cannot be converted from it.
  public static func setTextEncoding(_ name: String) throws(GDALError) {
    try load()
    CPLErrorReset()
    VSIFree(CPLRecode("a\u{E9}", "UTF-8", name))
    let isKnown = CPLGetLastErrorType().rawValue < CE_Warning.rawValue
    _ = takeWarnings()
    guard isKnown, !name.isEmpty else {
      throw GDALError(
        "\(name.printable) is not an encoding that GDAL knows; it knows UTF-8, CP1252, ISO-8859-1 "
          + "to ISO-8859-16, CP437, SHIFT_JIS and those of iconv")
    }
    for key in ["SHAPE_ENCODING", "DXF_ENCODING"] { CPLSetConfigOption(key, name) }
    TextEncoding.set(name)
  }

  /// Warnings about axes of arrays that GDAL does not take as they stand: Plumb reads the coordinates
  /// itself.
  private static let settledWarnings = [
    "Latitude grid not spaced evenly", "1-pixel width/height files not supported",
    "is not a Longitude/X dimension", "is not a Latitude/Y dimension",
  ]

  /// Whether GDAL only says that a GeoPackage is of version 1.4, which it reads as it does 1.3: nothing of
  /// features changed between them.
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
    // Libraries below GDAL do not say of which file they speak.
    guard let path = FaultLine.path, let name = path.split(separator: "/").last,
      !line.contains(name)
    else { return warn(line) }
    warn(path + ": " + line)
  }
}
