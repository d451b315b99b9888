import Plumb
import PlumbIO
import PlumbVerbs

/// Handles `POST /api/buffer`, which returns the areas that `plumb buffer` writes, around points or
/// features in the request.
struct PlainBuffer {
  private var request = Buffer.Request()
  private let files: TemporaryFiles
  private let workers: Workers

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    files = try TemporaryFiles()
    workers = catalog.settings.workers
    try Buffer.options.read(members, into: &request, by: .service)
    try Buffer.options.check(request, by: .service)
    try catalog.settings.check(request.points, of: "at")
    if let features = request.features {
      request.input = try files.write("features.geojson", features)
      request.features = nil
    }
    (request.format, request.output) = ("geojson", files.path("areas.out"))
  }

  func reply() throws -> ServiceReply {
    var warnings: [String] = []
    var context = RunContext(.service) { warnings.append($0.text(FrontEnd.service.spellings)) }
    context.workers = workers
    context.limits.vertices = ServiceLimits.bufferVertices
    context.limits.joinedVertices = ServiceLimits.joinedVertices
    context.checkShapes = { shapes in try EdgeCrossings.check(shapes, "features") }
    try Buffer.run(request, in: context)
    return ServiceReply(
      .stream(files.stream("areas.out")), ContentType.geoJSON, warnings: warnings)
  }
}
