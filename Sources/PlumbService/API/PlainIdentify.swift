import Plumb
import PlumbIO
import PlumbVerbs

/// Handles `POST /api/identify`, which returns one line of JSON for each point of a map or cell of
/// a raster, as written by `plumb identify MAP --at … --format json`.
struct PlainIdentify {
  private let service: MapService
  private let request: Identify.Request

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    var request = Identify.Request()
    let table = Identify.Part.points.options
    try table.read(members, into: &request, by: .service)
    try table.check(request, by: .service)
    self.request = request
    service = try catalog.map(named: request.map)
  }

  func reply() throws -> ServiceReply {
    let isSingle = request.at.count + request.pixel.count == 1
    return try ServiceReply(
      isSingle ? ContentType.json : ContentType.jsonLines, limit: ServiceLimits.reply
    ) { context in
      try service.identify(request, in: &context)
    }
  }
}

extension MapService {
  /// Identifies at the points in a request.
  func identify(_ request: Identify.Request, in context: inout RunContext) throws {
    context.limits = ServiceLimits.rows
    context.limits.rows = settings.maximumPoints
    context.workers = settings.workers
    context.layers = { try LayerChoice(service: self).named($0, scale: $1) }
    let subject: Identify.Subject =
      if !request.pixel.isEmpty {
        .cells([try cells()], cache)
      } else if request.areCells {
        .rasters([try raster()], cache)
      } else {
        .map(opened)
      }
    do {
      _ = try Identify.run(request, on: subject, in: context)
    } catch let error as PlumbError where error.code == .limit {
      throw ServiceError(
        error.line.text(FrontEnd.service.spellings), status: 413, kind: .limit)
    }
  }
}
