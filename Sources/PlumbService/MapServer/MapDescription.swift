import Plumb
import PlumbIO

/// The description of a map service.
struct MapDescription {
  let service: MapService

  func json() -> JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("serviceDescription", "")
    object.add("mapName", service.name)
    object.add("description", "")
    object.add("copyrightText", copyright)
    for (name, parameter) in [
      ("supportsDynamicLayers", "dynamicLayers"),
      ("supportsDatumTransformation", "datumTransformations"),
      ("supportsClipping", "clipping"), ("supportsSpatialFilter", "spatialFilter"),
      ("supportsTimeRelation", "timeRelation"),
    ] {
      object.add(name, RESTOperation.mapExport.uses(parameter))
    }
    object.add("layers", service.layers.filter { !service.isTable($0) }.map(service.entry))
    object.add("tables", service.layers.filter { service.isTable($0) }.map(service.entry))
    object.add("spatialReference", service.reference.json)
    object.add("singleFusedMapCache", false)
    let extent = service.extent ?? .empty(service.reference)
    object.add("initialExtent", extent.json)
    object.add("fullExtent", extent.json)
    object.add("minScale", 0)
    object.add("maxScale", 0)
    object.add("units", service.reference.esriUnits)
    object.add("supportedImageFormatTypes", "PNG32,PNG24,PNG8,PNG,PDF,SVG")
    var info = JSONObject()
    info.add("Title", service.name)
    info.add("Author", "")
    info.add("Comments", "")
    info.add("Subject", "")
    info.add("Category", "")
    info.add("Keywords", "")
    info.add("AntialiasingMode", "None")
    info.add("TextAntialiasingMode", "None")
    object.add("documentInfo", info)
    object.add("capabilities", "Map,Query,Data")
    object.add("supportedQueryFormats", "JSON, geoJSON")
    object.add("exportTilesAllowed", false)
    object.add("maxRecordCount", ServiceLimits.records)
    object.add("maxImageHeight", ServiceLimits.pictureSide)
    object.add("maxImageWidth", ServiceLimits.pictureSide)
    object.add("supportedExtensions", "FeatureServer")
    return object
  }

  private var copyright: String {
    var seen: [String] = []
    for layer in service.layers {
      let text = layer.layer.properties.attribution
      if !text.isEmpty, !seen.contains(text) { seen.append(text) }
    }
    return seen.joined(separator: "; ")
  }
}
