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
  private let isGeoJSON: Bool

  init(_ options: inout PlainOptions, _ catalog: ServiceCatalog) throws(ServiceError) {
    service = try catalog.network(named: try options.text("network"))
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
    let oneWay = try options.word("one-way", OneWayFlow.self)
    setup.oneWayFlow = oneWay ?? .hold
    switch try options.text("format")?.lowercased() {
    case nil, "json": isGeoJSON = false
    case "geojson": isGeoJSON = true
    case let other?: throw ServiceError("format: \(other.shown) is none of json, geojson")
    }
    try options.finish()
    self.setup = setup
    guard request == nil else {
      guard type == nil, setup.starts.isEmpty, setup.barriers.isEmpty else {
        throw ServiceError("request goes without type, start and barrier", kind: .badOption)
      }
      return
    }
    guard let type else {
      throw ServiceError("type: give it, or a request", kind: .badOption)
    }
    if setup.starts.isEmpty {
      throw ServiceError("start: give where the trace starts", kind: .badOption)
    }
    if setup.filter != nil, setup.filterCategory != nil {
      throw ServiceError(
        "filter and filter-category do not go together: say both in the filter", kind: .badOption)
    }
    if type == .shortestPath, setup.starts.count != 2 || setup.cost == nil {
      throw ServiceError("the type shortestPath needs two start and a cost", kind: .badOption)
    }
    if type != .shortestPath, setup.cost != nil {
      throw ServiceError("cost goes with the type shortestPath", kind: .badOption)
    }
    if oneWay != nil, type == .connected || type == .shortestPath {
      throw ServiceError(
        "one-way: \(type.rawValue) passes one-way elements either way", kind: .badOption)
    }
    if type != .isolation, setup.includesIsolated || !setup.inoperable.isEmpty {
      throw ServiceError(
        "include-isolated and inoperable go with the type isolation", kind: .badOption)
    }
  }

  func reply() throws -> ServiceReply {
    let opened = service.opened
    var parameters: UtilityTraceParameters
    var warnings: [String] = []
    if let request {
      let asked = try request.bytes.withUnsafeBytes { try UtilityTraceRequest(json: $0) }
      let (own, passedOver) = try opened.parameters(of: asked, inoperable: setup.inoperable)
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
