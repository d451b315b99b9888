import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Identifies rasters or a map at the points of a file, and writes each row with its results. Memory use is
/// bounded by the block of rows, the cache and the map's features, regardless of the length of the input.
public final class BatchIdentify {
  /// The input rows, the requested results and the output.
  public struct Options: Sendable {
    /// The file of points; `-` is standard input.
    public var points: String
    /// The column of x, easting or longitude, by name or number from 1; nil to use common names.
    public var x: String?
    /// The column of y, northing or latitude, by name or number from 1; nil to use common names.
    public var y: String?
    /// Whether the points are columns and rows of the rasters' cells, counted from 0. They are read from the
    /// columns `column` and `row` of delimited text, or the columns given by `x` and `y`.
    public var takesCells = false
    /// The layer of a source that has several layers; nil if the source has only one.
    public var layer: String?
    /// The CRS of the points; nil for the CRS of the input or, if the input has none, the common CRS of the
    /// rasters.
    public var reference: SpatialReference?
    /// The output file; nil for standard output.
    public var output: String?
    /// The name of the output format. Nil selects the format by the extension of the output, or the
    /// format of the input if the extension is missing or unknown.
    public var format: String?
    /// The types of delimited text columns in typed formats.
    public var types = ColumnTypes.automatic
    /// The bands to read, counted from 0, in the order of the columns; nil for all.
    public var bands: [Int]?
    /// The method of computing a value from the cells around a point.
    public var resampling = Resampling.nearest
    /// The columns that are written in addition to the values.
    public var columns = ResultColumns.Options()
    /// Whether a fault that leaves a row without results, or an uncertain transformation, is an
    /// error.
    public var isStrict = false
    /// Whether an existing file is replaced; if false, an existing file is an error.
    public var overwrites = false
    /// The table of the database `output`; nil to write a file or standard output.
    package var table: DatabaseTable?
    /// The locations to which the file of points may refer.
    public var access = DocumentAccess.folder
    /// The capacity for decoded tiles in bytes; 512 MB by default.
    public var cacheBytes = 512 << 20
    /// A shared cache of decoded tiles; nil to create a cache for the batch.
    package var cache: TileCache?
    /// The threads that read, process and write rows.
    public var workers = Workers()
    /// The names of options in the errors of results.
    public var names: [Setting: String] = [:]
    /// The dates of the rasters' files, and how they are matched to the rows' times; nil if they are not matched.
    package var dates: (files: ImageDates, matching: TimeMatching)?
    /// The dates that are all read at each point; nil if the rasters are read without dates.
    package var series: SeriesOptions?
    /// Text that identifies the output of a run that can be killed and resumed; nil for other runs.
    package var resume: String?
    /// The CRS of the points if the input has none; nil for the common CRS of the rasters.
    package var defaultReference: SpatialReference?
    /// The stacks of the target's rasters, if their dates are already known.
    package var stacks: [DatedStack]?
    /// The memory limits of a run that keeps rows in memory.
    package var limits = RowLimits()

    /// Creates options with defaults: the format of the input, on standard output.
    public init(points: String) { self.points = points }
  }

  /// The result of a run.
  public struct Summary: Sendable {
    /// The number of rows written.
    public var rows = 0
    /// The number of rows by status, for each of `rasters`.
    public var statuses: [[SampleStatus: Int]] = []
    /// The number of rows with an unreadable band, for each of `rasters`.
    public var unreadRows: [Int] = []
    /// The cache hits and decoded tiles.
    public var tiles = TileCache.Statistics()
    /// The duration of the run in seconds.
    public var seconds = 0.0
  }

  /// All rasters that are read.
  public let rasters: [Raster]
  /// Warnings for the user, in order; the caller prints them.
  public private(set) var warnings: [MessageTemplate] = []
  package let options: Options
  package let source: BatchSource
  let stacks: StackSource
  package let input: PointInput
  private let columns: ResultColumns
  let output: BatchOutput
  private var counter: RowCounter
  private var seenWarnings: Set<MessageTemplate> = []
  /// The stacks with dates; nil if no dates are matched.
  var dated: DatedSource? { stacks.dated }
  /// The state of a run that can be killed and resumed; nil for other runs.
  let resume: ResumeFolder?
  /// The reader of the rows' times; nil if no dates are matched.
  var rowTimes: RowTimes?

