import PlumbCore
import PlumbVerbs

/// What a client gets.
package struct ServiceReply: Sendable {
  /// What is in it.
  package enum Body: Sendable {
    /// All of it.
    case bytes([UInt8])
    /// Written part by part to what takes them, which throws when nobody takes them any more.
    case stream(@Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void)
  }

  /// The HTTP status.
  package var status: Int
  /// The body's type.
  package var contentType: String
  /// What is in it.
  package var body: Body
  /// Headers beside those that every reply has.
  package var headers: [(name: String, value: String)] = []
  /// What may not be meant, one line each.
  package var warnings: [String] = []
  /// What went wrong, for the log.
  package var failure: String?
  /// What sort of failure it was, for the metrics.
  package var failureKind: FailureCode?

  /// A reply.
  package init(
    _ body: Body, _ contentType: String, status: Int = 200, warnings: [String] = []
  ) {
    (self.body, self.contentType, self.status) = (body, contentType, status)
    self.warnings = warnings
  }

  /// The reply of a run: its body and its warnings.
  ///
  /// - Parameter limit: the most bytes of the body.
  init(
    _ contentType: String, limit: Int = .max, _ run: (inout RunContext) throws -> Void
  ) throws {
    var warnings: [String] = []
    let sink = MemorySink(limit: limit)
    var context = RunContext(.service) { warnings.append($0.text(FrontEnd.service.spellings)) }
    context.sink = sink
    try run(&context)
    self.init(.bytes(sink.bytes), contentType, warnings: warnings)
  }

  /// The bytes of a body; those of a stream are gathered.
  package func bytes() throws -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .stream(let write):
      var all: [UInt8] = []
      try write { all += $0 }
      return all
    }
  }
}

/// The types of bodies.
enum ContentType {
  static let json = "application/json; charset=utf-8"
  static let geoJSON = "application/geo+json; charset=utf-8"
  static let jsonLines = "application/x-ndjson; charset=utf-8"
  static let csv = "text/csv; charset=utf-8"
  static let html = "text/html; charset=utf-8"
  static let text = "text/plain; charset=utf-8"
}

extension ServiceReply {
  /// Notes what the reply says that went wrong.
  mutating func note(_ error: ServiceError) { (failure, failureKind) = (error.message, error.kind) }

  /// What a client gets whose token is missing or wrong, by Esri's codes.
  ///
  /// - Parameters:
  ///   - isMissing: whether there is none.
  ///   - path: of the request: below `/arcgis` errors have the status 200.
  package static func refusal(isMissing: Bool, path: String) -> ServiceReply {
    let error = ServiceError(
      isMissing ? "Token Required" : "Invalid Token", status: isMissing ? 499 : 498,
      kind: .notAllowed)
    let isREST = path.lowercased().hasPrefix("/arcgis")
    return ServiceReply(.bytes(error.json), ContentType.json, status: isREST ? 200 : 401)
  }
}
