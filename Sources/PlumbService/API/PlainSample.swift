import Plumb
import PlumbIO
import PlumbVerbs

/// Handles `POST /api/sample?map=…`, which reads rows of points and writes rows of results like
/// `plumb identify MAP --points`.
struct PlainSample {
  private let service: MapService
  private let request: Identify.Request
  private let type: String
  private let files: TemporaryFiles
  private let input: String
  private static let output = "answers.out"

  private static let types = [
    "csv": ContentType.csv, "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": ContentType.jsonLines, "ndjson": ContentType.jsonLines,
    "geojson": ContentType.geoJSON, "geojsonseq": "application/geo+json-seq",
  ]

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest) throws {
    let body = request.body
    var query = request
    query.body = []
    var members = Dictionary(
      uniqueKeysWithValues: try Parameters(query).all.map { ($0.name, JSONTree.text($0.value)) })
    members["token"] = nil
    var identifyRequest = Identify.Request()
    try Identify.Part.table.options.read(members, into: &identifyRequest, by: .service)
    if identifyRequest.pixels == nil { identifyRequest.points = .inline }
    try Identify.check(identifyRequest, by: .service)
    service = try catalog.map(named: identifyRequest.map)
    guard !body.isEmpty else { throw ServiceError("the body has no points") }
    let kind = request.contentType.prefix { $0 != ";" }.lowercased()
    let start = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let isCSV = kind == "text/csv" || !kind.contains("json") && start != UInt8(ascii: "{")
    if isCSV { try Self.checkLines(of: body) }
    let format = (identifyRequest.format ?? (isCSV ? "csv" : "geojson")).lowercased()
    guard let type = Self.types[format] else {
      throw ServiceError(
        "format: \(format.shown) is not one of csv, tsv, jsonl, geojson, geojsonseq",
        kind: .badOption)
    }
    self.type = type
    identifyRequest.format = format == "ndjson" ? "jsonl" : format
    self.request = identifyRequest
    files = try TemporaryFiles()
    input = try files.write(
      isCSV ? "points.csv" : kind.contains("ndjson") ? "points.geojsonl" : "points.geojson", body)
  }

  /// Rejects lines that would take too much memory.
  private static func checkLines(of body: [UInt8]) throws(ServiceError) {
    let isLong = body.withUnsafeBufferPointer { bytes in
      var start = 0
      for index in bytes.indices where bytes[index] == 0x0A {
        if index - start > ServiceLimits.line { return true }
        start = index + 1
      }
      return bytes.count - start > ServiceLimits.line
    }
    guard !isLong else {
      throw ServiceError(
        "a line of the table has over \(ServiceLimits.line >> 20) MB", status: 413, kind: .limit)
    }
  }

  func reply() throws -> ServiceReply {
    var reply = try ServiceReply(type) { context in
      context.tables = (input, files.path(Self.output))
      try service.identify(request, in: &context)
    }
    reply.body = .stream(files.stream(Self.output))
    return reply
  }
}
