import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO

extension Zonal {
  /// Checks the options of a request.
  ///
  /// - Throws: `OptionViolation`, or an error for an unknown statistic.
  package static func check(_ request: Request, by frontEnd: FrontEnd) throws {
    try options.check(request, by: frontEnd)
    try BandList.check(request.bands)
    let statistics = try request.statisticList()
    if let statistic = statistics.first(where: \.needsWeights), request.weights == nil {
      throw PlumbError(
        messageTemplate: "\(.statistics): \(statistic.name) needs \(.weights)", code: .badOption)
    }
    if request.weights != nil, !request.hasClasses, !statistics.contains(where: \.needsWeights) {
      throw PlumbError(
        messageTemplate:
          "\(.weights) needs weighted_mean, weighted_sum or weighted_stdev in \(.statistics)",
        code: .badOption)
    }
    if request.isLong, let list = statistics.first(where: \.isList) {
      throw PlumbError(
        messageTemplate: "\(.long): \(list.name) is a list, not a number", code: .badOption
      )
    }
  }

  /// The rasters of a request, and the raster of weights.
  package struct Rasters {
    package var rasters: [Raster]
    /// The names of the rasters in the output; empty to use the rasters' own names.
    package var names: [String] = []
    /// The date of each raster; empty if the rasters have no dates.
    package var dates: [DatedName?] = []
    /// The raster of the weights; nil if there are no weights, or if the weights are the sizes of the
    /// cells.
    package var weights: Raster?

    package init(_ rasters: [Raster], weights: Raster? = nil) {
      (self.rasters, self.weights) = (rasters, weights)
    }

    /// Returns the CRS of all rasters.
    ///
    /// - Throws: if they have different CRSs, or one has none.
    func commonReference() throws -> SpatialReference {
      let texts = Set(rasters.flatMap(\.references))
      guard let text = texts.first, let known = text else {
        throw PlumbError(
          messageTemplate: "\(.radius) needs a raster with a CRS", code: .noReference)
      }
      let first = try SpatialReference(known)
      for other in texts {
        guard let other, try SpatialReference(other).isEquivalent(to: first) else {
          throw PlumbError(
            "the rasters have different CRSs", code: .noReference,
            remedies: ["give the CRS of the points with \(.crs)"])
        }
      }
      return first
    }
  }

  /// Computes the statistics of a request and writes them to its output.
  ///
  /// - Parameters:
  ///   - rasters: the open rasters; nil to open the rasters that the request names.
  ///   - points: points in the CRS of the request or of the rasters, which replace the points that the
  ///     request names; empty to use the points that the request names.
  /// - Throws: `OptionViolation` for an invalid combination of options, `CancellationError` for cancelled
  ///   work, or else the first error. A run that throws leaves no output file.
  package static func run(
    _ request: Request, on rasters: Rasters? = nil, at points: [SIMD2<Double>] = [],
    in context: RunContext
  ) throws {
    try check(request, by: context.frontEnd)
    guard let areas = request.areas ?? request.points else {
      preconditionFailure("the check requires areas or points")
    }
    let rasters = try rasters ?? request.open(in: context)
    var options = try request.options(rasters, in: context)
    options.areas = areas
    // A layer of a map keeps the CRS of its file.
    let layer = context.frontEnd == .command ? MapLayerPath(areas) : nil
    if let layer {
      for (option, value) in [(Setting.crs, request.crs), (.layer, request.layer)]
      where value != nil {
        throw PlumbError(
          messageTemplate: "\(option) cannot be combined with a layer of a map", code: .badOption)
      }
      options.areas = layer.map
    }
    if let picture = request.picture {
      for other in [request.output, request.coverage].compactMap({ $0 }) where other != "-" {
        try InputGuard.check(picture, isNot: other)
      }
    }
    let input =
      points.isEmpty
      ? try layer?.features(in: context, workers: options.workers)
      : FeatureInput.points(
        points, reference: try options.reference ?? rasters.commonReference())
    let batch = try BatchZonal(rasters.rasters, options, input: input)
    let picture = try ResultPicture(
      path: request.picture, overwrite: request.overwrites, inputs: batch.inputFiles)
    var shown = ZonalPicture()
    if picture != nil { batch.observer = { shown.add($0, $1) } }
    do {
      defer {
        context.endProgress()
        context.collectLibraryMessages()
        for line in batch.warnings { context.warn(line) }
      }
      _ = try batch.run(progress: context.progress)
    }
    if let note = context.note { for line in batch.explanation { note(line) } }
    try picture?.write(
      [shown.overlay(batch.observedColumn ?? "Areas", in: batch.reference)], warn: context.warn)
  }

