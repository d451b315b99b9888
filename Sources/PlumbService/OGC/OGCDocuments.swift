import Plumb
import PlumbIO

/// The landing page, conformance and collections documents below `/ogc`.
struct OGCDocuments {
  private let catalog: ServiceCatalog
  private let request: ServiceRequest

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest) {
    (self.catalog, self.request) = (catalog, request)
  }

  static let title = "Plumb"
  static let summary = "Features and raster values of the server's maps and networks."

  var landing: JSONObject {
    var links = OGCLinks(request)
    links.addSelf("/", "application/json", "This document")
    links.add(
      "/api?f=json", "service-desc", "application/vnd.oai.openapi+json;version=3.0",
      "The API as OpenAPI 3.0")
    links.add("/api?f=html", "service-doc", "text/html", "The API as a page")
    links.add("/conformance", "conformance", "application/json", "The conformance classes")
    links.add("/collections", "data", "application/json", "The collections")
    var object = JSONObject()
    object.add("title", Self.title)
    object.add("description", Self.summary)
    object.add("links", links.list)
    return object
  }

  var conformance: JSONObject {
    let root = "http://www.opengis.net/spec/"
    var object = JSONObject()
    object.add(
      "conformsTo",
      texts: [
        "ogcapi-common-1/1.0/conf/core", "ogcapi-common-1/1.0/conf/json",
        "ogcapi-common-1/1.0/conf/html", "ogcapi-common-1/1.0/conf/oas30",
        "ogcapi-common-2/1.0/conf/collections", "ogcapi-features-1/1.0/conf/core",
        "ogcapi-features-1/1.0/conf/oas30", "ogcapi-features-1/1.0/conf/geojson",
        "ogcapi-features-1/1.0/conf/html", "ogcapi-features-2/1.0/conf/crs",
        "ogcapi-edr-1/1.0/conf/core", "ogcapi-edr-1/1.0/conf/collections",
        "ogcapi-edr-1/1.0/conf/json", "ogcapi-edr-1/1.0/conf/html",
        "ogcapi-edr-1/1.0/conf/oas30", "ogcapi-edr-1/1.0/conf/covjson",
        "ogcapi-edr-1/1.0/conf/geojson", "ogcapi-edr-1/1.1/conf/core",
        "ogcapi-edr-1/1.1/conf/collections", "ogcapi-edr-1/1.1/conf/json",
        "ogcapi-edr-1/1.1/conf/html", "ogcapi-edr-1/1.1/conf/oas30",
        "ogcapi-edr-1/1.1/conf/covjson", "ogcapi-edr-1/1.1/conf/geojson",
      ].map { root + $0 })
    return object
  }

  /// Returns all collections. Collections that cannot be read are omitted and listed as warnings.
  func collections(_ warnings: inout [String]) throws -> JSONObject {
    var links = OGCLinks(request)
    links.addSelf("/collections", "application/json", "The collections")
    var list: [JSONObject] = []
    warnings += OGCCollection.omissions(in: catalog)
    for collection in OGCCollection.all(of: catalog) {
      try WorkCancellation.checkCurrent()
      do {
        list.append(try CollectionDescription(collection, request).object())
      } catch {
        warnings.append(collection.omission(error))
      }
    }
    var object = JSONObject()
    object.add("links", links.list)
    object.add("collections", list)
    return object
  }
}
