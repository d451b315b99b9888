import Plumb
import PlumbIO

/// The API as an OpenAPI 3.0 document. Each path has separate parameters, so that the document
/// describes the queries of each collection.
struct OGCDescription {
  private let catalog: ServiceCatalog
  private let request: ServiceRequest

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest) {
    (self.catalog, self.request) = (catalog, request)
  }

  /// - Parameter warnings: receives messages about the collections that cannot be read. These
  ///   collections are omitted.
  func object(_ warnings: inout [String]) throws -> JSONObject {
    var info = JSONObject()
    info.add("title", OGCDocuments.title)
    info.add("description", OGCDocuments.summary)
    info.add("version", "\(plumbVersion)")
    var server = JSONObject()
    server.add("url", OGCLinks.root(request))
    var object = JSONObject()
    object.add("openapi", "3.0.3")
    object.add("info", info)
    object.add("servers", [server])
    object.add("paths", try paths(&warnings))
    object.add("components", components)
    if catalog.settings.needsToken {
      object.add("security", json: #"[{"token":[]}]"#)
    }
    return object
  }

  // MARK: Addresses

  private func paths(_ warnings: inout [String]) throws -> JSONObject {
    var paths = JSONObject()
    func add(
      _ path: String, _ id: String, _ summary: String, schema: String,
      type: String = "application/json"
    ) {
      let operation = OGCOperation(
        id: id, summary: summary, parameters: [Self.form([.json, .page])],
        contents: [(type, Self.reference(schema)), ("text/html", Self.text)],
        failures: [400, 406])
      paths.add(path, Self.item(get: operation, needsToken: catalog.settings.needsToken))
    }
    add("/", "landing", "The landing page", schema: "landing")
    add("/conformance", "conformance", "The conformance classes", schema: "conformance")
    add(
      "/api", "api", "This document", schema: "object",
      type: "application/vnd.oai.openapi+json")
    add("/collections", "collections", "The collections", schema: "collections")
    warnings += OGCCollection.omissions(in: catalog)
    for collection in OGCCollection.all(of: catalog) {
      try WorkCancellation.checkCurrent()
      let path = "/collections/" + collection.id
      do {
        switch collection.content {
        case .features(let read):
          let rows = try read()
          add(path, collection.id, collection.title, schema: "collection")
          add(
            path + "/queryables", collection.id + ".queryables",
            "The queryable properties", schema: "object",
            type: "application/schema+json")
          addItems(of: rows, collection, path, to: &paths)
        case .raster(let image):
          let (raster, reference) = (try image.raster(), try image.reference())
          add(path, collection.id, collection.title, schema: "collection")
          addQueries(
            of: raster, reference, hasDates: try image.dates() != nil, collection, path,
            to: &paths)
        }
      } catch {
        warnings.append(collection.omission(error))
      }
    }
    return paths
  }

  private func addItems(
    of rows: FeatureRows, _ collection: OGCCollection, _ path: String, to paths: inout JSONObject
  ) {
    let references = OGCReference.all(storage: rows.reference).map(\.address)
    let crs = Self.parameter(
      "crs", "The CRS of the result", Self.words(references, usual: OGCReference.crs84.address))
    let shared = ["limit", "offset", "bbox", "datetime"].map(Self.shared)
    let boxCRS = Self.parameter(
      "bbox-crs", "The CRS of the box", Self.words(references, usual: OGCReference.crs84.address))
    let headers = ["Content-Crs"]
    let list = OGCOperation(
      id: collection.id + ".items", summary: "Features of " + collection.title,
      parameters: [Self.form([.features, .page, .parquet])] + shared + [crs, boxCRS]
        + Queryables(rows).parameters.map(\.text),
      contents: [
        ("application/geo+json", Self.reference("featureCollection")), ("text/html", Self.text),
        (ContentType.parquet, Self.binary),
      ], headers: headers, failures: [400, 406])
    paths.add(path + "/items", Self.item(get: list, needsToken: catalog.settings.needsToken))
    let example = rows.ids.first.map { ",\"example\":\($0)" } ?? ""
    let one = OGCOperation(
      id: collection.id + ".item", summary: "A feature of " + collection.title,
      parameters: [
        #"{"name":"featureId","in":"path","required":true,"description":"The feature's id","#
          + #""schema":{"type":"integer","format":"int64"}\#(example)}"#,
        Self.form([.features, .page]), crs,
      ],
      contents: [
        ("application/geo+json", Self.reference("feature")), ("text/html", Self.text),
      ], headers: headers, failures: [400, 404, 406])
    paths.add(
      path + "/items/{featureId}", Self.item(get: one, needsToken: catalog.settings.needsToken))
  }

  private func addQueries(
    of raster: Raster, _ reference: SpatialReference, hasDates: Bool,
    _ collection: OGCCollection, _ path: String, to paths: inout JSONObject
  ) {
    let references = OGCReference.all(storage: reference)
    let values = RasterParameter.all(of: raster)
    for kind in OGCRouter.dataQueries {
      var schemas: [(name: String, summary: String, schema: String)] = [
        ("coords", DataCoordinates.summary(kind), DataCoordinates.schema(kind)),
        (
          "crs", "The CRS of `coords` and of the result",
          Self.words(
            references.map(\.address) + references.map(\.shortName),
            usual: OGCReference.crs84.address)
        ),
        Self.parameterNames(values, kind),
      ]
      if kind == "radius" {
        schemas.append(
          (
            "within", "The distance from the point, along the ground",
            #"{"type":"number","minimum":0}"#
          ))
        schemas.append(
          (
            "within-units", "The unit of `within`",
            Self.words(DataQuery.units.map(\.name), usual: "m")
          ))
      }
      schemas.append(
        (
          "f", "The format of the reply",
          Self.words(OGCForm.data.map { $0.words[0] }, usual: OGCForm.coverageJSON.words[0])
        ))
      let required = kind == "radius" ? ["coords", "within"] : ["coords"]
      let contents = [
        ("application/prs.coverage+json", Self.reference("coverages")),
        ("application/geo+json", Self.reference("points")), ("text/csv", Self.text),
      ]
      var get = OGCOperation(
        id: "\(collection.id).\(kind)", summary: "Values of \(collection.title) by \(kind)",
        parameters: schemas.map {
          Self.parameter($0.name, $0.summary, $0.schema, isRequired: required.contains($0.name))
        } + ["datetime", "z"].map(Self.shared),
        contents: contents, headers: ["Content-Crs"],
        failures: hasDates ? [400, 404, 406, 413] : [400, 406, 413])
      let getText = get
      get.id += ".post"
      get.summary += ", for parameters that are too long for an address"
      get.parameters = []
      if hasDates {
        schemas.append(
          (
            "datetime", "A time, or a start and an end separated by a slash",
            #"{"type":"string"}"#
          ))
      }
      get.body = Self.body(schemas, required)
      get.failures.append(415)
      paths.add(
        "\(path)/\(kind)",
        Self.item(get: getText, post: get, needsToken: catalog.settings.needsToken))
    }
  }

  private static func parameterNames(
    _ values: [RasterParameter], _ kind: String
  ) -> (name: String, summary: String, schema: String) {
    let statistics = kind == "area" ? AreaStatistic.all(of: values) : []
    let words = words(values.map(\.name) + statistics.map(\.name))
    return (
      "parameter-name",
      statistics.isEmpty
        ? "The parameters to return; all by default"
        : "The values of cells, and the means and counts of the area, to return; all values by default",
      #"{"type":"array","items":"# + words + #","minItems":1}"#
    )
  }

  // MARK: Parts

  private static func item(
    get: OGCOperation, post: OGCOperation? = nil, needsToken: Bool
  ) -> JSONObject {
    var item = JSONObject()
    item.add("get", get.object(needsToken: needsToken))
    if let post { item.add("post", post.object(needsToken: needsToken)) }
    return item
  }

  /// Returns the schema of a form with the query parameters as its members.
  private static func body(
    _ schemas: [(name: String, summary: String, schema: String)], _ required: [String]
  ) -> String {
    var properties = JSONObject()
    for (name, _, schema) in schemas { properties.add(name, json: schema) }
    var object = JSONObject()
    object.add("type", "object")
    object.add("required", texts: required)
    object.add("properties", properties)
    object.add("additionalProperties", false)
    var content = JSONObject()
    var encoding = JSONObject()
    encoding.add("parameter-name", json: #"{"style":"form","explode":false}"#)
    var form = JSONObject()
    form.add("schema", object)
    form.add("encoding", encoding)
    content.add("application/x-www-form-urlencoded", form)
    var body = JSONObject()
    body.add("required", true)
    body.add("content", content)
    return body.text
  }

  private static func parameter(
    _ name: String, _ summary: String, _ schema: String, isRequired: Bool = false
  ) -> String {
    var object = JSONObject()
    object.add("name", name)
    object.add("in", "query")
    object.add("required", isRequired)
    object.add("description", summary)
    object.add("style", "form")
    object.add("explode", false)
    object.add("schema", json: schema)
    return object.text
  }

  private static func form(_ forms: [OGCForm]) -> String {
    parameter(
      "f", "The format of the reply; by default, the header `Accept` selects it",
      words(forms.map { $0.words[0] }))
  }

  private static func words(_ words: [String], usual: String? = nil) -> String {
    var object = JSONObject()
    object.add("type", "string")
    object.add("enum", texts: words)
    if let usual { object.add("default", usual) }
    return object.text
  }

  private static func shared(_ name: String) -> String {
    ##"{"$ref":"#/components/parameters/\##(name)"}"##
  }

  static func reference(_ schema: String) -> String {
    ##"{"$ref":"#/components/schemas/\##(schema)"}"##
  }

  private static let text = #"{"type":"string"}"#
  private static let binary = #"{"type":"string","format":"binary"}"#

  private var components: JSONObject {
    var components = JSONObject()
    components.add("parameters", json: OGCSchemas.parameters)
    components.add("schemas", json: OGCSchemas.schemas)
    components.add("responses", OGCOperation.failures)
    if catalog.settings.needsToken {
      components.add("securitySchemes", json: #"{"token":{"type":"http","scheme":"bearer"}}"#)
    }
    return components
  }
}
