import Plumb
import PlumbDocuments
import PlumbFormats
import PlumbIO

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

  /// Returns the reply in the engine's form, which is Esri's with names added to codes.
  private func trace(_ parameters: Parameters) throws -> [UInt8] {
    var request = JSONObject()
    for name in [
      "traceType", "traceLocations", "traceConfiguration", "traceConfigurationGlobalId",
      "resultTypes",
    ] {
      guard let text = parameters.word(name) else { continue }
      request.add(
        name,
        json: try JSONTree.textOrValue(
          text, isText: name == "traceType" || name.hasSuffix("Id"), name))
    }
    let read = request.bytes.withUnsafeBytes { bytes in
      Result { try UtilityTraceRequest(json: bytes) }
    }
    let opened = service.opened
    let (trace, passedOver) = try opened.parameters(of: read.get())
    var result = try opened.network.trace(trace)
    result.warnings = passedOver + result.warnings
    var bytes = result.json(in: opened.network)
    if bytes.last == 0x0A { bytes.removeLast() }
    return bytes
  }
}

extension JSONTree {
  /// Returns a parameter as JSON: a string, or its parsed value.
  fileprivate static func textOrValue(
    _ text: String, isText: Bool, _ name: String
  ) throws(ServiceError) -> [UInt8] {
    var bytes: [UInt8] = []
    if isText {
      JSONText.append(text, to: &bytes)
    } else {
      try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter").append(to: &bytes)
    }
    return bytes
  }
}
