import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// A path in a document, with the settings for opening it.
struct LayerSource {
  package let text: String
  /// The name of a layer in the file; nil for the only layer, or if `text` contains the name after
  /// `#`.
  package let layer: String?
  package let folder: DocumentFolder
  /// The position of the text, for errors.
  package let node: DocumentNode
  package let workers: Workers

  /// Whether the source is a remote file.
  var isRemote: Bool { DocumentFolder.isRemoteFile(text) }

  /// Whether the source is a remote Parquet file.
  private var isRemoteTable: Bool { DocumentFolder.isRemoteTable(text) }

  /// - Throws: `LayerError` with position and reason.
  package func raster(name: String) throws -> Raster {
    do {
      if isRemote {
        let access = try folder.access(toURL: text, driver: "GTiff")
        return try YieldingLock.whileWaiting {
          try Raster.open(text, name: name, workers: workers) { _ in access }
        }
      }
      let path = try folder.path(of: text, isPattern: true)
      // The lock is released while waiting, so that a helper process that does not respond blocks only this
      // layer.
      return try YieldingLock.whileWaiting {
        try Raster.open(path, name: name, workers: workers) { file in
          try folder.access(toRaster: file)
        }
      }
    } catch {
      throw failure(error)
    }
  }

  /// The raster, with its dates if it has dates.
  ///
  /// - Throws: `LayerError` with position and reason.
  func raster(name: String, _ dates: LayerDates) throws -> RasterLayer.Opened {
    let raster = try raster(name: name)
    do {
      return try YieldingLock.whileWaiting { try dates.opened(raster, in: folder) }
    } catch {
      throw failure(error)
    }
  }

  package func table() -> VectorFeatureTable {
    VectorFeatureTable { () throws(LayerError) in
      do {
        if isRemoteTable {
          return VectorFeatureTable.Source(
            path: text, layer: layer,
            access: try folder.access(toURL: text, driver: "Parquet"))
        }
        let (path, fragment) = try point
        return VectorFeatureTable.Source(
          path: path, layer: layer ?? fragment,
          access: try folder.access(to: path, as: .vector))
      } catch {
        throw failure(error)
      }
    } failure: {
      failure($0)
    }
  }

  /// Creates a table of points from delimited text. The columns of x and y that the layer's
  /// `locationInfo` names are in degrees of WGS84. Without these names, the default columns are
  /// used.
  func pointTable(_ layer: DocumentNode) throws(DocumentFault) -> PointFileTable {
    let columns = try layer.member("locationInfo")?.object()
    let x = try columns?.text("longitudeFieldName")
    let y = try columns?.text("latitudeFieldName")
    return PointFileTable {
      do {
        let path = try folder.path(of: text)
        guard FileKind(path: path) == .file else {
          throw PlumbError("\(text.printable) is not a file of delimited text")
        }
        var options = FeatureInput.Options(path: path)
        (options.x, options.y) = (x, y)
        options.needsTypes = true
        if x != nil, y != nil { options.reference = .wgs84 }
        return options
      } catch {
        throw failure(error)
      }
    } failure: {
      failure($0)
    }
  }

  /// Creates a layer for each layer of the file, topmost first.
  ///
  /// - Throws: `LayerError`.
  func layersOfFile(popup: PopupDefinition?) throws -> [any Layer] {
    do {
      let (path, _) = try point
      let access = try folder.access(to: path, as: .vector)
      let names = try SourceInspection.layerNames(of: path, access: access)
      return names.enumerated().map { index, name in
        FeatureLayer(
          LayerProperties(id: String(index), name: name),
          table: LayerSource(
            text: text, layer: name, folder: folder, node: node, workers: workers
          ).table(), popup: popup)
      }
    } catch {
      throw failure(error)
    }
  }

  /// Whether the file has features but no cells; false if the file cannot be opened.
  package var isVectorOnly: Bool {
    if layer != nil || isRemoteTable { return true }
    guard let (path, fragment) = try? point else { return false }
    if fragment != nil {
      let driver = try? SourceInspection.driver(
        of: path, as: .raster, among: GDALAccess.arrayDrivers + ["GRIB"], in: folder.boundary)
      return driver == nil
    }
    guard folder.boundary != nil else {
      return Self.isVectorOnly(path, .anywhere)
    }
    // A file that fails the checks is reported when it is opened.
    guard let vector = try? folder.access(to: path, as: .vector) else { return false }
    let raster = try? folder.access(toRaster: path)
    let drivers = (vector.drivers ?? []) + (raster?.drivers ?? [])
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder.boundary)
    return Self.isVectorOnly(path, access)
  }

  private static func isVectorOnly(_ path: String, _ access: GDALAccess) -> Bool {
    do throws(GDALError) {
      return try SourceInspection.isVectorOnly(path, access: access)
    } catch {
      // The reason is reported when the file is opened.
      return true
    }
  }

  /// The path of the file, and the name of the layer after `#` in `text`. If `text` contains
  /// several `#`, the longest file name that exists takes precedence.
  private var point: (path: String, fragment: String?) {
    get throws(PlumbError) {
      // Only the last eight `#` are tried, because file names are not expected to contain more.
      let marks = text.indices.filter { text[$0] == "#" && $0 != text.startIndex }.suffix(8)
      guard let last = marks.last else { return (try folder.path(of: text), nil) }
      for end in [text.endIndex] + marks.reversed() {
        let file = Result { () throws(PlumbError) in try folder.path(of: String(text[..<end])) }
        guard case .success(let path) = file, FileKind(path: path) != nil else { continue }
        let fragment = text[end...].dropFirst()
        return (path, fragment.isEmpty ? nil : String(fragment))
      }
      return (try folder.path(of: String(text[..<last])), String(text[last...].dropFirst()))
    }
  }

  private func failure(_ error: any Error) -> LayerError {
    if let error = error as? LayerError { return error }
    if let error = error as? DocumentFault { return error.layerError }
    return node.fault(error).layerError
  }
}
