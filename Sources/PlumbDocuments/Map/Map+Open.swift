import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

extension Map {
  /// Opens a map document: an Esri web map in JSON whose layers' urls are local paths, relative to
  /// the document, or services' addresses. A service's address, that of a web map and that of a
  /// portal's item are documents too.
  ///
  /// Nothing of a layer is touched: layers open when they are first needed. What is wrong with one
  /// layer (a wrong member, an unknown `layerType`, a bad path, an id that another layer has) makes
  /// its `load()` fail and leaves the others alone; a group that fails takes along what lies in it.
  ///
  /// - Parameters:
  ///   - access: the files and hosts that the document may name.
  ///   - signIn: as whom services are asked; nil for nobody.
  ///   - workers: open the files of mosaics.
  /// - Throws: one error that names the document and the position in it, when it is not a map
  ///   document.
  public static func open(
    path: String, access: DocumentAccess = .folder, signIn: SignIn? = nil,
    workers: Workers = Workers()
  ) throws(PlumbError) -> Map {
    if RemoteSession.isAddress(path) {
      return try RemoteMap(path, access: access, signIn: signIn).open(workers)
    }
    let root = try DocumentFile.root(path: path)
    let session = RemoteSession(access: access, signIn: signIn)
    let folder = try DocumentFolder(ofMap: path, access: access, session: session)
    return try open(root, path, folder, access, workers)
  }

  static func open(
    _ root: DocumentNode, _ path: String, _ folder: DocumentFolder, _ access: DocumentAccess,
    _ workers: Workers
  ) throws(PlumbError) -> Map {
    do throws(DocumentFault) {
      let reference = try root.member("spatialReference")?.spatialReference(access)
      let nodes = try root.required("operationalLayers", "a list").elements()
      for node in nodes { try node.object() }
      var maker = OperationalLayers(
        nodes, folder: folder, access: access, portal: try root.portal(folder), workers: workers)
      maker.addBasemaps(root)
      let map = Map(layers: maker.layers(nodes, idPrefix: "layer-"), spatialReference: reference)
      map.documents = [path] + maker.services
      map.notes = maker.notes
      return map
    } catch {
      throw PlumbError(error)
    }
  }

  /// Whether a path is a map document rather than a raster: a regular file that holds a JSON object
  /// with a member `operationalLayers`.
  ///
  /// One whose JSON breaks before that is one too if the name follows.
  public static func isDocument(path: String) -> Bool {
    if RemoteSession.isAddress(path) { return RemoteMap.isDocument(path) }
    guard DocumentFile.startsLikeObject(path: path),
      let file = try? DocumentFile(startOf: path)
    else { return false }
    return file.hasRootMember("operationalLayers")
  }

  /// Whether nothing is at a path that can only be meant as a file's.
  public static func isMissing(path: String) -> Bool {
    !DocumentFolder.isVirtual(path) && FileKind(path: path) == nil
  }

  /// What keeps a path from being a map document, as a line for people; nil when it does not look
  /// as if it was meant as one.
  public static func documentFault(path: String) -> String? {
    DocumentFile.strangeness(path: path).map { "\(path.printable) is not a map document: \($0)" }
  }
}

extension DocumentNode {
  /// A spatial reference; nil when it names none, like `{}` and a code of 0.
  ///
  /// - Throws: also when it names a file outside of PROJ's own data, which only `anywhere` allows.
  package func spatialReference(_ access: DocumentAccess) throws(DocumentFault) -> SpatialReference?
  {
    try object()
    let codes = [try member("latestWkid")?.integer(), try member("wkid")?.integer()]
    let wkt = try firstMember("wkt", "wkt2")?.text()
    let code = codes.compactMap { $0 }.first { $0 > 0 }
    guard let definition = code?.description ?? wkt, !definition.isEmpty else { return nil }
    do {
      return try SpatialReference.inDocument(definition, access)
    } catch {
      throw fault(PlumbError.message(of: error))
    }
  }
}
