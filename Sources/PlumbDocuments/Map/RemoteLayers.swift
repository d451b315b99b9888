import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Creates a layer of a map document whose data comes from a service.
struct RemoteLayers {
  private let target: RemoteTarget
  /// The position of the service's address in the document, for errors.
  private let node: DocumentNode
  var workers = Workers(count: 1)

  init(_ target: RemoteTarget, node: DocumentNode) { (self.target, self.node) = (target, node) }

  /// - Parameter layer: the operational layer.
  func layer(
    _ kind: LayerKind, _ layer: DocumentNode, _ settings: LayerSettings,
    _ properties: LayerProperties
  ) throws(DocumentFault) -> any Layer {
    let (target, failure) = (target, failure)
    switch kind {
    case .feature:
      return FeatureLayer(
        properties, table: target.table(failure: failure),
        definitionExpression: settings.condition, renderer: settings.renderer,
        popup: settings.popup)
    case .raster:
      return RasterLayer(
        properties, renderer: settings.rasterRenderer, popup: settings.popup, isRemote: true
      ) {
        do {
          let address = try target.service()
          guard case .image = address.kind else {
            throw PlumbError(
              "\(address.shown) is not an image service: its address does not end in ImageServer",
              code: .badInput)
          }
          let source = try RemoteImageSource(
            address, session: target.session, access: target.access)
          return try Raster(name: properties.name, members: [source])
        } catch {
          throw failure(error)
        }
      }
    case .other:
      return try WebMapServiceLayer(target, layer, failure: failure).layer(properties, settings)
    default:
      let overrides = try SublayerOverrides(layer)
      return MapImageLayer(properties, isRemote: true) {
        do {
          return try RemoteServiceLayers(target: target, overrides: overrides).sublayers()
        } catch {
          throw failure(error)
        }
      }
    }
  }

  /// A closure that adds the position of the service's address to an error.
  private var failure: (any Error) -> any Error {
    { [node] error in
      if let error = error as? LayerError { return error }
      if let error = error as? DocumentFault { return error.layerError }
      return node.fault(error).layerError
    }
  }
}
