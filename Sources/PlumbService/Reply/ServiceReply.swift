import PlumbCore
import PlumbVerbs

/// A reply to a client.
package struct ServiceReply: Sendable {
  /// The body of a reply.
  package enum Body: Sendable {
    /// The complete body.
    case bytes([UInt8])
    /// A body written in chunks.
    case stream(ReplyStream)
  }

  /// The HTTP status.
  package var status: Int
  /// The media type of the body.
  package var contentType: String
  package var body: Body
  /// The additional headers.
  package var headers: [(name: String, value: String)] = []
  /// Warnings, one line each.
  package var warnings: [String] = []
  /// The bytes of the body that state the time of the reply; nil if the body does not state it.
  /// Replies that differ only in these bytes have the same content.
  package var timeRange: Range<Int>?
  /// The hash of the content; nil if it has not been computed.
  package var contentTag: String?
  /// The failure message, for the log.
  package var failure: String?
  /// The failure code, for the metrics.
  package var failureKind: FailureCode?

  /// Creates a reply.
  package init(
    _ body: Body, _ contentType: String, status: Int = 200, warnings: [String] = []
  ) {
    (self.body, self.contentType, self.status) = (body, contentType, status)
    self.warnings = warnings
  }

  /// Creates a reply with the output and warnings of a run.
  ///
  /// - Parameter limit: the maximum size of the body in bytes.
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

  /// Returns the bytes of the body. The chunks of a stream are concatenated.
  package func bytes() throws -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      var all: [UInt8] = []
      try stream.write { all += $0 }
      return all
    }
  }
}

/// The body of a reply that is written in chunks.
package struct ReplyStream: Sendable {
  /// The approximate size in bytes of the memory that is used until the whole body has been
  /// written.
  package var memory: Int
  /// Writes the chunks to `send`, which throws when the receiver is gone.
  package var write: @Sendable (_ send: ([UInt8]) throws -> Void) throws -> Void

  /// - Parameters:
  ///   - values: the size in bytes of the values from which the body is written.
  ///   - chunks: the size in bytes of a chunk and its copies.
  init(
    values: Int = 0, chunks: Int = 4 << 20,
    _ write: @escaping @Sendable (_ send: ([UInt8]) throws -> Void) throws -> Void
  ) {
    (memory, self.write) = (values + chunks, write)
  }
}

/// The media types of bodies.
enum ContentType {
  static let json = "application/json; charset=utf-8"
  static let geoJSON = "application/geo+json; charset=utf-8"
  static let jsonLines = "application/x-ndjson; charset=utf-8"
  static let csv = "text/csv; charset=utf-8"
  static let parquet = "application/vnd.apache.parquet"
  static let arrow = "application/vnd.apache.arrow.stream"
  static let html = "text/html; charset=utf-8"
  static let text = "text/plain; charset=utf-8"
}

extension ServiceReply {
  /// Records the failure that the reply describes.
  mutating func note(_ error: ServiceError) { (failure, failureKind) = (error.message, error.kind) }

  /// Returns the reply to a request with a missing or invalid token, with Esri's error codes.
  ///
  /// - Parameters:
  ///   - isMissing: whether the token is missing.
  ///   - path: the path of the request. Below `/arcgis`, errors have the HTTP status 200.
  package static func refusal(isMissing: Bool, path: String) -> ServiceReply {
    let error = ServiceError(
      isMissing ? "Token Required" : "Invalid Token", status: isMissing ? 499 : 498,
      kind: .notAllowed)
    let isREST = path.lowercased().hasPrefix("/arcgis")
    return ServiceReply(.bytes(error.json), ContentType.json, status: isREST ? 200 : 401)
  }
}
