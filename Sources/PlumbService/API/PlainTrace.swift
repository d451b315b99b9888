import Plumb
import PlumbDocuments
import PlumbFormats
import PlumbIO
import PlumbNetwork

/// `POST /api/trace`: what `plumb trace NETWORK … --format json` prints.
struct PlainTrace {
  private let service: NetworkService
  private let setup: TraceSetup
  private let request: JSONTree?
  private let options: TraceOptions
  private let isGeoJSON: Bool

  init(_ options: inout PlainOptions, _ catalog: ServiceCatalog) throws(ServiceError) {
    service = try catalog.network(named: try options.text("network"))
    var given = Set(TraceOption.allCases.filter { options.has($0.rawValue) })
    request = options.take("request")
    let type = try options.word("type", TraceType.self)
    var setup = TraceSetup(type ?? .isolation)
    setup.starts = try options.texts("start")
    setup.barriers = try options.texts("barrier")
    setup.filterBarriers = try options.texts("filter-barrier")
    setup.inoperable = try options.texts("inoperable")
    setup.filterCategory = try options.text("filter-category")
    setup.filter = try options.text("filter")
    setup.condition = try options.text("condition")
    (setup.domain, setup.tier) = (try options.text("domain"), try options.text("tier"))
    setup.cost = try options.text("cost")
    setup.includesIsolated = try options.flag("include-isolated")
    setup.oneWayFlow = try options.word("one-way", OneWayFlow.self) ?? .hold
    switch try options.text("format")?.lowercased() {
    case nil, "json": isGeoJSON = false
    case "geojson": isGeoJSON = true
    case let other?: throw ServiceError("format: \(other.shown) is none of json, geojson")
    }
    try options.finish()
    self.setup = setup
    if !setup.includesIsolated { given.remove(.includeIsolated) }
    self.options = TraceOptions(given, type: type, startCount: setup.starts.count)
    if let violation = self.options.violation { throw ServiceError(violation) }
  }

  func reply() throws -> ServiceReply {
    let opened = service.opened
    var parameters: UtilityTraceParameters
    var warnings: [String] = []
    if let request {
      let asked = try request.bytes.withUnsafeBytes { try UtilityTraceRequest(json: $0) }
      let (own, passedOver) = try opened.parameters(of: asked, inoperable: setup.inoperable)
      if let violation = options.violation(of: own.traceType) { throw ServiceError(violation) }
      (parameters, warnings) = (own, passedOver)
      parameters.oneWayFlow = setup.oneWayFlow
    } else {
      parameters = try setup.parameters(in: opened)
    }
    let result = try opened.network.trace(parameters)
    let bytes = isGeoJSON ? try result.geoJSON(in: opened) : result.json(in: opened.network)
    var reply = ServiceReply(
      .bytes(bytes), isGeoJSON ? ContentType.geoJSON : ContentType.json)
    reply.warnings = warnings + result.warnings
    return reply
  }
}

extension ServiceError {
  fileprivate init(_ violation: TraceViolation) {
    // Segments are not traced here.
    self.init(violation.text { $0 == .segments ? nil : $0.rawValue }, kind: .badOption)
  }
}
