import CGDAL
import PlumbCore
import PlumbGeometry

/// Keeps PROJ to its own data while GDAL reads the references of a document's source.
///
/// Each thread has a context of PROJ that GDAL keeps to itself. It comes to light when GDAL is given a
/// definition that leads to one of PROJ's files: PROJ looks for the file in that context.
final class ReferenceWall {
  /// The folders of PROJ's data.
  private let folders: [String]
  /// While GDAL's context is made to look for a file.
  private var isLooking = true
  /// Whether GDAL's context has asked before it opened the file.
  private var stands = false
  /// The first file that was held back.
  private(set) var file: String?

  private init() {
    let list = OSRGetPROJSearchPaths()
    defer { CSLDestroy(list) }
    folders = strings(list).map { $0.hasBytes(atEnd: "/") ? $0 : $0 + "/" }
  }

  /// Lets the contexts that GDAL makes from now on be reached. Once, before it makes one.
  static func install() {
    ProjFileWall.install {
      ThreadAccess.current.referenceWall?.isLooking ?? false
    } allows: { path in
      let thread = ThreadAccess.current
      return thread.referenceWall?.judge(path, of: thread) ?? .allowed
    }
  }

  /// Puts the wall up on this thread, again should GDAL have another context since.
  ///
  /// - Throws: when GDAL's context cannot be reached.
  static func raise() throws(GDALError) {
    let thread = ThreadAccess.current
    let wall = ReferenceWall()
    thread.referenceWall = wall
    CPLPushErrorHandler(CPLQuietErrorHandler)
    let reference = OSRNewSpatialReference(nil)
    // The one file that is always there. Any other, PROJ might look for on a network.
    OSRImportFromProj4(reference, "+init=proj.db:none")
    OSRDestroySpatialReference(reference)
    CPLPopErrorHandler()
    CPLErrorReset()
    wall.isLooking = false
    guard wall.stands else {
      thread.referenceWall = nil
      throw GDALError(
        "GDAL has read references on this thread before Plumb was started, and Plumb cannot keep "
          + "them from leading to other files: call GDALLibrary.start() first, or use another thread"
      )
    }
  }

  private func judge(_ path: String, of thread: ThreadAccess) -> ProjFileWall.Answer {
    if isLooking {
      stands = true
      // PROJ would search all of the file's megabytes for an entry.
      return .empty
    }
    guard thread.access?.trust == .document else { return .allowed }
    for folder in folders where path.hasBytes(atStart: folder) {
      if !path.pathWords.contains(where: { $0.hasSameBytes(as: "..") }) { return .allowed }
    }
    // A name that is not among the data ends here as one in the working folder.
    guard path.hasByte(UInt8(ascii: "/")) else { return .refused }
    file = file ?? path
    thread.refuse("its reference names \(path.printable)")
    return .refused
  }
}
