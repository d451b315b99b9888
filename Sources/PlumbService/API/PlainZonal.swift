import Plumb
import PlumbIO
import PlumbVerbs

/// Handles `POST /api/zonal`, which returns the statistics that `plumb zonal` writes. The rasters
/// are image services, and the areas are the features of the request.
struct PlainZonal {
  private var request = Zonal.Request()
  private let rasters: Zonal.Rasters
  private let cache: TileCache
  private let files: TemporaryFiles
  private let workers: Workers
  private let contentType: String
  /// The date of each raster with dates, one line each.
  private let dateNotes: [String]

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    files = try TemporaryFiles()
    workers = catalog.settings.workers
    try Zonal.options.read(members, into: &request, by: .service)
    try Zonal.check(request, by: .service)
    guard let features = request.features else {
      preconditionFailure("the check requires features")
    }
    let format = request.format?.lowercased() ?? "geojson"
    contentType = format == "csv" ? ContentType.csv : ContentType.geoJSON
    request.format = format
    request.features = nil
    let path = try files.write("features.geojson", features)
    if request.radius == nil { request.areas = path } else { request.points = path }
    request.output = files.path("areas.out")
    let services = try request.rasters.map { try Self.image($0, catalog) }
    var opened = Zonal.Rasters(try services.map { try $0.image.raster() })
    opened.names = zip(services, opened.rasters).map { $0.name ?? $1.name }
    dateNotes = try zip(services, opened.names).compactMap { service, name in
      try service.image.dates()?.texts.last.map {
        "\(name.printable): the statistics are those of \($0), its last date"
      }
    }
    cache = services[0].image.cache
    if let weights = request.weights, weights != "area" {
      opened.weights = try Self.image(weights, catalog).image.raster()
    }
    rasters = opened
  }

  /// Returns the image service for `SERVICE` or `NAME=SERVICE`, with `NAME` as its name in the
  /// results.
  private static func image(
    _ text: String, _ catalog: ServiceCatalog
  ) throws -> (image: ImageService, name: String?) {
    if let image = catalog.image(text) { return (image, nil) }
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let image = catalog.image(parts[1]) else {
      throw ServiceError.notFound("no image service is called \(text.shown)")
    }
    return (image, parts[0])
  }

  func reply() throws -> ServiceReply {
    var warnings = dateNotes
    var context = RunContext(.service) { warnings.append($0.text(FrontEnd.service.spellings)) }
    context.workers = workers
    context.tileCache = cache
    context.limits.entries = ServiceLimits.zonalValues
    context.limits.edgeCells = ServiceLimits.edgeCells
    if request.format == "geojson" { context.limits.writtenVertices = ServiceLimits.zonalVertices }
    context.checkShapes = { shapes in
      guard shapes.allSatisfy({ $0.vertices.count <= ServiceLimits.vertices }) else {
        throw ServiceError(
          "an area has more than \(ServiceLimits.vertices) vertices", status: 413, kind: .limit)
      }
      try EdgeCrossings.check(shapes, "features")
    }
    try Zonal.run(request, on: rasters, in: context)
    return ServiceReply(.stream(files.stream("areas.out")), contentType, warnings: warnings)
  }
}
