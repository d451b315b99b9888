import Plumb
import PlumbBatch
import PlumbLayers

/// `POST /api/identify` with `pixel`: a line of JSON for each cell of a raster, as
/// `plumb identify RASTER --pixel … --format json` prints.
struct PlainCells {
  private let raster: Raster
  private let cache: TileCache
  private let points: [SIMD2<Double>]
  private let resampling: Resampling
  private let isStrict: Bool

  init(_ options: inout PlainOptions, _ catalog: ServiceCatalog) throws {
    let service = try catalog.map(named: try options.text("map"))
    guard !options.has("at") else {
      throw ServiceError("give the points with either at or pixel", kind: .badOption)
    }
    guard !options.has("crs") else {
      throw ServiceError("crs goes with at: columns and rows are in no reference", kind: .badOption)
    }
    guard let points = try options.points("pixel"), !points.isEmpty else {
      throw ServiceError("pixel: give cells, as [[0,0]]", kind: .badOption)
    }
    try catalog.settings.check(points, of: "pixel")
    self.points = points
    (raster, cache) = (try service.cells(), service.cache)
    resampling = try options.word("resampling", Resampling.self) ?? .nearest
    isStrict = try options.flag("strict")
    try options.checkFormat("json")
    try options.finish()
  }

  func reply() throws -> ServiceReply {
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster)], resampling: resampling, cache: cache,
      workers: Workers(count: 1))
    let answers = try PointAnswers(identifier, points)
    try WorkCancellation.checkCurrent()
    if isStrict, let refusal = answers.refusal { throw refusal }
    let lines = PointLines(identifier.reference)
    for (point, results) in zip(points, answers.results) { lines.append(point, results) }
    return lines.reply(answers.warnings + answers.hints)
  }
}
