import Plumb

/// A collection below `/ogc/collections`, which is a feature layer or a raster.
struct OGCCollection: Sendable {
  enum Content: Sendable {
    /// The features, which are read at first use.
    case features(@Sendable () throws -> FeatureRows)
    case raster(ImageService)
  }

  /// The id, which consists of letters, digits, dots, hyphens and underscores.
  var id: String
  var title: String
  var content: Content

  /// Returns the message for a list that omits the collection because of an error.
  func omission(_ error: any Error) -> String {
    "the collection \(id) is left out: \(ServiceError(error).message)"
  }

  /// Returns messages for the parts of the documents that cannot be opened and therefore have no
  /// collection.
  static func omissions(in catalog: ServiceCatalog) -> [String] {
    var lines: [String] = []
    for map in catalog.maps {
      for (number, message) in map.failures {
        let layer = map.layers[number]
        guard !layer.isFeatures, !layer.isRaster else { continue }
        lines.append(layer.omission(ServiceError(message)))
      }
    }
    for network in catalog.networks {
      do {
        _ = try network.layers()
      } catch {
        lines.append("\(network.name.printable) is left out: \(ServiceError(error).message)")
      }
    }
    return lines
  }

  /// Returns the collections of some documents, in the order of their services. Layers that cannot
  /// be opened are omitted.
  static func all(of catalog: ServiceCatalog) -> [OGCCollection] {
    var list: [OGCCollection] = []
    var used: Set<String> = []
    func add(_ document: String, _ layer: String, _ title: String, _ content: Content) {
      let base = plain(document) + "." + plain(layer)
      var id = base
      var number = 1
      while !used.insert(id).inserted {
        number += 1
        id = "\(base)-\(number)"
      }
      list.append(OGCCollection(id: id, title: title, content: content))
    }
    for map in catalog.maps {
      for layer in map.layers {
        if layer.isFeatures {
          add(map.name, layer.path, layer.name, .features { try map.rows(of: layer) })
        } else if let image = map.image(layer.number) {
          add(map.name, layer.path, layer.name, .raster(image))
        }
      }
    }
    for network in catalog.networks {
      for layer in (try? network.layers()) ?? [] {
        add(network.name, layer.name, layer.name, .features { layer.rows })
      }
    }
    return list
  }

  /// Returns a collection by its id.
  static func named(
    _ id: String, in catalog: ServiceCatalog
  ) throws(ServiceError) -> OGCCollection {
    if let found = all(of: catalog).first(where: { $0.id == id }) { return found }
    for network in catalog.networks where id.hasPrefix(plain(network.name) + ".") {
      // The collections of a network whose tables cannot be read are not listed.
      do { _ = try network.layers() } catch { throw ServiceError(error) }
    }
    throw .notFound("there is no collection \(id.shown)")
  }

  /// Replaces the characters of a string that would need escaping in a URL.
  private static func plain(_ text: String) -> String {
    let kept = text.unicodeScalars.map { scalar -> Character in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": Character(scalar)
      case "/": "."
      default: "_"
      }
    }
    return kept.isEmpty ? "_" : String(kept)
  }
}
