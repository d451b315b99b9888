import Plumb
import PlumbBatch
import PlumbIO

/// `POST /api/sample?map=…`: rows of points in, rows with answers out, as `plumb identify MAP --points`
/// writes them.
struct PlainSample {
  private let service: MapService
  private let body: [UInt8]
  private let isCSV: Bool
  private var options: BatchIdentify.Options
  private let target: BatchTarget
  private let type: String
  private let files: TemporaryFiles

  init(_ catalog: ServiceCatalog, _ request: ServiceRequest) throws {
    var query = request
    query.body = []
    let parameters = try Parameters(query)
    var options = PlainOptions(
      Dictionary(uniqueKeysWithValues: parameters.all.map { ($0.name, JSONTree.text($0.value)) }))
    _ = options.take("token")
    service = try catalog.map(named: try options.text("map"))
    body = request.body
    guard !body.isEmpty else { throw ServiceError("the body has no points") }
    let kind = request.contentType.prefix { $0 != ";" }.lowercased()
    let start = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    isCSV = kind == "text/csv" || !kind.contains("json") && start != UInt8(ascii: "{")
    if isCSV { try Self.checkLines(of: body) }
    files = try TemporaryFiles()
    let input = try files.write(
      isCSV ? "points.csv" : kind.contains("ndjson") ? "points.geojsonl" : "points.geojson", body)
    var batch = BatchIdentify.Options(points: input)
    (batch.x, batch.y) = (try options.text("x"), try options.text("y"))
    batch.reference = try options.reference("crs")
    let format = (try options.text("format") ?? (isCSV ? "csv" : "geojson")).lowercased()
    let types = [
      "csv": ContentType.csv, "tsv": "text/tab-separated-values; charset=utf-8",
      "jsonl": ContentType.jsonLines, "ndjson": ContentType.jsonLines,
      "geojson": ContentType.geoJSON, "geojsonseq": "application/geo+json-seq",
    ]
    guard let type = types[format] else {
      throw ServiceError(
        "format: \(format.shown) is none of csv, tsv, jsonl, geojson, geojsonseq",
        kind: .badOption)
    }
    self.type = type
    batch.format = format == "ndjson" ? "jsonl" : format
    if let types = try options.text("types") { batch.types = try ColumnTypes(types) }
    batch.resampling = try options.word("resampling", Resampling.self) ?? .nearest
    batch.columns = ResultColumns.Options(
      isScaled: try options.flag("scaled"), hasStatus: try options.flag("status"))
    batch.isStrict = try options.flag("strict")
    batch.takesCells = try options.flag("pixels")
    if batch.takesCells {
      target = .rasters([try service.raster()])
    } else {
      target = try Self.map(service, &options)
    }
    try options.finish()
    batch.cache = service.cache
    batch.limits = ServiceLimits.rows
    batch.limits.rows = catalog.settings.maximumPoints
    batch.workers = catalog.settings.workers
    batch.names = ServiceWords.names
    self.options = batch
    self.options.output = files.path("answers.out")
  }

  /// Refuses lines that would take much memory by themselves.
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

  private static func map(
    _ service: MapService, _ options: inout PlainOptions
  ) throws(ServiceError) -> BatchTarget {
    var asked = try options.identifyOptions()
    if let leaves = try LayerChoice(service: service).named(
      try options.text("layers"), scale: asked.scale)
    {
      (asked.leaves, asked.asksHidden) = (leaves, true)
    }
    return .map(service.map, asked, layer: try options.text("layer"))
  }

  func reply() throws -> ServiceReply {
    let batch = try BatchIdentify(target, options)
    do {
      _ = try batch.run()
    } catch let error as PlumbError where error.code == .limit {
      throw ServiceError(error.line.text(ServiceWords.names), status: 413, kind: .limit)
    }
    var reply = ServiceReply(.stream(files.stream("answers.out")), type)
    reply.warnings = batch.warnings.map { $0.text(ServiceWords.names) }
    return reply
  }
}
