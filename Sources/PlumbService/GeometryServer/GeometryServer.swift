import Plumb
import PlumbIO

/// Handles requests below `Utilities/Geometry/GeometryServer`.
struct GeometryServer {
  private let settings: ServiceSettings

  init(_ settings: ServiceSettings) { self.settings = settings }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    guard let first = path.first else { return .json(description) }
    guard path.count == 1 else { throw ServiceError.notFound("Invalid URL") }
    let operation = GeometryOperation(parameters, settings)
    guard let object = try operation.run(first.lowercased()) else {
      throw ServiceError.notFound("Invalid URL")
    }
    return .json(object, warnings: operation.warnings)
  }

  private var description: JSONObject {
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("serviceDescription", "")
    return object
  }
}
