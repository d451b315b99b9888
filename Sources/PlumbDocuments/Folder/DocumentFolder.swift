import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbSources

/// The folder of a document, and the session for the services in the document.
package struct DocumentFolder: Sendable {
  private let files: SourceFolder
  /// The session for requests to the services in the document.
  let session: RemoteSession

  /// The prefix of relative paths; empty, or ending with a slash.
  package var prefix: String { files.prefix }
  /// The document's folder without symbolic links; nil if files may be anywhere.
  package var boundary: String? { files.boundary }

  /// Creates the folder of a map document.
  ///
  /// - Throws: if the folder cannot be resolved.
  package init(
    ofMap path: String, access: DocumentAccess, session: RemoteSession? = nil
  ) throws(PlumbError) {
    files = try SourceFolder(
      ofDocument: path, isRemote: RemoteSession.isAddress(path), access: access)
    self.session = session ?? RemoteSession(access: access)
  }

  private init(_ files: SourceFolder, _ session: RemoteSession) {
    (self.files, self.session) = (files, session)
  }

  /// Returns the folder of a document that the map refers to.
  package func folder(ofDocument path: String) -> DocumentFolder {
    DocumentFolder(files.folder(ofDocument: path), session)
  }

  /// Returns the path that a string in a document refers to.
  ///
  /// - Parameter isPattern: whether `*`, `?` and `[…]` may match several files.
  /// - Throws: an error that contains the string, if the file does not exist or is outside the permitted
  ///   folder.
  package func path(of text: String, isPattern: Bool = false) throws(PlumbError) -> String {
    try files.path(of: text, isPattern: isPattern)
  }

  /// Returns the resources that GDAL may use for a file.
  ///
  /// - Throws: if the file, or a file that it refers to, is outside the permitted folder.
  package func access(
    to path: String, as content: SourceInspection.Content
  ) throws(PlumbError) -> GDALAccess {
    try files.access(to: path, as: content)
  }

  /// Returns the resources that GDAL may use for a raster.
  ///
  /// - Throws: if the raster, or a file that it refers to, is outside the permitted folder.
  package func access(toRaster path: String) throws(PlumbError) -> GDALAccess {
    try files.access(toRaster: path)
  }

  /// Whether a string is the name of a single remote file, which Plumb itself downloads: a URL, or a file
  /// in a bucket, but not a name in one of GDAL's file systems.
  static func isRemoteFile(_ text: String) -> Bool {
    (RemoteSession.isAddress(text) || BucketName(text) != nil) && RemotePath(text) != nil
  }

  /// Whether a string is the name of a remote Parquet file.
  static func isRemoteTable(_ text: String) -> Bool {
    isRemoteFile(text) && FeatureFile.isRemoteTable(text)
  }

  /// Returns the resources that may be used for a file at a URL or in a bucket, which Plumb itself
  /// downloads.
  ///
  /// - Parameter driver: the only driver that GDAL may use for the file.
  /// - Throws: if the file's host or bucket may not be accessed.
  func access(toURL url: String, driver: String) throws(PlumbError) -> GDALAccess {
    guard boundary != nil else { return .anywhere }
    try BucketAccess.checkIsNotLocal(url)
    var access = GDALAccess.document(fetching: try session.fetching(allowed: url))
    access.drivers = [driver]
    return access
  }

  /// Whether a string is a network or virtual source instead of a path.
  package static func isVirtual(_ text: String) -> Bool { SourceFolder.isVirtual(text) }
}
