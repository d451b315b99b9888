import Plumb
import PlumbIO
import PlumbVerbs

/// Handles `GET /api/openapi.json`, which returns the endpoints under `/api` and their options as
/// an OpenAPI 3.0 document.
struct PlainDescription {
  let catalog: ServiceCatalog
  let request: ServiceRequest

  var json: JSONObject {
    var info = JSONObject()
    info.add("title", "Plumb's verbs as JSON")
    info.add("version", "\(plumbVersion)")
    var server = JSONObject()
    server.add("url", request.origin + "/api")
    var object = JSONObject()
    object.add("openapi", "3.0.3")
    object.add("info", info)
    object.add("servers", [server])
    object.add("paths", paths)
    if catalog.settings.needsToken {
      var components = JSONObject()
      components.add("securitySchemes", json: #"{"token":{"type":"http","scheme":"bearer"}}"#)
      object.add("components", components)
      object.add("security", json: #"[{"token":[]}]"#)
    }
    return object
  }

  private static let (json, lines) = ("application/json", "application/x-ndjson")
  private static let features = "application/geo+json"

  private var paths: JSONObject {
    var paths = JSONObject()
    paths.add(
      "/identify",
      Self.verb(
        "identify", "The layers of a map at points, or cells of a raster",
        Identify.Part.points.options, replies: [Self.json, Self.lines]))
    paths.add("/sample", Self.sample)
    paths.add(
      "/buffer",
      Self.verb(
        "buffer", "Areas within a distance of points or features", Buffer.options,
        replies: [Self.features]))
    paths.add(
      "/zonal",
      Self.verb(
        "zonal", "Statistics of the cells of rasters under areas", Zonal.options,
        replies: [Self.features, "text/csv"]))
    paths.add(
      "/trace",
      Self.verb(
        "trace", "A trace in a network", Trace.options, replies: [Self.json, Self.features]))
    paths.add(
      "/locate",
      Self.verb(
        "locate", "The element of a network that is nearest to a point", Locate.options,
        replies: [Self.json]))
    paths.add("/page", Self.get("page", "The maps, networks and monitors of the server", []))
    let reference = Self.parameter("crs", #"{"type":"string"}"#, isRequired: true)
    paths.add(
      "/reference", Self.get("reference", "The name, unit and area of use of a CRS", [reference]))
    paths.add("/openapi.json", Self.get("openapi", "This document", []))
    return paths
  }

  /// Returns the description of an endpoint whose request body is a JSON object with options.
  private static func verb<Request>(
    _ id: String, _ summary: String, _ table: OptionTable<Request>, replies: [String]
  ) -> JSONObject {
    var content = JSONObject()
    content.add(json, Self.content(of: table.schema(for: .service).text))
    return post(id, summary, parameters: [], content: content, replies: replies)
  }

  /// The description of `sample`, whose request body is a table and whose options are query
  /// parameters.
  private static var sample: JSONObject {
    let table = Identify.Part.table.options
    let parameters = table.options(of: .service).map { option in
      parameter(
        FrontEnd.service.spelling(of: option.option), option.schema(for: .service).text,
        isRequired: false)
    }
    var content = JSONObject()
    for type in ["text/csv", features, "application/x-ndjson"] {
      content.add(type, Self.content(of: #"{"type":"string"}"#))
    }
    let item = post(
      "sample", "The values of a map or a raster at the points of a table", parameters: parameters,
      content: content,
      replies: [
        "text/csv", "text/tab-separated-values", lines, features, "application/geo+json-seq",
      ])
    return item
  }

  private static func parameter(_ name: String, _ schema: String, isRequired: Bool) -> String {
    var object = JSONObject()
    object.add("name", name)
    object.add("in", "query")
    object.add("required", isRequired)
    object.add("explode", false)
    object.add("schema", json: schema)
    return object.text
  }

  private static func content(of schema: String) -> JSONObject {
    var object = JSONObject()
    object.add("schema", json: schema)
    return object
  }

  private static func post(
    _ id: String, _ summary: String, parameters: [String], content: JSONObject, replies: [String]
  ) -> JSONObject {
    var body = JSONObject()
    body.add("required", true)
    body.add("content", content)
    var operation = operation(id, summary, parameters, replies)
    operation.add("requestBody", body)
    var item = JSONObject()
    item.add("post", operation)
    return item
  }

  private static func get(_ id: String, _ summary: String, _ parameters: [String]) -> JSONObject {
    var item = JSONObject()
    item.add("get", operation(id, summary, parameters, [json]))
    return item
  }

  private static func operation(
    _ id: String, _ summary: String, _ parameters: [String], _ replies: [String]
  ) -> JSONObject {
    var types = JSONObject()
    for type in replies {
      types.add(type, content(of: type == json ? #"{"type":"object"}"# : #"{"type":"string"}"#))
    }
    var success = JSONObject()
    success.add("description", summary)
    success.add("content", types)
    var failure = JSONObject()
    failure.add("description", "The error, with a code and a message")
    failure.add("content", json: #"{"application/json":{"schema":{"type":"object"}}}"#)
    var responses = JSONObject()
    responses.add("200", success)
    responses.add("default", failure)
    var object = JSONObject()
    object.add("operationId", id)
    object.add("summary", summary)
    object.add("parameters", list: parameters)
    object.add("responses", responses)
    return object
  }
}