  /// Opens the input and the output, and checks that they are compatible.
  ///
  /// - Throws: the first error found, before an output file exists.
  public init(_ target: BatchTarget, _ options: Options) throws {
    let target = options.takesCells ? try target.inCells() : target
    let series = try StackSource.series(of: target, options)
    self.options = options
    let requested = try OutputFormat.choose(
      among: OutputFormat.ofRows, options.format, output: options.output, table: options.table)
    var reading = options.input
    reading.needsFields = requested.map { $0.needsFields } ?? false || options.dates != nil
    reading.needsTypes = requested.map { $0.isTyped } ?? false
    reading.columnCount = series?.columnCount ?? target.columnCount(options)
    reading.blockBytes =
      options.limits.blockBytes
      ?? (options.resume == nil ? nil : Self.resumableBlock(of: options.points))
    input = try PointInput(reading, workers: options.workers)
    if options.takesCells { try Self.checkCells(options, requested, input) }
    stacks = try StackSource(
      target, series, options,
      reference: options.reference ?? input.reference ?? options.defaultReference)
    source = stacks.source
    let dated = stacks.dated
    let fields = input.fields
    rowTimes = try options.dates.map { try RowTimes($0.matching.column, in: fields) }
    counter = RowCounter(source, itemName: input.itemName, dated: dated)
    rasters = source.rasters?.sampler.requests.map(\.raster) ?? []
    let files = options.dates?.files ?? options.series?.files
    try BatchOutput.checkTarget(options, inputs: source.files + (files?.tables ?? []))
    let format = Self.resolve(requested, for: input)
    columns = stacks.columns(ignoresCase: format.ignoresCase)
    if format.isJSON { try Self.checkMembers(input.fields) }
    // In JSON Lines without dates, the results are separate from the input's columns, so both may
    // contain the same names.
    if options.series?.isLong == true {
      try LongColumns.checkNames(against: input.fields.map(\.name))
    } else if format != .jsonLines || stacks.hasDates {
      try columns.checkNames(against: input.fields.map(\.name))
    }
    warnings += input.notes
    warnings += source.warnings
    warnings += stacks.dateWarnings.map { MessageTemplate($0) }
    if format != .jsonLines { warnings += columns.renames }
    seenWarnings = Set(source.layerWarnings)
    try PlumbError.check(source.layerWarnings, isStrict: options.isStrict)
    warnings += source.layerWarnings
    let uncertain = source.transformationWarnings.map { MessageTemplate($0) }
    try PlumbError.check(uncertain, isStrict: options.isStrict, "it")
    warnings += uncertain
    let (input, source) = (input, source)
    input.keepsColumns = format.isColumnar
    let resume = try options.resume.map {
      try Self.resumeFolder(options, $0, format: format, input: input, files: source.files)
    }
    self.resume = resume
    output = try BatchOutput(
      options, format: format, input: input, columns: columns, stacks: stacks, resume: resume)
  }

  /// - Throws: if columns and rows cannot be read from the input or written in the format.
  private static func checkCells(
    _ options: Options, _ format: OutputFormat?, _ input: PointInput
  ) throws(PlumbError) {
    guard options.reference == nil else {
      throw PlumbError(
        messageTemplate: "\(.pixel): columns and rows have no CRS; omit \(.crs)",
        code: .badOption)
    }
    guard case .delimited = input.kind else {
      throw PlumbError(
        messageTemplate:
          "\(.pixel): \(options.points.printable) is not delimited text with the column "
          + "and the row of a cell in each line", code: .badInput)
    }
    guard input.reference == nil else {
      throw PlumbError(
        messageTemplate: "\(.pixel): the columns of \(options.points.printable) are longitude and "
          + "latitude, not columns and rows", code: .badInput)
    }
    switch format ?? .comma {
    case .delimited, .jsonLines, .parquet, .arrow: break
    case .geoJSON, .geoJSONSequence, .vector:
      throw PlumbError(
        messageTemplate:
          "\(.pixel): columns and rows are not a geometry; write csv, tsv or jsonl with "
          + "\(.format)", code: .badOption)
    }
  }

  // MARK: Killed runs

  /// The minimum number of blocks in which a resumable run reads and writes its rows.
  private static let blockCount = 32

  /// The size of the blocks of a file of points, such that each block is a small part of the work;
  /// nil for the usual size.
  private static func resumableBlock(of path: String) -> Int? {
    guard let stamp = FileStamp(path: path) else { return nil }
    return max(1 << 12, min(1 << 20, stamp.size / blockCount))
  }

