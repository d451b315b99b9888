import PlumbCore
import PlumbDocuments
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

extension Map {
  /// Opens a path as a map. The path is a map document, a raster or mosaic, a variable of a file of arrays
  /// (`era5.nc#t2m`), an asset of a STAC document (`items.json#ndvi`), or a file of features. The layers of a file of
  /// features become layers of the map, and the first layer is on top. A raster whose bands have dates becomes a layer
  /// with dates.
  ///
  /// - Parameters:
  ///   - access: the files and hosts that a document may name.
  ///   - signIn: the credentials for services; nil for none.
  ///   - workers: the workers that open the files of mosaics.
  /// - Throws: the error of the document, or of the raster if the path is not a document.
  public static func any(
    path: String, access: DocumentAccess = .folder, signIn: SignIn? = nil,
    workers: Workers = Workers()
  ) throws -> Map {
    if isDocument(path: path) {
      return try open(path: path, access: access, signIn: signIn, workers: workers)
    }
    let isPart = path.utf8.contains(UInt8(ascii: "#")) && FileKind(path: path) == nil
    if isMissing(path: path), !isPart { throw noSuchFile(path) }
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
    if try !isPart && SourceInspection.isVectorOnly(path, access: named),
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
      rasters = try [Raster].open([path], access: access, workers: workers, readsDates: true)
    } catch {
      // A JSON file may also describe a raster, so the error of the map document is thrown only if
      // GDAL cannot open the file.
      throw documentFault(path: path).map { PlumbError($0) } ?? error
    }
    return Map(
      layers: try rasters.map { raster in
        let properties = LayerProperties(id: raster.name)
        guard raster.hasBandDates || raster.memberDates != nil else {
          return RasterLayer(properties, raster: raster)
        }
        let dates = RasterDates(try DatedStack(raster, ImageDates([])))
        return RasterLayer(properties, opening: { .dates(dates) })
      })
  }

  /// Returns a file's name without its folders.
  static func title(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
