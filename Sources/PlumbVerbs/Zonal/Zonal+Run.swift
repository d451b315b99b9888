import Plumb
import PlumbBatch
import PlumbCore

extension Zonal {
  /// Checks the options of a request.
  ///
  /// - Throws: `OptionViolation`, and an error for an unknown statistic.
  package static func check(_ request: Request, by frontEnd: FrontEnd) throws {
    try options.check(request, by: frontEnd)
    try BandList.check(request.bands)
    _ = try request.statisticList()
  }

  /// Computes the statistics of a request and writes them to its output.
  ///
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(_ request: Request, in context: RunContext) throws {
    try check(request, by: context.frontEnd)
    guard let areas = request.areas else { preconditionFailure("the check requires areas") }
    let workers = context.workers ?? Workers(count: request.threads)
    let rasters = try [Raster].open(request.rasters, access: context.access, workers: workers)
    var options = BatchZonal.Options(areas: areas)
    options.layer = request.layer
    options.reference = try request.crs.map { try SpatialReference(userInput: $0) }
    options.bands = request.bands.isEmpty ? nil : request.bands.map { $0 - 1 }
    options.statistics = try request.statisticList()
    (options.output, options.format) = (request.output, request.format)
    (options.overwrites, options.isStrict) = (request.overwrites, request.isStrict)
    (options.access, options.services) = (context.access, context.services)
    options.workers = workers
    options.cache = TileCache(capacity: request.cacheBytes ?? Identify.defaultCache)
    let batch = try BatchZonal(rasters, options)
    defer {
      context.endProgress()
      context.collectLibraryMessages()
      for line in batch.warnings { context.warn(line) }
    }
    _ = try batch.run(progress: context.progress)
  }
}

extension Zonal.Request {
  /// - Throws: for an unknown statistic, and one that is named twice.
  func statisticList() throws -> [ZonalStatistic] {
    guard let statistics else { return [.count, .mean, .min, .max] }
    var list: [ZonalStatistic] = []
    for name in statistics.split(separator: ",", omittingEmptySubsequences: false) {
      let statistic = try ZonalStatistic(name.trimmingSpaces)
      guard !list.contains(statistic) else {
        throw PlumbError(
          messageTemplate: "\(.statistics): \(statistic.name) is given twice", code: .badOption)
      }
      list.append(statistic)
    }
    return list
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
