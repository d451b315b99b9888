import PlumbCore
import PlumbLayers
import PlumbSources

/// Creates the sublayers of a map service document from local files.
struct LocalSublayers {
  let folder: DocumentFolder
  let workers: Workers

  func leaf(
    _ node: DocumentNode, _ properties: LayerProperties, _ settings: LayerSettings,
    _ kind: ServiceLayers.Kind?
  ) throws(DocumentFault) -> any Layer {
    let source = try source(of: node)
    switch kind {
    case .feature?: break
    case nil where source.isVectorOnly: break
    default:
      return RasterLayer(
        properties, renderer: settings.rasterRenderer, popup: settings.popup,
        isRemote: source.isRemote
      ) {
        try source.raster(name: properties.name)
      }
    }
    return FeatureLayer(
      properties, table: source.table(), definitionExpression: settings.condition,
      renderer: settings.renderer, popup: settings.popup)
  }

  private func source(of node: DocumentNode) throws(DocumentFault) -> LayerSource {
    let member = try node.required("source", "a path")
    guard case .object = member.tree else {
      return LayerSource(
        text: try member.text(), layer: nil, folder: folder, node: member, workers: workers)
    }
    let path = try member.required("path", "a path")
    let layer = try member.firstMember("layer", "layerName", "name")?.text()
    return LayerSource(
      text: try path.text(), layer: layer, folder: folder, node: path, workers: workers)
  }
}
