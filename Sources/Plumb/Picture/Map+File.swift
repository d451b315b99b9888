import PlumbCore
import PlumbDocuments
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

extension Map {
  /// A map of whatever a path holds: a map document's layers, a raster or mosaic, or a layer for each of
  /// a file of features, its first on top.
  ///
  /// - Parameters:
  ///   - access: the files and hosts that it may name.
  ///   - signIn: as whom services are asked; nil for nobody.
  ///   - workers: open the files of mosaics.
  /// - Throws: what is wrong with the document, or with the raster that it is not either.
  public static func any(
    path: String, access: DocumentAccess = .folder, signIn: SignIn? = nil,
    workers: Workers = Workers()
  ) throws -> Map {
    if isDocument(path: path) {
      return try open(path: path, access: access, signIn: signIn, workers: workers)
    }
    if isMissing(path: path) { throw noSuchFile(path) }
    if InputEnding(path: path).isDelimited, FileKind(path: path) == .file {
      let table = PointFileTable {
        var options = FeatureInput.Options(path: path, access: access)
        options.needsTypes = true
        return options
      } failure: {
        $0
      }
      return Map(layers: [FeatureLayer(LayerProperties(id: title(of: path)), table: table)])
    }
    let named = access.named ?? .named(path)
    if try SourceInspection.isVectorOnly(path, access: named),
      let names = try? SourceInspection.layerNames(of: path, access: named)
    {
      let layers = names.reversed().map { name in
        FeatureLayer(
          LayerProperties(id: name),
          table: VectorFeatureTable(path: path, layer: name, access: access))
      }
      return Map(layers: layers)
    }
    let rasters: [Raster]
    do {
      rasters = try [Raster].open([path], access: access, workers: workers)
    } catch {
      // A raster may be described in JSON too, so it is one when it opens.
      throw documentFault(path: path).map { PlumbError($0) } ?? error
    }
    return Map(layers: rasters.map { RasterLayer(LayerProperties(id: $0.name), raster: $0) })
  }

  /// A file's name without folders.
  static func title(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
