import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// A path as a document writes it, and what opens it.
package struct LayerSource {
  package let text: String
  /// A layer in the file; nil for the only one, or for the one that `#` in the text names.
  package let layer: String?
  package let folder: DocumentFolder
  /// Where the text stands, for errors.
  package let node: DocumentNode
  package let workers: Workers

  /// Whether it is a file behind an address.
  var isRemote: Bool { RemoteSession.isAddress(text) && RemotePath(text) != nil }

  /// - Throws: `LayerError`, where and why.
  package func raster(name: String) throws -> Raster {
    do {
      if isRemote {
        let access =
          folder.boundary == nil
          ? GDALAccess.anywhere
          : GDALAccess.document(fetching: try folder.session.fetching(allowed: text))
        return try YieldingLock.whileWaiting {
          try Raster.open(text, name: name, workers: workers) { _ in access }
        }
      }
      let path = try folder.path(of: text, isPattern: true)
      // A helper process that does not answer holds up this layer alone.
      return try YieldingLock.whileWaiting {
        try Raster.open(path, name: name, workers: workers) { file in
          try folder.access(to: file, as: .raster)
        }
      }
    } catch {
      throw failure(error)
    }
  }

  package func table() -> VectorFeatureTable {
    VectorFeatureTable { () throws(LayerError) in
      do {
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

  /// The rows of delimited text at the points that two columns hold: those that the layer's
  /// `locationInfo` names, in degrees of WGS84, else the usual ones.
  package func pointTable(_ layer: DocumentNode) throws(DocumentFault) -> PointFileTable {
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

  /// A layer for each layer of the file, the first on top.
  ///
  /// - Throws: `LayerError`.
  package func layersOfFile(popup: PopupDefinition?) throws -> [any Layer] {
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

  /// Whether it holds features and no cells; false for what cannot be opened.
  package var isVectorOnly: Bool {
    if layer != nil { return true }
    guard let (path, fragment) = try? point else { return false }
    if fragment != nil { return true }
    guard folder.boundary != nil else {
      return Self.isVectorOnly(path, .anywhere)
    }
    // A file that no check lets through fails in one way or the other.
    guard let vector = try? folder.access(to: path, as: .vector) else { return false }
    let raster = try? folder.access(to: path, as: .raster)
    let drivers = (vector.drivers ?? []) + (raster?.drivers ?? [])
    let access = GDALAccess.document(drivers: drivers).isolated(in: folder.boundary)
    return Self.isVectorOnly(path, access)
  }

  private static func isVectorOnly(_ path: String, _ access: GDALAccess) -> Bool {
    do throws(GDALError) {
      return try SourceInspection.isVectorOnly(path, access: access)
    } catch {
      // Opened for good, it says why.
      return true
    }
  }

  /// The file, and the layer that the text names behind `#`; the longest file name goes first.
  private var point: (path: String, fragment: String?) {
    get throws(PlumbError) {
      // Whoever writes more is not looking for a file.
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
    return node.fault(error).layerError
  }
}
