import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers
import PlumbRaster

extension Identify {
  /// The values of stacks with dates at points in memory.
  package struct DatedAnswers {
    package var columns: [ResultColumns.Column]
    package var answers: MapAnswers
    /// The stacks, whose labels name the date of each column of a series.
    package var stacks: StackSource
  }

  /// Matches the dates of rasters to the times of points in memory, or reads all dates.
  ///
  /// - Parameters:
  ///   - rasters: the open rasters.
  ///   - request: the options of dates. `when` has to be set if there are times.
  ///   - times: the time of each point in microseconds since 1970, `Int64.min` for a point without one; nil for a
  ///     series.
  ///   - context: receives the warnings.
  ///   - known: the stacks of the rasters, if their dates are known already.
  ///   - reference: the CRS of the points, if the request does not contain one; nil for the CRS of
  ///     the rasters.
  /// - Throws: `OptionViolation` for an invalid combination of options, the error of strict mode,
  ///   `CancellationError` for cancelled work; otherwise the first error.
  package static func dates(
    of rasters: [Raster], _ cache: TileCache, _ request: Request, at points: PointCoordinates,
    times: [Int64]?, in context: RunContext, known: [DatedStack]? = nil,
    reference: SpatialReference? = nil
  ) throws -> DatedAnswers {
    try Identify.check(request, by: context.frontEnd)
    // A time beyond the limit counts as missing, as in a table.
    let times = times?.map { $0 != .min && $0.magnitude < ImageDate.limit ? $0 : .min }
    var options = try request.batch(in: context)
    options.cache = cache
    options.stacks = known
    let stacks = try StackSource(rasters, options, reference: options.reference ?? reference)
    let columns = stacks.columns()
    try columns.checkNames(against: [])
    for line in stacks.source.warnings + stacks.dateWarnings {
      context.warn(MessageTemplate(line))
    }
    try context.report(
      stacks.source.transformationWarnings.map { MessageTemplate($0) }, isStrict: request.isStrict,
      "it")
    let answers = try stacks.answers(
      to: points, times: times, keepsProvenance: request.hasProvenance
    ) { context.progress($0, 0) }
    try WorkCancellation.checkCurrent()
    warn(of: times, stacks, in: context)
    var counter = stacks.pointCounter
    var summary = counter.emptySummary
    counter.add(points, bad: PreparedMap.badRows(of: points), answers, to: &summary)
    let report = counter.report(summary)
    report.warnings.forEach(context.warn)
    if let failure = report.failure { throw failure }
    if request.isStrict, let refusal = counter.refusal(summary) { throw refusal }
    return DatedAnswers(columns: columns.columns, answers: answers, stacks: stacks)
  }

  /// Warns about points without a time, and about rasters whose dates count as noon.
  private static func warn(of times: [Int64]?, _ stacks: StackSource, in context: RunContext) {
    let missing = times?.filter { $0 == .min }.count ?? 0
    if missing > 0, let first = times?.firstIndex(of: .min) {
      let (points, verb) = missing == 1 ? ("point", "has") : ("points", "have")
      context.warn(
        "\(missing) \(points) \(verb) no time; the first is point \(first) (from 0)")
    }
    if stacks.hasNoon {
      context.warn("dates of rasters without a time of day count as 12:00 UTC")
    }
  }
}
