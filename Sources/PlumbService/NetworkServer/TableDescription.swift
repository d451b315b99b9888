import Plumb
import PlumbIO

/// The description of a network table in its feature service.
struct TableDescription {
  let layer: NetworkService.Layer

  var json: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("id", layer.number)
    object.add("name", layer.name)
    object.add("type", layer.typeName)
    object.add("description", "")
    object.add("copyrightText", "")
    object.add("parentLayer", .null)
    object.add("subLayers", [])
    object.add("defaultVisibility", true)
    object.add("minScale", 0)
    object.add("maxScale", 0)
    if let shape = layer.rows.shape {
      layer.rows.describeShapes(in: &object)
      var drawing = JSONObject()
      drawing.add("renderer", Renderer.simple(.standard(for: shape)).json)
      object.add("drawingInfo", drawing)
    }
    layer.rows.describeFields(in: &object)
    object.add("capabilities", "Query")
    return object
  }
}
