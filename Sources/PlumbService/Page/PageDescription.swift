import Plumb
import PlumbIO

/// Handles `GET /api/page`, which returns the information that the web page needs.
struct PageDescription {
  let catalog: ServiceCatalog
  let monitors: [String]

  var json: JSONObject {
    var object = JSONObject()
    object.add("version", "\(plumbVersion)")
    object.add("needsToken", catalog.settings.needsToken)
    object.add("maps", catalog.maps.map(map))
    object.add("networks", catalog.networks.map(network))
    object.add("monitors", texts: monitors)
    var limits = JSONObject()
    limits.add("maxPoints", catalog.settings.maximumPoints)
    if let bytes = catalog.settings.maximumBody { limits.add("maxBody", bytes) }
    object.add("limits", limits)
    return object
  }

  private func map(_ service: MapService) -> JSONObject {
    var object = JSONObject()
    object.add("name", service.name)
    object.add("title", service.name)
    add(service.extent, to: &object)
    object.add(
      "images",
      service.images.map { image in
        var entry = JSONObject()
        entry.add("layer", image.layer.number)
        entry.add("service", image.name)
        entry.add("title", image.layer.name)
        // `failures` contains the layers that do not open.
        if let dates = try? image.dates() { entry.add("dates", texts: dates.texts) }
        return entry
      })
    object.add(
      "failures",
      service.failures.map { failure in
        var entry = JSONObject()
        entry.add("layer", failure.number)
        entry.add("message", failure.message)
        return entry
      })
    return object
  }

  private func network(_ service: NetworkService) -> JSONObject {
    let definition = service.opened.network.definition
    var object = JSONObject()
    object.add("name", service.name)
    let named = definition.domainNetworks.flatMap(\.sources).flatMap(\.assetGroups)
      .flatMap(\.assetTypes).flatMap(\.categories)
    var seen: Set<String> = []
    object.add(
      "categories",
      texts: (definition.categories + named).filter { seen.insert($0.lowercased()).inserted })
    object.add("attributes", texts: definition.networkAttributes.map(\.name))
    object.add("types", texts: TraceType.allCases.map(\.rawValue))
    add((try? service.layers()).flatMap { service.extent(of: $0) }, to: &object)
    return object
  }

  private func add(_ extent: Envelope?, to object: inout JSONObject) {
    let box = extent?.degrees.map { "[" + $0.map(\.description).joined(separator: ",") + "]" }
    object.add("extent", json: box ?? "null")
  }
}
