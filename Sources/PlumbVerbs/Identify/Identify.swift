import Plumb
import PlumbBatch
import PlumbCore
import PlumbIO
import PlumbRaster

/// The verb `identify`: returns the values of rasters or the features of a map's layers at points.
package enum Identify {
  /// The options of an identify request.
  package struct Request: Sendable, Equatable {
    /// Paths of rasters, or the path of one map document.
    package var rasters: [String] = []
    /// The name of a map that the server has open.
    package var map: String?
    package var at: [SIMD2<Double>] = []
    package var points: Table?
    package var pixel: [SIMD2<Double>] = []
    package var pixels: Table?
    package var layer: String?
    package var layers: String?
    package var pointsLayer: String?
    package var crs: String?
    package var x: String?
    package var y: String?
    package var tolerance: IdentifyOptions.Tolerance?
    package var scale: Double?
    package var maxResults: ResultLimit?
    package var popupsOnly = false
    package var condition: String?
    /// The band numbers from 1; empty for all bands.
    package var bands: [Int] = []
    package var resampling: Resampling?
    /// The radius of the discs around points. Statistics are computed for the raster cells under
    /// each disc.
    package var radius: IdentifyOptions.Tolerance?
    /// The names of the statistics of the discs, separated by commas; nil for the default of `zonal`.
    package var statistics: String?
    /// The patterns or tables with the dates of the rasters' files.
    package var dates: [String] = []
    package var grouping: DatedStack.Grouping?
    /// The date of a map's layers with dates.
    package var date: String?
    /// The column of the rows' times, and the format of its values.
    package var when: String?
    package var match: TimeMatching.Side?
    /// The maximum difference between a date and the requested time, with its unit.
    package var within: String?
    package var valid: String?
    /// The distance within which other cells are searched where no date is valid at the point.
    package var search: IdentifyOptions.Tolerance?
    package var interpolation: DateInterpolation?
    /// The names of the statistics of the values on all dates near a row's time, separated by commas.
    package var reductions: String?
    /// Whether all dates are read at each point.
    package var isSeries = false
    /// The first and the last date of a series.
    package var from: String?
    package var to: String?
    /// Whether each date has a separate row.
    package var isLong = false
    /// Whether results are kept, so that the same request can continue after its run was killed.
    package var resumes = false
    package var isScaled = false
    package var cacheBytes: Int?
    package var isUsedOnce = false
    package var names: [String] = []
    package var output: String?
    package var overwrites = false
    /// The table of the database `output`; nil for a file.
    package var outputTable: String?
    package var appends = false
    package var picture: String?
    package var format: String?
    package var types: String?
    package var hasStatus = false
    package var hasProvenance = false
    /// The columns to return; nil for all.
    package var fields: [String]?
    package var isStrict = false
    package var threads: Int?
    package var connections: Int?
    package var access: FileAccess?

    package init() {}
  }

  /// A table of points or cells.
  package enum Table: Sendable, Equatable {
    case file(String)
    /// The table is in the body of the request, or in the caller's arrays.
    case inline
  }

  /// The maximum number of results per layer.
  package enum ResultLimit: Sendable, Equatable {
    case count(Int)
    case all
  }

  /// The C functions and server addresses that each accept a subset of the options.
  package enum Part: String, CaseIterable, Sendable {
    case mapOpen = "plumb_map_open"
    case samplerOpen = "plumb_sampler_open"
    case sampleDates = "plumb_sample_dates"
    case mapPoint = "plumb_map_identify"
    case mapPoints = "plumb_map_identify_batch"
    case points = "POST /api/identify"
    case table = "POST /api/sample"
  }

  /// The outcome of identifying at points.
  package enum Outcome: Sendable {
    case done
    /// No layer has a result.
    case failed(LayerError)
    /// Some cells cannot be read.
    case unread
  }
}

extension Identify.ResultLimit {
  /// Parses a number from 1, or `all`; nil for other text.
  package init?(text: String) {
    if text.lowercased() == "all" {
      self = .all
    } else if let number = Int(text), number >= 1 {
      self = .count(number)
    } else {
      return nil
    }
  }
}

extension Identify.Request {
  /// The options of the request that apply to maps, such as the search distance and the number of results.
  var mapOptions: IdentifyOptions {
    let limit: Int? =
      switch maxResults {
      case nil: 1
      case .count(let count)?: count
      case .all?: nil
      }
    return IdentifyOptions(
      tolerance: tolerance ?? .exact, scale: scale, returnPopupsOnly: popupsOnly,
      maximumResultsPerLayer: limit)
  }

  /// The band indices from 0; nil for all bands.
  package var bandIndices: [Int]? { bands.isEmpty ? nil : bands.map { $0 - 1 } }

