import Plumb
import PlumbCore
import PlumbIO
import PlumbParquet
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
    "parquet": ContentType.parquet, "arrow": ContentType.arrow,
  ]

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest) throws {
    let body = request.body
    var query = request
    query.body = []
    let parameters = try Parameters(query)
    try parameters.checkRepeated()
    var members = Dictionary(
      uniqueKeysWithValues: parameters.all.map { ($0.name, JSONTree.text($0.value)) })
    members["token"] = nil
    var identifyRequest = Identify.Request()
    try Identify.Part.table.options.read(members, into: &identifyRequest, by: .service)
    if identifyRequest.pixels == nil { identifyRequest.points = .inline }
    try Identify.check(identifyRequest, by: .service)
    service = try catalog.map(named: identifyRequest.map)
    guard !body.isEmpty else { throw ServiceError("the body has no points") }
    let form = PointForm(body, contentType: request.contentType)
    if form == .csv { try Self.checkLines(of: body) }
    let format = (identifyRequest.format ?? form.format).lowercased()
    guard let type = Self.types[format] else {
      preconditionFailure("the check allows only these formats")
    }
    self.type = type
    identifyRequest.format = format == "ndjson" ? "jsonl" : format
    self.request = identifyRequest
    files = try TemporaryFiles()
    input = try files.write(form.fileName, body)
    if form == .parquet { try Self.checkRowGroups(of: input) }
  }

  /// Rejects row groups that would take too much memory.
  private static func checkRowGroups(of path: String) throws {
    let largest: Int
    do {
      largest = try ParquetFile(path: path).rowGroups.map(\.byteCount).max() ?? 0
    } catch {
      throw ServiceError("the body: \(PlumbError.message(of: error))")
    }
    guard largest <= ServiceLimits.rowGroup else {
      throw ServiceError(
        "a row group of the table has \(largest >> 20) MB, over \(ServiceLimits.rowGroup >> 20) MB; "
          + "write the file with smaller row groups", status: 413, kind: .limit)
    }
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

/// The format of the points in a body.
private enum PointForm {
  case csv, geoJSON, geoJSONLines, parquet

  init(_ body: [UInt8], contentType: String) {
    let type = contentType.prefix { $0 != ";" }.lowercased()
    let start = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if body.starts(with: Array("PAR1".utf8)) {
      self = .parquet
    } else if type == "text/csv" || !type.contains("json") && start != UInt8(ascii: "{") {
      self = .csv
    } else {
      self = type.contains("ndjson") ? .geoJSONLines : .geoJSON
    }
  }

  var fileName: String {
    switch self {
    case .csv: "points.csv"
    case .geoJSON: "points.geojson"
    case .geoJSONLines: "points.geojsonl"
    case .parquet: "points.parquet"
    }
  }

  /// The format of the results if the request names none.
  var format: String {
    switch self {
    case .csv: "csv"
    case .geoJSON, .geoJSONLines: "geojson"
    case .parquet: "parquet"
    }
  }
}
