import CGDAL
import PlumbCore
import PlumbGeometry

/// Restricts PROJ to its own data while GDAL reads the CRS of a document's source.
///
/// Each thread has a PROJ context that GDAL does not expose. To find this context, GDAL is passed a
/// definition that names a file. PROJ searches for the file with the context, which calls the file
/// check.
final class ProjRestriction {
  /// The folders of PROJ's data.
  private let folders: [String]
  /// Whether `apply()` is making GDAL's context search for a file.
  private var isLooking = true
  /// The name of the file for which `apply()` makes GDAL's context search. The check returns an empty
  /// file at the first place where PROJ looks, so that PROJ does not go on to a network.
  private static let probe = "plumb-probe"
  /// Whether GDAL's context called the check, so that the restriction works on this thread.
  private var isInstalled = false
  /// The first file that was blocked.
  private(set) var file: String?

  private init() {
    let list = OSRGetPROJSearchPaths()
    defer { CSLDestroy(list) }
    folders = strings(list).map { $0.hasBytes(atEnd: "/") ? $0 : $0 + "/" }
  }

  /// Installs the check for the contexts that GDAL creates afterwards. Must be called once, before
  /// GDAL creates a context.
  static func install() {
    ProjFileGuard.install {
      ThreadAccess.current.projRestriction?.isLooking ?? false
    } allows: { path in
      let thread = ThreadAccess.current
      return thread.projRestriction?.judge(path, of: thread) ?? .allowed
    }
  }

  /// Applies the restriction to this thread. Must be called again when GDAL may have created
  /// another context.
  ///
  /// - Throws: when GDAL's context cannot be reached.
  static func apply() throws(GDALError) {
    let thread = ThreadAccess.current
    let restriction = ProjRestriction()
    thread.projRestriction = restriction
    CPLPushErrorHandler(CPLQuietErrorHandler)
    let reference = OSRNewSpatialReference(nil)
    OSRImportFromProj4(reference, "+init=\(probe):none")
    OSRDestroySpatialReference(reference)
    CPLPopErrorHandler()
    CPLErrorReset()
    restriction.isLooking = false
    guard restriction.isInstalled else {
      thread.projRestriction = nil
      throw GDALError(
        "GDAL was used with coordinate reference systems on this thread before Plumb was started, so Plumb "
          + "cannot restrict the files that CRS definitions name: call GDALLibrary.start() first, or use "
          + "another thread")
    }
  }

  private func judge(_ path: String, of thread: ThreadAccess) -> ProjFileGuard.Decision {
    if isLooking {
      isInstalled = true
      // `proj.ini` is replaced by an empty file, because it could enable network access. The database is not
      // replaced: PROJ 9.6 keeps the path at which it found a file, so an empty file could make PROJ keep a
      // path without a database.
      let isEmpty = [Self.probe, "/proj.ini"].contains { path.hasBytes(atEnd: $0) }
      return isEmpty ? .empty : .allowed
    }
    guard thread.access?.trust == .document else { return .allowed }
    for folder in folders where path.hasBytes(atStart: folder) {
      if !path.pathWords.contains(where: { $0.hasSameBytes(as: "..") }) { return .allowed }
    }
    // If a file is not in the data folders, PROJ passes its bare name, which refers to the working
    // directory.
    guard path.hasByte(UInt8(ascii: "/")) else { return .refused }
    file = file ?? path
    thread.refuse("its CRS names \(path.printable)")
    return .refused
  }
}
