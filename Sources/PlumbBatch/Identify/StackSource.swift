import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The source of a batch. If dates are matched to points or all dates are read, it includes the dates of
/// the rasters.
package final class StackSource {
  package let source: BatchSource
  /// The stacks with dates; nil if no dates are matched.
  let dated: DatedSource?
  /// The series of all dates; nil if not all dates are read.
  let series: SeriesSource?
  private let options: BatchIdentify.Options

  /// - Parameters:
  ///   - series: the series of the target, from `series(of:_:)`.
  ///   - reference: the CRS of the points; nil for the CRS of the target.
  /// - Throws: if a file has no date, or if the condition is invalid.
  init(
    _ target: BatchTarget, _ series: SeriesSource?, _ options: BatchIdentify.Options,
    reference: SpatialReference?
  ) throws {
    (self.series, self.options) = (series, options)
    if let series {
      source = try BatchSource(
        series.requests, names: series.names, options, reference: reference)
      try series.prepare(options, reference: source.reference, cache: source.cache)
      dated = nil
    } else if let (files, matching) = options.dates {
      let stacks = try options.stacks ?? Self.stacks(of: target, files, matching)
      source = try BatchSource(
        stacks.map { $0.request(options.bands) }, names: stacks.map(\.name), options,
        reference: reference)
      dated = try DatedSource(
        stacks, matching, options, reference: source.reference, cache: source.cache)
    } else {
      source = try BatchSource(target, options, reference: reference)
      dated = nil
    }
  }

  /// Opens rasters whose dates are matched or all read.
  package convenience init(
    _ rasters: [Raster], _ options: BatchIdentify.Options, reference: SpatialReference?
  ) throws {
    let target = BatchTarget.rasters(rasters)
    try self.init(
      target, Self.series(of: target, options), options, reference: reference)
  }

  /// The series of all dates of the rasters; nil if not all dates are read.
  static func series(
    of target: BatchTarget, _ options: BatchIdentify.Options
  ) throws -> SeriesSource? {
    guard let series = options.series else { return nil }
    guard case .rasters(let rasters) = target else {
      throw PlumbError(
        messageTemplate: "\(.series) reads the dates of rasters, not of a map", code: .badOption)
    }
    return try SeriesSource(
      options.stacks ?? DatedStack.open(rasters, series.files, grouping: series.grouping), series,
      bands: options.bands, isScaled: options.columns.isScaled)
  }

  /// The stacks of the rasters.
  private static func stacks(
    of target: BatchTarget, _ files: ImageDates, _ matching: TimeMatching
  ) throws -> [DatedStack] {
    guard case .rasters(let rasters) = target else {
      throw PlumbError(
        messageTemplate: "\(.when) matches the dates of rasters, not of a map", code: .badOption)
    }
    return try DatedStack.open(rasters, files, grouping: matching.grouping)
  }

  /// Whether dates are matched or all read.
  var hasDates: Bool { dated != nil || series != nil }

  /// Warnings for the user about the dates of the rasters.
  package var dateWarnings: [String] { dated?.warnings ?? series?.warnings ?? [] }

  /// Whether dates are matched and some of them have no time of day. These dates count as noon.
  package var hasNoon: Bool { dated?.stacks.contains(where: \.hasNoon) ?? false }

  /// The columns of matched dates; nil if no dates are matched.
  private var dateColumns: ResultColumns.DateColumns? {
    dated.map {
      ResultColumns.DateColumns(
        texts: $0.stacks.map { DateTexts($0) },
        hasTried: $0.condition != nil && $0.matching.result == .nearest,
        hasDistance: $0.matching.search != nil, result: $0.matching.result)
    }
  }

  /// Returns the columns of the results.
  ///
  /// - Parameter ignoresCase: whether names that differ only in case are the same.
  package func columns(ignoresCase: Bool = false) -> ResultColumns {
    var added = options.columns
    // A long table already has a column of statuses.
    if options.series?.isLong == true { added.hasStatus = false }
    added.dates = dateColumns
    return ResultColumns(
      source.parts, options: added, resampling: options.resampling, advice: source.advice,
      ignoresCase: ignoresCase)
  }

  /// The stack, the number of the band from 1, and the date of a column of a series; nil for other
  /// columns.
  package func label(
    of column: ResultColumns.Column
  ) -> (stack: String, band: Int, date: ImageDate)? {
    guard let series else { return nil }
    let (stack, slice) = series.dates[column.part]
    return (
      series.stacks[stack].name, series.bandNumber(column.content.bandPosition),
      series.stacks[stack].slices[slice].date
    )
  }

  /// The number of points of a part: the requested number, or fewer if the results of dates would
  /// need too much memory.
  func partSize(_ wanted: Int) -> Int {
    let limit = dated.map { max(1 << 10, options.limits.answerBytes / $0.rowBytes) }
    return max(1, min(wanted, limit ?? wanted))
  }

  /// Samples the rasters at all points; nil for a source without rasters.
  ///
  /// - Parameters:
  ///   - points: the points, with their times if dates are matched.
  ///   - keepsTiles: whether following rows may need the same tiles.
  ///   - resume: the state of a killed run; nil if the run cannot be resumed.
  ///   - progress: called with the fraction that is done.
  func sample(
    _ points: PointSpool, keepsProvenance: Bool, keepsTiles: Bool, resume: ResumeFolder? = nil,
    progress: (Double) -> Void
  ) throws -> AnswerStore? {
    guard let rasters = source.rasters else { return nil }
    if let dated {
      let search = dated.matching.search
      let store = AnswerStore(
        rasters.sampler, rows: (0..<points.partCount).map { points.rows(of: $0) },
        keepsProvenance: keepsProvenance, keepsDates: true,
        keepsDistances: search != nil, layouts: dated.layouts,
        limit: options.limits.answerBytes)
      let known = resume.map { ResumableAnswers($0, number: 0) }
      // Searching other cells usually takes longer than reading the dates at the points.
      let share = search == nil ? 1 : 0.25
      try DatedRows(
        dated, store, keepsTiles: search != nil, workers: options.workers, resume: known
      )
      .sample(points) { progress(share * $0) }
      if let search {
        try NearbyCells(
          dated, store, radius: search, workers: options.workers, resume: known
        )
        .search(points) { progress(share + (1 - share) * $0) }
      }
      return store
    }
    let rows = StackedRows(
      rasters, points: points, keepsProvenance: keepsProvenance, limits: options.limits,
      workers: options.workers, resume: resume.map { ResumableAnswers($0, number: 1) })
    try rows.sample(keepsTiles: keepsTiles, progress: progress)
    if let series {
      let inputs = series.conditionIdentifier.map {
        StackedRows(
          $0, points: points, keepsProvenance: false, limits: options.limits,
          workers: options.workers, resume: resume.map { ResumableAnswers($0, number: 2) })
      }
      try inputs?.sample(keepsTiles: keepsTiles) { _ in }
      try series.apply(to: rows.answers, inputs: inputs?.answers, workers: options.workers)
    }
    return rows.answers
  }

  /// Samples the rasters at points in memory.
  ///
  /// - Parameters:
  ///   - times: the time of each point in microseconds since 1970, or `RowTimes.none` for a point
  ///     without a time; nil if no dates are matched.
  ///   - progress: called with the fraction that is done.
  package func answers(
    to points: PointCoordinates, times: [Int64]?, keepsProvenance: Bool,
    progress: (Double) -> Void
  ) throws -> MapAnswers {
    let size = partSize(points.count)
    var spool = PointSpool(of: points, times: times)
    if size < points.count {
      spool = PointSpool(size: size, hasTimes: times != nil)
      try spool.append(points, times: times)
    }
    let store = try sample(
      spool, keepsProvenance: keepsProvenance, keepsTiles: !areReadOnce, progress: progress)
    let rasters = try store?.answers(0..<points.count, workers: options.workers) ?? []
    return MapAnswers(rasters: rasters, features: [])
  }

  /// Whether the tiles of a series are read once and not cached, because each tile contains all dates.
  /// Copying the cells of a few points from a decoded chunk is faster than building a complete tile for the
  /// cache. Tiles at URLs are cached for other points.
  private var areReadOnce: Bool {
    guard let series, options.resampling == .nearest else { return false }
    return series.stacks.allSatisfy { stack in
      stack.raster.hasDatesTogether && !stack.raster.members.contains(where: \.isRemote)
    }
  }

  /// A counter of points that are in memory.
  package var pointCounter: RowCounter { RowCounter(source, itemName: "point", dated: dated) }
}
