import Plumb
import PlumbIO
import PlumbVerbs

/// The description of a layer in map and feature services.
struct LayerDescription {
  let service: MapService
  let layer: ServiceLayer
  /// Whether the description is for a feature service.
  let isOfFeatures: Bool

  func json() throws -> JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("id", layer.number)
    object.add("name", layer.name)
    object.add("type", service.typeName(layer))
    object.add("description", "")
    object.add("copyrightText", layer.layer.properties.attribution)
    if let parent = layer.parent {
      object.add("parentLayer", reference(to: parent))
    } else {
      object.add("parentLayer", .null)
    }
    object.add("subLayers", layer.children.map(reference))
    object.add("defaultVisibility", layer.layer.isVisible)
    object.add("minScale", layer.layer.properties.scaleRange.minScale)
    object.add("maxScale", layer.layer.properties.scaleRange.maxScale)
    if case .broken(let broken) = layer.layer.typed {
      throw ServiceError(
        "\(layer.name.printable): \(broken.error.line.text(FrontEnd.service.spellings))",
        status: 500,
        kind: broken.error.code)
    }
    if let popup { object.add("popupInfo", popup.json) }
    if layer.isFeatures {
      try addFeatures(&object)
    } else if layer.isRaster {
      try addRaster(&object)
    } else if let failure = service.failure(of: layer) {
      throw failure
    } else {
      object.add("extent", (service.extent ?? .empty(service.reference)).json)
      object.add("capabilities", "Map")
      object.add("hasAttachments", false)
    }
    return object
  }

  private var popup: PopupDefinition? {
    switch layer.layer.typed {
    case .feature(let layer): layer.popup
    case .raster(let layer): layer.popup
    case .remote(let layer): layer.popup
    case .group, .mapImage, .broken: nil
    }
  }

  private func reference(to number: Int) -> JSONObject {
    var object = JSONObject()
    object.add("id", number)
    object.add("name", service.layers[number].name)
    return object
  }

  private func addRaster(_ object: inout JSONObject) throws {
    let extent = try service.image(layer.number)?.extent() ?? nil
    object.add("extent", (extent ?? .empty(service.reference)).json)
    object.add("geometryType", .null)
    object.add("fields", .null)
    object.add("hasAttachments", false)
    object.add("capabilities", "Map,Query,Data")
  }

  private func addFeatures(_ object: inout JSONObject) throws {
    let rows = try service.rows(of: layer)
    rows.describeShapes(in: &object)
    object.add("drawingInfo", drawing(rows))
    rows.describeFields(in: &object)
    object.add("capabilities", isOfFeatures ? "Query" : "Map,Query,Data")
  }

  private func drawing(_ rows: FeatureRows) -> JSONObject {
    var object = JSONObject()
    var renderer: Renderer?
    if case .feature(let layer) = layer.layer.typed { renderer = layer.renderer }
    let shown = renderer ?? rows.shape.map { .simple(.standard(for: $0)) }
    if let shown { object.add("renderer", shown.json) }
    // `isDefault` marks the default symbols of a layer without symbols, because hit tests ignore
    // the size of default symbols.
    if renderer == nil { object.add("isDefault", true) }
    object.add("transparency", Int(((1 - layer.layer.properties.opacity) * 100).rounded()))
    object.add("labelingInfo", .null)
    return object
  }
}