  /// Computes the statistics of shapes.
  ///
  /// - Parameters:
  ///   - request: a request with the CRS of the shapes.
  ///   - input: the shapes. The request's condition and its group column refer to the columns of
  ///     the shapes.
  ///   - rasters: the open rasters; nil to open the rasters that the request names.
  /// - Returns: the columns of the shapes and the statistics, and warnings.
  /// - Throws: the errors of `run(_:on:in:)`.
  package static func table(
    _ request: Request, of input: FeatureInput, on rasters: Rasters? = nil, in context: RunContext
  ) throws -> (table: ZonalTable, warnings: [MessageTemplate]) {
    let rasters = try rasters ?? request.open(in: context)
    let table = ZonalTable()
    let batch = try BatchZonal(
      rasters.rasters, request.options(rasters, in: context), input, table)
    _ = try batch.run(progress: context.progress)
    return (table, batch.warnings)
  }
}

extension Zonal.Request {
  /// Opens the rasters that the request names.
  package func open(in context: RunContext) throws -> Zonal.Rasters {
    let workers = context.workers ?? Workers(count: threads)
    var opened = Zonal.Rasters(
      try [Raster].open(
        rasters, names: names.map { $0.isEmpty ? nil : $0 }, access: context.access,
        workers: workers, readsDates: true))
    if let weights, weights != "area" {
      opened.weights = try [Raster].open([weights], access: context.access, workers: workers)[0]
    }
    let hasBands = !bands.isEmpty
    if !dates.isEmpty || opened.rasters.contains(where: { Zonal.hasDates($0, hasBands: hasBands) })
    {
      try opened.divide(self, in: context)
    }
    return opened
  }

  /// The options of the request as options of `BatchZonal`, except the path of the areas.
  fileprivate func options(
    _ rasters: Zonal.Rasters, in context: RunContext
  ) throws -> ZonalOptions {
    var options = ZonalOptions(areas: "-")
    (options.x, options.y, options.layer) = (x, y, layer)
    (options.condition, options.groupColumn) = (condition, groupColumn)
    if case .metres(let radius)? = radius { options.radius = radius }
    options.rule.cells = cells ?? .exact
    options.rule.threshold = threshold ?? 0
    (options.isScaled, options.form, options.coverage) = (isScaled, form, coverage)
    options.isApproximate = isApproximate
    options.reference = try crs.map { try SpatialReference(userInput: $0) }
    options.bands = bands.isEmpty ? nil : bands.map { $0 - 1 }
    options.statistics = try statisticList()
    (options.output, options.format) = (output, format)
    (options.overwrites, options.isStrict) = (overwrites, isStrict)
    options.table = try DatabaseTable(output: output, outputTable, overwrites, appends: appends)
    (options.access, options.services) = (context.access, context.services)
    options.workers = context.workers ?? Workers(count: threads)
    options.cache = context.tileCache ?? TileCache(capacity: cacheBytes ?? RunContext.defaultCache)
    options.ownsCache = context.tileCache == nil
    if let limit = context.limits.entries { options.entryLimit = limit }
    if let limit = context.limits.writtenVertices { options.writtenVertexLimit = limit }
    if let limit = context.limits.edgeCells { options.edgeCellLimit = limit }
    (options.checkShapes, options.names) = (context.checkShapes, rasters.names)
    options.dates = rasters.dates
    if let weights {
      options.weights = weights == "area" ? .area : rasters.weights.map { .raster($0) }
    }
    return options
  }
}

extension Zonal.Request {
  fileprivate var form: ZonalForm {
    if hasClasses { return isWide ? .wideClasses : .classes }
    return isLong ? .long : .wide
  }

  /// - Throws: if a statistic is unknown, or listed twice.
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
