import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbVerbs

/// `POST /api/identify`: a line of JSON for each point, as `plumb identify MAP --at … --format json`
/// prints.
struct PlainIdentify {
  private let service: MapService
  private let points: [SIMD2<Double>]
  private let query: IdentifierPool.Query
  private let condition: String?
  private let isStrict: Bool

  init(_ options: inout PlainOptions, _ catalog: ServiceCatalog) throws(ServiceError) {
    service = try catalog.map(named: try options.text("map"))
    guard let points = try options.points("at"), !points.isEmpty else {
      throw ServiceError("at: give the points, as [[18.86,-33.93]]", kind: .badOption)
    }
    try catalog.settings.check(points, of: "at")
    self.points = points
    var query = IdentifierPool.Query()
    query.options = try options.identifyOptions()
    query.reference = try options.reference("crs")
    query.layer = try options.text("layer")
    if let leaves = try LayerChoice(service: service).named(
      try options.text("layers"), scale: query.options.scale)
    {
      (query.options.leaves, query.options.asksHidden) = (leaves, true)
    }
    query.resampling = try options.word("resampling", Resampling.self) ?? .nearest
    self.query = query
    condition = try options.text("where")
    isStrict = try options.flag("strict")
    if condition != nil, query.layer == nil {
      throw ServiceError("where goes with layer", kind: .badOption)
    }
    try options.checkFormat("json")
    try options.finish()
  }

  func reply() throws -> ServiceReply {
    let pool =
      try condition.map { try service.narrowed(query.layer ?? "", to: $0) }
      ?? service.identifiers
    return try pool.withIdentifier(query) { identifier in
      let lines = PointLines(identifier.reference)
      var warnings: [Wording] = []
      let context = RunContext(.service) { warnings.append($0) }
      _ = try Identify.run(at: points, with: identifier, isStrict: isStrict, in: context) {
        lines.append($0, $1)
        guard lines.bytes <= ServiceLimits.reply else {
          throw ServiceError(
            "the answer has over \(ServiceLimits.reply >> 20) MB: ask at fewer points", status: 413,
            kind: .limit)
        }
      }
      return lines.reply(warnings)
    }
  }
}

/// What was found at points, a line of JSON for each.
final class PointLines {
  private let text = TextBuffer(capacity: 1 << 14)
  private let reference: String?
  private var count = 0

  /// Bytes so far.
  var bytes: Int { text.count }

  /// - Parameter reference: the points'.
  init(_ reference: SpatialReference?) { self.reference = reference?.label }

  func append(_ point: SIMD2<Double>, _ results: [IdentifyLayerResult]) {
    count += 1
    IdentifyJSON.append(
      point: AskedPoint(x: point.x, y: point.y, reference: reference), results: results,
      names: ServiceWords.names, to: text)
    text.append(UInt8(ascii: "\n"))
  }

  func reply(_ warnings: [Wording]) -> ServiceReply {
    var reply = ServiceReply(
      .bytes(Array(text.bytes)), count == 1 ? ContentType.json : ContentType.jsonLines)
    reply.warnings = warnings.map { $0.text(ServiceWords.names) }
    return reply
  }
}
