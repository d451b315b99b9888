import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

extension Map {
  /// Opens a map document: an Esri web map in JSON whose layer URLs are local paths, relative to the
  /// document, or addresses of services. The path can also be the address of a service, a web map or a portal
  /// item.
  ///
  /// Layers are opened when they are first needed. An error in a layer (an invalid member, an unknown
  /// `layerType`, a bad path, a duplicate id) makes the layer's `load()` fail and does not affect other
  /// layers, except that if a group fails, its layers fail too.
  ///
  /// - Parameters:
  ///   - access: the files and hosts that the document may access.
  ///   - signIn: the credentials for requests to services; nil for none.
  ///   - workers: worker processes that open the files of mosaics.
  /// - Throws: if the file is not a map document; the error contains the position in the document.
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

  /// Whether a path is a map document rather than a raster: a regular file that contains a JSON object with a
  /// member `operationalLayers`.
  ///
  /// A file with invalid JSON before this member is also a map document if the member's name follows.
  public static func isDocument(path: String) -> Bool {
    if RemoteSession.isAddress(path) { return RemoteMap.isDocument(path) }
    guard DocumentFile.startsLikeObject(path: path),
      let file = try? DocumentFile(startOf: path)
    else { return false }
    return file.hasRootMember("operationalLayers")
  }

  /// Whether a path is not the name of a network or virtual source, and no file exists at the path.
  public static func isMissing(path: String) -> Bool {
    !DocumentFolder.isVirtual(path) && FileKind(path: path) == nil
  }

  /// The reason why a path is not a map document, in one line; nil if the file does not appear to
  /// be intended as a map document.
  public static func documentFault(path: String) -> String? {
    DocumentFile.formatFault(path: path).map { "\(path.printable) is not a map document: \($0)" }
  }
}

extension DocumentNode {
  /// The CRS of a spatial reference object; nil if the object does not specify a CRS, such as `{}` or a code
  /// of 0.
  ///
  /// - Throws: if the CRS is invalid, or refers to a file outside PROJ's own data, which only `anywhere`
  ///   allows.
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
