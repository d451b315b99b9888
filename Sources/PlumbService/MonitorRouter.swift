import Plumb
import PlumbIO

/// Routes requests below `/monitor`, except event streams, which `PlumbServer` handles.
struct MonitorRouter {
  private let monitors: [LiveMonitor]
  private let request: ServiceRequest
  private let path: [String]

  init(_ monitors: [LiveMonitor], _ request: ServiceRequest, _ path: [String]) {
    (self.monitors, self.request, self.path) = (monitors, request, path)
  }

  /// The reply; each error has an HTTP status of 400 or higher.
  var reply: ServiceReply {
    do {
      return try makeReply()
    } catch {
      return PlainRouter.failure(ServiceError(error))
    }
  }

  private func makeReply() throws -> ServiceReply {
    guard let name = path.first else {
      try allow(.get)
      var object = JSONObject()
      object.add("monitors", texts: monitors.map(\.name))
      return json(object)
    }
    guard let monitor = monitors.first(where: { $0.name == name }) else {
      throw ServiceError.notFound("there is no monitor \(name.shown)")
    }
    guard path.count < 3 else { throw nothing }
    switch path.dropFirst().first {
    case nil:
      try allow(.get)
      return json(monitor.description)
    case "locations":
      try allow(.post)
      return try locations(monitor)
    case "events":
      try allow(.get)
      return ServiceReply(.bytes([]), "text/event-stream")
    case "entities":
      try allow(.get)
      let limit = try parameters().integer("limit", 0...1_000_000) ?? LiveMonitor.defaultEntities
      return json(monitor.entitiesJSON(limit: limit))
    case "fences":
      try allow(.get, .put)
      return try fences(monitor)
    case "replay":
      try allow(.get, .post, .delete)
      return try replay(monitor)
    default: throw nothing
    }
  }

  private var nothing: ServiceError {
    .notFound(
      "there is nothing at this address: a monitor has locations, events, entities, fences and "
        + "replay")
  }

  private func allow(_ methods: ServiceRequest.Method...) throws(ServiceError) {
    guard methods.contains(request.method) else {
      let names = methods.map(\.rawValue).joined(separator: ", ")
      throw ServiceError("this address accepts \(names) only", status: 405)
    }
  }

  private func json(_ object: JSONObject, status: Int = 200) -> ServiceReply {
    ServiceReply(.bytes(object.bytes + [0x0A]), ContentType.json, status: status)
  }

  private func parameters() throws(ServiceError) -> Parameters {
    var query = request
    query.body = []
    let parameters = try Parameters(query)
    try parameters.checkRepeated()
    return parameters
  }

  // MARK: Locations

  private func locations(_ monitor: LiveMonitor) throws -> ServiceReply {
    let feed = try feed(for: monitor, isTrack: false)
    let receipt = monitor.accept(feed)
    var reply: ServiceReply
    if feed.isOwnTracks || !request.sender.isEmpty {
      // The OwnTracks app expects a list of objects. It sends the locations of a failed request
      // again, so rejected locations do not make the request fail, and are only logged.
      reply = ServiceReply(.bytes(Array("[]".utf8)), ContentType.json)
      reply.warnings = receipt.refusals.map(\.message)
      if receipt.lacksCapacity {
        reply = json(receipt.json(monitor.log), status: 503)
        reply.failure = receipt.refusals.first?.message
        return reply
      }
    } else {
      reply = json(receipt.json(monitor.log))
    }
    if !feed.hasRead, receipt.refused > 0 || receipt.failure != nil {
      reply = json(receipt.json(monitor.log), status: 400)
      reply.failure = receipt.failure ?? receipt.refusals.first?.message
    }
    return reply
  }

  private func feed(for monitor: LiveMonitor, isTrack: Bool) throws -> LocationFeed {
    guard !request.body.isEmpty else { throw ServiceError("the body has no locations") }
    let definition = monitor.definition
    return try LocationFeed(
      bytes: request.body, name: "the body", shape: try shape(),
      columns: definition.request.columns,
      attributes: monitor.readsAttributes, maxAhead: definition.request.maxAhead, isTrack: isTrack)
  }

  /// Returns the format of the body from its content type; nil to detect the format from the first
  /// bytes.
  private func shape() throws(ServiceError) -> SentShape? {
    let kind = request.contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    let objects = SentShape(nil, sender: request.sender)
    switch kind {
    case "application/json", "text/json", "application/geo+json", "application/vnd.geo+json":
      return objects
    case "application/x-ndjson", "application/ndjson", "application/jsonl",
      "application/x-jsonlines", "application/jsonlines", "application/geo+json-seq",
      "application/json-seq":
      return SentShape(nil, isLines: true, sender: request.sender)
    case "text/csv", "text/tab-separated-values": return SentShape(.delimited)
    case "application/gpx+xml", "application/xml", "text/xml": return SentShape(.gpx)
    case "", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded":
      let start = request.body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
      let isJSON = start == UInt8(ascii: "{") || start == UInt8(ascii: "[") || start == 0x1E
      return isJSON ? objects : nil
    default:
      throw ServiceError(
        "the body's type \(kind.shown) is not supported: send JSON, newline-delimited JSON, CSV or GPX",
        status: 415)
    }
  }

  // MARK: Fences

  private func fences(_ monitor: LiveMonitor) throws -> ServiceReply {
    guard request.method == .put else {
      let isBuffered = try parameters().flag("buffered", default: true)
      return ServiceReply(
        .bytes(try monitor.fencesJSON(isBuffered: isBuffered)), ContentType.geoJSON)
    }
    return json(try monitor.replaceFences(request.body).json)
  }

  // MARK: Replay

  private func replay(_ monitor: LiveMonitor) throws -> ServiceReply {
    switch request.method {
    case .post:
      let speed = try speed()
      let track = try SentTrack(
        feed(for: monitor, isTrack: true), batchLimit: monitor.batchLimit)
      try monitor.startReplay(track, speed: speed)
      return json(monitor.replay.json ?? JSONObject(), status: 202)
    case .delete:
      guard monitor.replay.stop() else {
        throw ServiceError.notFound("no track is being replayed")
      }
      return json(monitor.replay.json ?? JSONObject())
    default:
      guard let status = monitor.replay.json else {
        throw ServiceError.notFound("no track was replayed")
      }
      return json(status)
    }
  }

  /// Returns the number of seconds of a track to replay per second; infinite for the highest
  /// possible speed.
  private func speed() throws(ServiceError) -> Double {
    let parameters = try parameters()
    if parameters.word("speed")?.lowercased() == "max" { return .infinity }
    guard let speed = try parameters.number("speed") else { return 1 }
    guard speed >= 0 else {
      throw ServiceError("speed: a number from 0 or max is expected", kind: .badOption)
    }
    return speed == 0 ? .infinity : speed
  }
}
