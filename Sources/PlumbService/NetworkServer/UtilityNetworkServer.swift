import Plumb
import PlumbDocuments
import PlumbFormats
import PlumbIO
import PlumbVerbs

/// Handles requests below `{name}/UtilityNetworkServer`.
struct UtilityNetworkServer {
  private let service: NetworkService

  init(_ service: NetworkService) { self.service = service }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    switch (path.first?.lowercased(), path.count) {
    case (nil, _): return .json(description)
    case ("trace", 1): return .json(try trace(parameters))
    case ("associations", 2) where path[1].lowercased() == "query":
      return .json(try AssociationQuery(service: service).json(parameters))
    default: throw ServiceError.notFound("Invalid URL")
    }
  }

  private var description: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("name", service.name)
    object.add("type", "Map Server Extension")
    object.add("capabilities", "Trace")
    object.add("supportsTrace", true)
    return object
  }

  /// Returns the reply in the engine's JSON format, which is Esri's format with additional names
  /// for codes.
  private func trace(_ parameters: Parameters) throws -> [UInt8] {
    var members: [String: JSONTree] = [:]
    for name in [
      "traceType", "traceLocations", "traceConfiguration", "traceConfigurationGlobalId",
      "resultTypes",
    ] {
      guard let text = parameters.word(name) else { continue }
      let isText = name == "traceType" || name.hasSuffix("Id")
      members[name] =
        isText ? .text(text) : try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter")
    }
    var request = Trace.Request()
    request.request = .json(.object(members))
    var warnings: [String] = []
    let context = RunContext(.service) { warnings.append($0.text(FrontEnd.service.spellings)) }
    var result = try Trace.result(of: request, in: service.opened, context).result
    result.warnings = warnings
    var bytes = result.json(in: service.opened.network)
    if bytes.last == 0x0A { bytes.removeLast() }
    return bytes
  }
}