  /// Opens the state of a run.
  ///
  /// - Parameter identity: the options of the run.
  private static func resumeFolder(
    _ options: Options, _ identity: String, format: OutputFormat, input: PointInput,
    files: [String]
  ) throws -> ResumeFolder {
    guard let target = options.output, !OutputFile.isStream(target) else {
      throw PlumbError(
        messageTemplate: "\(.resume) needs a file; name one with \(.output)", code: .badOption)
    }
    guard input.canRestart else {
      throw PlumbError(
        messageTemplate: "\(.resume): \(options.points.printable) is a stream; give a file",
        code: .badOption)
    }
    if let name = format.wholeFileName {
      throw PlumbError(
        messageTemplate:
          "\(.resume): a file in the format \(name) cannot be continued; write csv, tsv, "
          + "jsonl, geojson or geojsonseq with \(.format)", code: .badOption)
    }
    try OutputFile.check(target, overwrite: options.overwrites)
    let stamps = Set(files + [options.points]).sorted().map { path in
      "\(path) \(FileStamp(path: path)?.text ?? "")"
    }
    return try ResumeFolder(
      target: target, identity: ([identity] + stamps).joined(separator: "\n"))
  }

  /// - Throws: if two columns have the same name, and would be the same member of a JSON object.
  private static func checkMembers(_ fields: [Field]) throws(PlumbError) {
    var seen = Set<String>()
    for field in fields where !seen.insert(field.name).inserted {
      throw PlumbError(
        "the input has two columns \(field.name.printable), which would be the same "
          + "JSON member: rename one of them")
    }
  }

  /// Returns the requested output format or, if none was requested, the format of the input. Text
  /// with semicolons is a variant of CSV, so CSV output for input with semicolons also uses
  /// semicolons.
  private static func resolve(_ format: OutputFormat?, for input: PointInput) -> OutputFormat {
    guard let format else { return input.naturalFormat }
    let semicolon = OutputFormat.delimited(UInt8(ascii: ";"))
    return format == .comma && input.naturalFormat == semicolon ? semicolon : format
  }

  /// Reads, identifies and writes all rows.
  ///
  /// - Parameter progress: called after each block with the fraction done, if known, and the number of rows
  ///   so far.
  /// - Throws: the first error. After an error, no output file remains.
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
    var summary = counter.emptySummary
    try runRows(&summary, progress)
    source.finishLoading()
    try output.writer.finish()
    warnings += output.writer.warnings
    let report = counter.report(summary, columns: columnAdvice)
    warnings += report.warnings
    warnings += rowTimes?.warnings(isNoon: stacks.hasNoon) ?? []
    if let failure = source.failure { throw failure }
    try complain()
    if let failure = report.failure { throw failure }
    if options.isStrict, let refusal = counter.refusal(summary) { throw refusal }
    try output.commit()
    summary.tiles = source.cacheStatistics
    let elapsed = clock.now - start
    summary.seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    return summary
  }

  /// Adds the layer warnings that have not been reported yet.
  private func complain() throws {
    for line in source.layerWarnings where seenWarnings.insert(line).inserted {
      try PlumbError.check([line], isStrict: options.isStrict)
      warnings.append(line)
    }
  }

  func write(_ batch: PointBatch, _ answers: MapAnswers, _ summary: inout Summary) throws {
    try WorkCancellation.checkCurrent()
    if let resume {
      if summary.rows >= resume.written?.rows ?? 0 {
        try output.writer.write(batch, answers)
        try output.noteWritten(rows: summary.rows + batch.count)
      }
    } else {
      try output.writer.write(batch, answers)
    }
    counter.add(batch.coordinates, bad: batch.badLines, answers, to: &summary)
    if let maximum = options.limits.rows, summary.rows > maximum {
      throw PlumbError("more than \(maximum) points", code: .limit)
    }
  }

  /// Advice about the columns from which the points were read, for a warning.
  private var columnAdvice: MessageTemplate {
    guard case .delimited(_, let columns) = input.kind, !columns.isWKT else { return "" }
    let names = input.fields.map(\.name.printable)
    return " (x is longitude or easting; it was read from the column \(names[columns.x]), y from "
      + "\(names[columns.y]); try \(.xColumn) \(names[columns.y]) \(.yColumn) \(names[columns.x]))"
  }
}

extension BatchIdentify.Options {
  /// The options of the input that do not depend on the results.
  var input: PointInput.Options {
    var input = PointInput.Options(path: points)
    (input.x, input.y, input.layer) = (x, y, layer)
    (input.hasReference, input.takesCells) = (reference != nil, takesCells)
    (input.types, input.access) = (types, access)
    return input
  }
}

extension BatchTarget {
  /// Returns the target with rasters whose coordinates are columns and rows of cells.
  fileprivate func inCells() throws -> BatchTarget {
    guard case .rasters(let rasters) = self else {
      throw PlumbError("cells belong to rasters, not to a map", code: .badOption)
    }
    return .rasters(try rasters.map { try $0.inCells() })
  }

  /// The approximate number of result columns.
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