  /// The rules for matching the dates of files with the rows' times; nil if they are not matched.
  ///
  /// - Throws: for a distance without a unit, and an invalid pattern or table of dates.
  func dateOptions(_ access: DocumentAccess) throws -> (files: ImageDates, matching: TimeMatching)?
  {
    guard let when, let window else { return nil }
    var matching = TimeMatching(column: when, window: window.microseconds)
    (matching.side, matching.condition) = (match ?? .nearest, valid)
    matching.grouping = grouping
    if case .metres(let radius)? = search { matching.search = radius }
    if interpolation != nil { matching.result = .interpolated }
    if let reductions { matching.result = .reduced(try DateReduction.list(reductions)) }
    return (try ImageDates(dates, access: access), matching)
  }

  /// The dates of some rasters; empty if the request has no dates.
  ///
  /// - Throws: for an invalid pattern or table of dates, and if a file has no date.
  package func stacks(of rasters: [Raster]) throws -> [DatedStack] {
    guard !dates.isEmpty || rasters.allSatisfy(\.hasDates) else {
      return []
    }
    let files = try ImageDates(dates, access: FileAccess.files(access))
    return try DatedStack.open(rasters, files, grouping: grouping)
  }

  /// The options of a series, which reads all dates; nil if no series is requested.
  ///
  /// - Throws: for an invalid date, and an invalid pattern or table of dates.
  func seriesOptions(_ access: DocumentAccess) throws -> SeriesOptions? {
    guard isSeries else { return nil }
    var series = SeriesOptions(files: try ImageDates(dates, access: access))
    let period = try period
    (series.first, series.last) = (period.first, period.last)
    (series.grouping, series.condition, series.isLong) = (grouping, valid, isLong)
    return series
  }

  /// Text that identifies the output, in addition to the files; nil if the run cannot be resumed.
  var resumption: String? {
    guard resumes else { return nil }
    var request = self
    (request.threads, request.connections) = (nil, nil)
    return "\(plumbVersion)\n\(request)"
  }

  /// The time at which a map's layers with dates are read; nil for their last dates.
  ///
  /// - Throws: for text that is not a date.
  var moment: RasterMoment? {
    get throws { try RasterMoment(.date, date, within: window) }
  }

  /// Whether values of several dates are read: those that match the rows' times, or all of them.
  var readsStacks: Bool { when != nil || isSeries }

  /// The period of a series.
  ///
  /// - Throws: for text that is not a date.
  var period: DatePeriod { get throws { try DatePeriod(from: from, to: to) } }

  /// The maximum difference between a date and the requested time; nil for no limit.
  var window: TimeSpan? { within.flatMap { TimeSpan($0) } }

  /// The request of `zonal` that computes the statistics of discs around the points; nil without a
  /// radius. The caller passes single points separately.
  var discs: Zonal.Request? {
    guard radius != nil else { return nil }
    var zonal = Zonal.Request()
    (zonal.rasters, zonal.bands, zonal.isScaled) = (rasters, bands, isScaled)
    (zonal.layer, zonal.crs) = (layer ?? pointsLayer, crs)
    if case .file(let path)? = points { zonal.points = path } else { zonal.points = "-" }
    (zonal.x, zonal.y) = (x, y)
    (zonal.radius, zonal.statistics) = (radius, statistics)
    (zonal.output, zonal.overwrites, zonal.format) = (output, overwrites, format)
    (zonal.outputTable, zonal.appends) = (outputTable, appends)
    (zonal.isStrict, zonal.threads, zonal.cacheBytes) = (isStrict, threads, cacheBytes)
    return zonal
  }

  /// The formats of a table in a reply.
  static let servedFormats = [
    "csv", "tsv", "jsonl", "ndjson", "geojson", "geojsonseq", "parquet", "arrow",
  ]

  /// The table of points or cells; nil for single points.
  package var table: Identify.Table? { points ?? pixels }

  /// Whether points are columns and rows.
  package var areCells: Bool { pixels != nil || !pixel.isEmpty }

  /// The CRS of the points; nil for the CRS of the rasters or the map.
  ///
  /// - Throws: for a CRS that PROJ does not find.
  package var reference: SpatialReference? {
    get throws {
      do {
        return try crs.map { try SpatialReference(userInput: $0) }
      } catch {
        throw PlumbError("\(.crs)", error)
      }
    }
  }
}

extension Resampling: OptionWord {}
extension TimeMatching.Side: OptionWord {}

/// The methods for computing values between dates.
package enum DateInterpolation: String, OptionWord { case linear }

extension DatedStack.Grouping: OptionWord {}
