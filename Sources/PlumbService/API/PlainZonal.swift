import Plumb
import PlumbIO
import PlumbVerbs

/// `POST /api/zonal`: the statistics that `plumb zonal` writes, of the cells of image services under the features of
/// the request.
struct PlainZonal {
  private var request = Zonal.Request()
  private let rasters: Zonal.Rasters
  private let cache: TileCache
  private let files: TemporaryFiles
  private let workers: Workers
  private let contentType: String

  init(_ members: [String: JSONTree], _ catalog: ServiceCatalog) throws {
    files = try TemporaryFiles()
    workers = catalog.settings.workers
    try Zonal.options.read(members, into: &request, by: .service)
    guard let features = request.features else {
      try Zonal.check(request, by: .service)
      throw ServiceError("give features", kind: .badOption)
    }
    switch request.format?.lowercased() ?? "geojson" {
    case "geojson": (request.format, contentType) = ("geojson", ContentType.geoJSON)
    case "csv": (request.format, contentType) = ("csv", ContentType.csv)
    default:
      throw ServiceError(
        "format: \((request.format ?? "").shown) is not geojson or csv", kind: .badOption)
    }
    request.features = nil
    let path = try files.write("features.geojson", features)
    if request.radius == nil { request.areas = path } else { request.points = path }
    try Zonal.check(request, by: .service)
    request.output = files.path("areas.out")
    guard !request.rasters.isEmpty else {
      throw ServiceError("give rasters, the names of image services", kind: .badOption)
    }
    var opened = Zonal.Rasters(try request.rasters.map { try Self.raster($0, catalog).raster })
    cache = try Self.raster(request.rasters[0], catalog).cache
    if let weights = request.weights, weights != "area" {
      opened.weights = try Self.raster(weights, catalog).raster
    }
    rasters = opened
  }

  /// The raster of an image service, by its name or as `NAME=SERVICE`.
  private static func raster(
    _ text: String, _ catalog: ServiceCatalog
  ) throws -> (raster: Raster, cache: TileCache) {
    if let image = catalog.image(text) { return (try image.raster(), image.cache) }
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let image = catalog.image(parts[1]) else {
      throw ServiceError.notFound("no image service is called \(text.shown)")
    }
    let raster = try image.raster()
    return (try Raster(name: parts[0], members: raster.members), image.cache)
  }

  func reply() throws -> ServiceReply {
    var warnings: [String] = []
    var context = RunContext(.service) { warnings.append($0.text(FrontEnd.service.spellings)) }
    context.workers = workers
    context.tileCache = cache
    context.limits.entries = ServiceLimits.zonalValues
    try Zonal.run(request, on: rasters, in: context)
    return ServiceReply(.stream(files.stream("areas.out")), contentType, warnings: warnings)
  }
}
