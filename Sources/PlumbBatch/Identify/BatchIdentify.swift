import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Asks rasters or a map at the points of a file and writes each row with its answers: in memory
/// bounded by the block of rows, the cache and the map's features, however long the input.
public final class BatchIdentify {
  /// Which rows to ask about, what of the answers to write, and where.
  public struct Options: Sendable {
    /// The file of points; `-` is standard input.
    public var points: String
    /// The column of x, easting or longitude, by name or number from 1; nil goes by the usual
    /// names.
    public var x: String?
    /// The column of y, northing or latitude, likewise.
    public var y: String?
    /// Whether the points are columns and rows of the rasters' cells, counted from 0. They are read
    /// from the columns `column` and `row` of delimited text, or those that `x` and `y` name.
    public var takesCells = false
    /// The layer of a source with several; nil for its only one.
    public var layer: String?
    /// The reference of the points; nil takes the input's, else the rasters' common one.
    public var reference: SpatialReference?
    /// Where to write; nil is standard output.
    public var output: String?
    /// A format by name; nil goes by the output's ending, else by the input's kind.
    public var format: String?
    /// What the columns of delimited text become in formats with types.
    public var types = ColumnTypes.automatic
    /// The bands to ask, counted from 0, in the order of the columns; nil for all.
    public var bands: [Int]?
    /// How a value is taken from the cells round the point.
    public var resampling = Resampling.nearest
    /// Which columns there are beside the values.
    public var columns = ResultColumns.Options()
    /// Whether rows without an answer for a fault's sake, or an uncertain transformation, are
    /// errors.
    public var isStrict = false
    /// Whether a file that is there already is replaced; else it is an error.
    public var overwrites = false
    /// What the file of points may lead to.
    public var access = DocumentAccess.folder
    /// Bytes of decoded tiles that are kept; 512 MB.
    public var cacheBytes = 512 << 20
    /// Where decoded tiles are kept instead; nil for a cache of the batch's own.
    package var cache: TileCache?
    /// The threads that read, look up and write.
    public var workers = Workers()
    /// What settings are called in the errors of answers.
    public var names: [Setting: String] = [:]
    /// What is in memory at once of a run that does not go row by row.
    package var limits = RowLimits()

    /// Options with their usual values: the format of the input, on standard output.
    public init(points: String) { self.points = points }
  }

  /// What became of a run.
  public struct Summary: Sendable {
    /// Rows that were written.
    public var rows = 0
    /// Rows by status, for each of `rasters`.
    public var statuses: [[SampleStatus: Int]] = []
    /// Rows of which a band could not be read, for each of `rasters`.
    public var unreadRows: [Int] = []
    /// How often a tile was found, and how often it had to be decoded.
    public var tiles = TileCache.Statistics()
    /// Seconds that the run took.
    public var seconds = 0.0
  }

  /// All that are asked.
  public let rasters: [Raster]
  /// Lines for the user, in order; the caller prints them.
  public private(set) var warnings: [Wording] = []
  package let options: Options
  package let source: BatchSource
  package let input: PointInput
  private let columns: ResultColumns
  let output: BatchOutput
  private var tally: RowTally
  private var seenWarnings: Set<Wording> = []

  /// Opens the input and the output and checks that they fit together.
  ///
  /// - Throws: one error that says what is wrong, before anything is written under the final name.
  public init(_ target: BatchTarget, _ options: Options) throws {
    let target = options.takesCells ? try target.inCells() : target
    self.options = options
    let asked = try OutputFormat.ofRows.choose(
      options.format.map { try OutputFormat(name: $0) }, output: options.output)
    input = try PointInput(
      PointInput.Options(
        path: options.points, x: options.x, y: options.y, layer: options.layer,
        needsFields: asked.map { $0.needsFields } ?? false,
        hasReference: options.reference != nil,
        columnCount: target.columnCount(options), types: options.types,
        needsTypes: asked.map { $0.isTyped } ?? false, access: options.access,
        blockBytes: options.limits.blockBytes, takesCells: options.takesCells),
      workers: options.workers)
    if options.takesCells { try Self.checkCells(options, asked, input) }
    source = try BatchSource(target, options, reference: options.reference ?? input.reference)
    tally = RowTally(source, noun: input.noun)
    rasters = source.rasters?.sampler.requests.map(\.raster) ?? []
    try BatchOutput.checkTarget(options, inputs: source.files)
    let format = Self.resolve(asked, for: input)
    columns = ResultColumns(
      source.parts, options: options.columns, resampling: options.resampling,
      advice: source.advice, ignoresCase: format.ignoresCase)
    if format.isJSON { try Self.checkMembers(input.fields) }
    // Identify results stand beside the input's columns, not among them.
    if format != .jsonLines { try columns.checkNames(against: input.fields.map(\.name)) }
    warnings += input.notes
    warnings += source.warnings
    if format != .jsonLines { warnings += columns.renames }
    seenWarnings = Set(source.layerWarnings)
    if options.isStrict, let line = source.layerWarnings.first {
      throw PlumbError.strict(line)
    }
    warnings += source.layerWarnings
    let uncertain = source.transformationWarnings
    if options.isStrict, let uncertainty = uncertain.first {
      throw PlumbError.strict(Wording(uncertainty), "it")
    }
    warnings += uncertain
    output = try BatchOutput(
      options, format: format, input: input, columns: columns, source: source)
  }

