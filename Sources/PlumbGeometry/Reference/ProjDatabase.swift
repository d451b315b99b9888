import PlumbCore
import Synchronization

/// The database of CRSs that PROJ and GDAL read.
package enum ProjDatabase {
  private static let isReadable = Atomic(false)

  /// Checks that PROJ can read its database. The check runs until it succeeds once.
  ///
  /// Without the database, GDAL reads a CRS as another CRS, or as none, and reports only a warning.
  ///
  /// - Throws: if PROJ is not installed, or if its database cannot be read.
  package static func check() throws(GeometryError) {
    if isReadable.load(ordering: .relaxed) { return }
    _ = try ProjContext()
    isReadable.store(true, ordering: .relaxed)
  }
}
