import Plumb
import PlumbBatch
import PlumbIO

/// `POST /api/buffer`: what `plumb buffer` writes, round points or the features of the request.
struct PlainBuffer {
  private var options: BatchBuffer.Options
  private let files: TemporaryFiles

  init(_ options: inout PlainOptions, _ catalog: ServiceCatalog) throws {
    files = try TemporaryFiles()
    let source: BatchBuffer.Source
    if let points = try options.points("at") {
      try catalog.settings.check(points, of: "at")
      source = .points(points)
    } else if let features = options.take("features") {
      source = .file(try files.write("features.geojson", features.bytes))
    } else {
      throw ServiceError("at: give points, or features as GeoJSON", kind: .badOption)
    }
    let distances: BufferDistances
    if let value = options.take("distance") {
      let numbers =
        value.number.map { [$0] } ?? value.list?.compactMap(\.number)
        ?? value.text.flatMap { Parameters.numbers($0) }
      guard let numbers, !numbers.isEmpty else {
        throw ServiceError("distance: numbers are expected", kind: .badOption)
      }
      distances = .list(numbers)
    } else if let field = try options.text("distance-field") {
      distances = .field(field)
    } else {
      throw ServiceError("distance: give it, or a distance-field", kind: .badOption)
    }
    var batch = BatchBuffer.Options(source, distances: distances)
    batch.unit = try options.word("unit", LengthUnit.self)
    let deviation = try options.number("max-deviation")
    let curve = try options.word("curve", GeodesicCurve.self)
    if try options.flag("geodesic") {
      if let deviation, deviation <= 0 {
        throw ServiceError("max-deviation: a number of metres above 0", kind: .badOption)
      }
      batch.method = .geodesic(
        GeodesicBufferOptions(curve: curve ?? .geodesic, maxDeviation: deviation ?? .nan))
    } else if deviation != nil || curve != nil {
      throw ServiceError("max-deviation and curve go with geodesic", kind: .badOption)
    }
    batch.isUnion = try options.flag("union")
    batch.reference = try options.reference("crs")
    batch.outputReference = try options.reference("out-crs")
    batch.isStrict = try options.flag("strict")
    try options.checkFormat("geojson")
    try options.finish()
    batch.format = "geojson"
    batch.output = files.path("areas.out")
    batch.workers = catalog.settings.workers
    self.options = batch
  }

  func reply() throws -> ServiceReply {
    let batch = try BatchBuffer(options)
    _ = try batch.run()
    var reply = ServiceReply(.stream(files.stream("areas.out")), ContentType.geoJSON)
    reply.warnings = batch.warnings.map { $0.text(ServiceWords.names) }
    return reply
  }
}
