import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The process in which GDAL opens and reads a source: this process, or a helper process, whose
/// crash does not end this process.
enum SourceRoute {
  /// This process, with the resources that GDAL may use.
  case inProcess(GDALAccess)
  case helper

  /// The drivers of formats that are always read in this process.
  private static let listed = [
    "GTiff", "COG", "VRT", "GPKG", "FlatGeobuf", "ESRI Shapefile", "GeoJSON", "GeoJSONSeq", "CSV",
    "OGR_VRT",
  ]
  /// The drivers of formats that are read in this process unless all unlisted formats are isolated.
  private static let gridded = ["GRIB"] + GDALAccess.arrayDrivers

  /// Whether this process is a helper, which reads all formats itself.
  static let isHelper = Atomic<Bool>(false)
  /// Whether this process reads only the listed formats, regardless of the environment. Other
  /// formats, including raster formats, are read in helper processes.
  static let isStrict = Atomic<Bool>(false)

  /// The formats that are read in helper processes. The environment variable `PLUMB_ISOLATION` is
  /// `all`, `most` or `none`.
  private enum Isolation: String {
    case all, most, none

    static let ofEnvironment =
      getenv("PLUMB_ISOLATION").flatMap { Isolation(rawValue: String(cString: $0)) } ?? .most
  }

  /// - Parameter content: `GDAL_OF_RASTER`, `GDAL_OF_VECTOR` or both.
  static func route(
    _ path: String, _ content: Int32, _ access: GDALAccess
  ) throws(GDALError) -> SourceRoute {
    // GDAL is loaded before any restrictions apply, because the check of PROJ's files must be
    // installed before GDAL creates a PROJ context.
    try GDALLibrary.load()
    guard !isHelper.load(ordering: .relaxed) else { return .inProcess(access) }
    let isolation = isStrict.load(ordering: .relaxed) ? .all : Isolation.ofEnvironment
    guard isolation != .none else { return .inProcess(access) }
    let isStrict = isolation == .all
    guard content != GDAL_OF_RASTER || access.isIsolated || isStrict, isLocal(path) else {
      return .inProcess(access)
    }
    var allowed = isStrict ? listed : listed + gridded
    if access.trust == .document, !access.readsArrays {
      allowed.removeAll(where: GDALAccess.arrayDrivers.contains)
    }
    let drivers = access.drivers.map { names in allowed.filter { names.contains($0) } } ?? allowed
    guard let driver = driver(of: path, UInt32(content), among: drivers, access),
      !["VRT", "OGR_VRT"].contains(driver) || leadsToListed(path)
    else { return .helper }
    var local = access
    local.drivers = [driver]
    return .inProcess(local)
  }

  /// Whether a name refers to an existing file or folder on this machine that can be read twice.
  private static func isLocal(_ path: String) -> Bool {
    switch FileKind(path: path) {
    case .file?, .folder?: return true
    case .stream?: return false
    case nil: break
    }
    guard !NetworkName.leadsToNetwork(path) else { return false }
    if path.hasBytes(atStart: "/vsi") { return true }
    // The name may be a driver's dataset name for a part of a file, such as `NETCDF:"a.nc":t`.
    let words = path.utf8.split { ":\"".utf8.contains($0) }
    return words.count > 1
      && words.contains { word in
        FileKind(path: String(decoding: word, as: UTF8.self)).map { $0 != .stream } ?? false
      }
  }

  /// The driver, among the given drivers or all drivers, that recognizes a path by its name and
  /// first bytes.
  static func driver(
    of path: String, _ content: UInt32, among drivers: [String]?, _ access: GDALAccess
  ) -> String? {
    let stay = access.enter()
    defer { stay.leave() }
    return FaultLine(path: path, driver: nil).whileInside {
      identifiedDriver(path, content, drivers)
    }
  }

  /// The maximum number of sources of a virtual source that are examined.
  private static let sourceLimit = 10_000

  /// Whether all sources of a virtual source have listed formats and are not virtual themselves.
  private static func leadsToListed(_ path: String) -> Bool {
    guard FileKind(path: path) == .file, VirtualTree.fault(of: path) == nil,
      let sources = try? VirtualSource.list(inFile: path), sources.count <= sourceLimit
    else { return false }
    let plain = listed.filter { $0 != "VRT" && $0 != "OGR_VRT" }
    let content = UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR)
    return sources.allSatisfy { source in
      source.paths(from: [path.folderPrefix]).allSatisfy { file in
        // A missing file is not read.
        guard let kind = FileKind(path: file) else { return isMissing(file) }
        guard kind == .file else { return false }
        return source.isRaw || driver(of: file, content, among: plain, .named(file)) != nil
      }
    }
  }

  /// Whether the name of a file that does not exist is a plain path.
  private static func isMissing(_ file: String) -> Bool {
    !file.hasBytes(atStart: "/vsi") && !file.utf8.contains { "<{:".utf8.contains($0) }
  }
}
