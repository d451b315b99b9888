import Plumb
import PlumbIO

/// The entry of a layer in a service's layer list.
struct LayerEntry {
  var number: Int
  var name: String
  var type: String
  var parent: Int?
  var children: [Int] = []
  var isVisible = true
  var scaleRange = ScaleRange()
  var shape: EsriShape?

  var json: JSONObject {
    var object = JSONObject()
    object.add("id", number)
    object.add("name", name)
    object.add("parentLayerId", parent ?? -1)
    object.add("defaultVisibility", isVisible)
    if children.isEmpty {
      object.add("subLayerIds", .null)
    } else {
      object.add("subLayerIds", integers: children)
    }
    object.add("minScale", scaleRange.minScale)
    object.add("maxScale", scaleRange.maxScale)
    object.add("type", type)
    if let shape { object.add("geometryType", shape.rawValue) }
    return object
  }
}

extension MapService {
  /// Returns the entry of a layer in the lists of map and feature services.
  func entry(_ layer: ServiceLayer) -> JSONObject {
    let properties = layer.layer.properties
    return LayerEntry(
      number: layer.number, name: layer.name, type: typeName(layer), parent: layer.parent,
      children: layer.children, isVisible: properties.isVisible,
      scaleRange: properties.scaleRange,
      shape: layer.isFeatures ? (try? rows(of: layer))?.shape : nil
    ).json
  }
}