  /// - Throws: where columns and rows cannot be read or written.
  private static func checkCells(
    _ options: Options, _ format: OutputFormat?, _ input: PointInput
  ) throws(PlumbError) {
    guard options.reference == nil else {
      throw PlumbError(
        wording: "\(.pixel): columns and rows are in no reference; leave out \(.crs)",
        code: .badOption)
    }
    guard case .delimited = input.kind else {
      throw PlumbError(
        wording: "\(.pixel): \(options.points.printable) is not delimited text with a column and "
          + "a row in each line", code: .badInput)
    }
    guard input.reference == nil else {
      throw PlumbError(
        wording: "\(.pixel): the columns of \(options.points.printable) are longitude and "
          + "latitude, not columns and rows", code: .badInput)
    }
    switch format ?? .comma {
    case .delimited, .jsonLines: break
    case .geoJSON, .geoJSONSequence, .vector:
      throw PlumbError(
        wording: "\(.pixel): columns and rows are not a geometry; write csv, tsv or jsonl with "
          + "\(.format)", code: .badOption)
    }
  }

  /// - Throws: when two columns would be one member of an object.
  private static func checkMembers(_ fields: [Field]) throws(PlumbError) {
    var seen = Set<String>()
    for field in fields where !seen.insert(field.name).inserted {
      throw PlumbError(
        "the input has two columns \(field.name.printable), which JSON takes for one: rename one of "
          + "them")
    }
  }

  /// The format to write: the one asked for, else the input's. Semicolons are a way to write CSV,
  /// so that rows which came with them keep them.
  private static func resolve(_ format: OutputFormat?, for input: PointInput) -> OutputFormat {
    guard let format else { return input.naturalFormat }
    let semicolon = OutputFormat.delimited(UInt8(ascii: ";"))
    return format == .comma && input.naturalFormat == semicolon ? semicolon : format
  }

  /// Reads, asks and writes all rows.
  ///
  /// - Parameter progress: called after each block with the share done, where it is known, and the
  ///   rows so far.
  /// - Throws: the first error; nothing is left under the final name then.
  public func run(progress: ((Double?, Int) -> Void)? = nil) throws -> Summary {
    do {
      return try runAll(progress)
    } catch {
      throw output.named(error)
    }
  }

  private func runAll(_ progress: ((Double?, Int) -> Void)?) throws -> Summary {
    let clock = ContinuousClock()
    let start = clock.now
    source.startLoading()
    var summary = tally.emptySummary
    if source.keepsAllTiles {
      try runCached(&summary, progress)
    } else {
      try runStacked(&summary, progress)
    }
    source.finishLoading()
    try output.writer.finish()
    warnings += output.writer.warnings
    let report = tally.report(summary, columns: columnAdvice)
    warnings += report.warnings
    if let failure = source.failure { throw failure }
    try complain()
    if let failure = report.failure { throw failure }
    if options.isStrict, let refusal = tally.refusal(summary) { throw refusal }
    try output.commit()
    summary.tiles = source.cacheStatistics
    let elapsed = clock.now - start
    summary.seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    return summary
  }

  /// Takes up what is wrong with layers and has not been reported.
  private func complain() throws {
    for line in source.layerWarnings where seenWarnings.insert(line).inserted {
      if options.isStrict { throw PlumbError.strict(line) }
      warnings.append(line)
    }
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers, _ summary: inout Summary) throws {
    try WorkCancellation.checkCurrent()
    try output.writer.write(batch, answers)
    tally.add(batch.coordinates, bad: batch.badLines, answers, to: &summary)
    if let most = options.limits.rows, summary.rows > most {
      throw PlumbError("more than \(most) points", code: .limit)
    }
  }

  /// Which columns the points were read from, in words.
  private var columnAdvice: Wording {
    guard case .delimited(_, let columns) = input.kind, !columns.isWKT else { return "" }
    let names = input.fields.map(\.name.printable)
    return " (x is longitude or easting; it was read from the column \(names[columns.x]), y from "
      + "\(names[columns.y]); try \(.xColumn) \(names[columns.y]) \(.yColumn) \(names[columns.x]))"
  }
}

extension BatchTarget {
  /// The same rasters in columns and rows.
  fileprivate func inCells() throws -> BatchTarget {
    guard case .rasters(let rasters) = self else {
      throw PlumbError("cells belong to rasters, not to a map", code: .badOption)
    }
    return .rasters(try rasters.map { try $0.inCells() })
  }

  /// About how many columns the results have.
  fileprivate func columnCount(_ options: BatchIdentify.Options) -> Int {
    switch self {
    case .rasters(let rasters): rasters.reduce(0) { $0 + (options.bands?.count ?? $1.bands.count) }
    case .map(let map, _, nil): map.layers.reduce(0) { $0 + Self.columnCount(of: $1) }
    case .map(let map, _, let id?): map.layer(id: id).map { Self.columnCount(of: $0) } ?? 0
    }
  }

  private static func columnCount(of layer: any Layer) -> Int {
    guard layer.isVisible, (try? layer.load()) != nil else { return 0 }
    return switch layer.typed {
    case .feature(let layer): 1 + layer.table.fields.count
    case .raster(let layer): layer.raster?.bands.count ?? 0
    case .remote: 2
    case .group, .mapImage, .broken: layer.sublayers.reduce(0) { $0 + columnCount(of: $1) }
    }
  }
}
