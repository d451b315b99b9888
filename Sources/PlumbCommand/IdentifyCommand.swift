import ArgumentParser
import Plumb
import PlumbVerbs
import PlumbSandbox

struct IdentifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identify",
    abstract: "Prints what rasters or a map's layers hold at points.",
    discussion: """
      A raster is a file, NAME=PATH, a folder of tiles or a quoted pattern; the last two are one \
      mosaic. A map is a web map in JSON whose layers are local files. x is always easting or \
      longitude.

      plumb identify rasters/dem --at 18.6,-34.1
      plumb identify rasters/cape.json --at 18.86,-33.93 --tolerance 2km
      plumb identify rasters/dem --points rasters/points.csv -o values.csv
      """)

  @Argument(
    help: "Rasters (a file, NAME=PATH, a folder of tiles, or a quoted pattern), or one map.")
  var rasters: [String] = []

  @OptionGroup(title: "Input") var reading: PointArguments

  @OptionGroup(title: "Input") var columns: ColumnArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Map options") var map: MapArguments

  @OptionGroup(title: "Raster options") var cells: CellArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var writing: AnswerArguments

  @OptionGroup(title: "Run") var running: IdentifyRunArguments

  @OptionGroup(title: "Run") var walls: DocumentAccessArguments

  func validate() throws {
    let ways = [
      !reading.at.isEmpty, reading.points != nil, !reading.pixel.isEmpty, reading.pixels != nil,
    ]
    guard ways.count(where: { $0 }) == 1 else {
      throw ValidationError(
        "give the points with either --at X,Y or --points FILE, or cells with --pixel COLUMN,ROW "
          + "or --pixels FILE")
    }
    if reading.areCells, reading.crs != nil {
      throw ValidationError(
        "--crs goes with --at and --points: columns and rows are in no reference")
    }
    // A raster may also have been taken up by -b; see `splitBands`.
    if rasters.isEmpty, !cells.band.contains(where: { Self.bandNumbers($0) == nil }) {
      throw ValidationError("name a raster or a map")
    }
    if let threads = running.threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
    guard (1...256).contains(running.connections) else {
      throw ValidationError("--connections takes 1 to 256")
    }
    if reading.file == nil {
      let given: [(String, Bool)] = [
        ("--points-layer", reading.pointsLayer != nil), ("--output", target.output != nil),
        ("--types", writing.types != nil), ("--x", columns.x != nil),
        ("--y", columns.y != nil),
        ("--scaled", cells.scaled),
        ("--status", writing.status), ("--provenance", writing.provenance),
        ("--overwrite", target.overwrite && drawn.picture == nil),
      ]
      if let option = given.first(where: \.1)?.0 {
        throw ValidationError("\(option) goes with --points")
      }
      if let outputFormat = writing.outputFormat, format == nil {
        throw ValidationError("--of \(outputFormat.printable): --at prints text, tree or json")
      }
    }
    if drawn.picture != nil, reading.at.isEmpty {
      throw ValidationError("--picture goes with --at")
    }
    _ = try columnTypes
    for text in reading.at where Self.point(text) == nil {
      throw ValidationError("--at \(text.printable): expected two numbers as X,Y")
    }
    for text in reading.pixel where Self.point(text) == nil {
      throw ValidationError("--pixel \(text.printable): expected two numbers as COLUMN,ROW")
    }
  }

  /// How --at prints.
  var format: PrintFormat? {
    writing.outputFormat.flatMap { PrintFormat(rawValue: $0.lowercased()) }
  }

  private var columnTypes: ColumnTypes {
    get throws { try ColumnTypes.option(writing.types) }
  }

  func run() throws {
    let document = rasters.first.flatMap { Map.isDocument(path: $0) ? $0 : nil }
    let run = RunWalls(
      documents: [document].compactMap { $0 },
      inputs: (document == nil ? rasters + cells.band : []) + [reading.file].compactMap { $0 },
      outputs: [target.output, drawn.picture].compactMap { $0 }, allowsOutside: walls.allowOutside,
      reachesHosts: walls.reachesHosts)
    try Console.run(within: run, explains: running.explain) {
      try text.apply()
      let workers = Workers(count: running.threads)
      RemoteRasters.connections = running.connections
      let console = Console(isQuiet: running.quiet)
      let (bands, more) = try splitBands()
      if let path = document {
        guard !reading.areCells else {
          throw ValidationError("cells are asked of rasters: name the map's raster itself")
        }
        guard bands == nil, (rasters + more).count == 1 else {
          throw ValidationError("a map is asked alone: no bands, no rasters beside it")
        }
        return try runMap(path, workers, console)
      }
      if let option = map.firstGiven {
        if let path = rasters.first {
          if let reason = Map.documentFault(path: path) { throw PlumbError(reason) }
          if Map.isMissing(path: path) { throw noSuchFile(path) }
        }
        throw ValidationError("\(option) goes with a map: name one map document, as MAP.json")
      }
      if reading.file == nil, format == .tree {
        throw ValidationError("--of tree goes with a map")
      }
      if reading.file == nil, reading.layer != nil {
        throw ValidationError("--layer goes with --points")
      }
      if reading.layer != nil, reading.pointsLayer != nil {
        throw ValidationError("--layer and --points-layer are one here; give one of them")
      }
      let opened = try openRasters(rasters + more, workers)
      let reference = try reading.crs.map { try SpatialReference($0) }
      if let points = reading.file {
        var options = try batchOptions(points, reference, workers)
        options.takesCells = reading.areCells
        options.layer = reading.layer ?? reading.pointsLayer
        options.bands = bands
        try runBatch(.rasters(opened), options, console)
      } else {
        try runPoints(
          reading.areCells ? opened.map { try $0.inCells() } : opened, bands, reference, workers,
          console)
      }
    }
  }

  private func openRasters(_ arguments: [String], _ workers: Workers) throws -> [Raster] {
    do {
      return try [Raster].open(arguments, access: walls.access, workers: workers)
    } catch {
      // A raster may be described in JSON too, so it is one when it opens.
      for path in arguments {
        if let reason = Map.documentFault(path: path) { throw PlumbError(reason) }
      }
      throw error
    }
  }

  func batchOptions(
    _ points: String, _ reference: SpatialReference?, _ workers: Workers
  ) throws -> BatchIdentify.Options {
    var options = BatchIdentify.Options(points: points)
    (options.x, options.y) = (columns.x, columns.y)
    options.layer = reading.pointsLayer
    options.reference = reference
    options.output = target.output
    options.format = writing.outputFormat
    options.types = try columnTypes
    options.resampling = cells.resampling
    options.columns = ResultColumns.Options(
      isScaled: cells.scaled, hasStatus: writing.status, hasProvenance: writing.provenance)
    options.isStrict = writing.strict
    options.overwrites = target.overwrite
    options.access = walls.access
    options.cacheBytes = cells.cache.bytes
    options.workers = workers
    options.names = Setting.flags
    return options
  }

  /// `-b` takes all that follows it up to the next option; what is not a band number is a raster.
  private func splitBands() throws -> (bands: [Int]?, rasters: [String]) {
    var bands: [Int] = []
    var rasters: [String] = []
    for text in cells.band {
      guard let numbers = Self.bandNumbers(text) else {
        rasters.append(text)
        continue
      }
      for number in numbers {
        guard number >= 1 else { throw PlumbError("there is no band \(number): they count from 1") }
        guard !bands.contains(number - 1) else { throw PlumbError("band \(number) is asked twice") }
        bands.append(number - 1)
      }
    }
    return (bands.isEmpty ? nil : bands, rasters)
  }

  /// `3` or `1,2`; nil for what is not a list of numbers.
  private static func bandNumbers(_ text: String) -> [Int]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    return numbers.count == parts.count ? numbers : nil
  }

  func runBatch(
    _ target: BatchTarget, _ options: BatchIdentify.Options, _ console: Console
  ) throws {
    let batch = try BatchIdentify(target, options)
    if running.explain {
      for line in try batch.explanation() { console.note(line) }
    }
    let bar = ProgressBar(isQuiet: running.quiet)
    let summary: BatchIdentify.Summary
    do {
      summary = try batch.run { share, rows in bar.show(share, rows: rows) }
    } catch {
      bar.clear()
      for line in batch.warnings { console.warn(line) }
      throw error
    }
    bar.clear()
    for line in batch.warnings { console.warn(line) }
    for line in GDALMessages.take() { console.warn(line) }
    if running.explain {
      for line in batch.account(of: summary) { console.note(line) }
    }
  }

  private func runPoints(
    _ rasters: [Raster], _ bands: [Int]?, _ reference: SpatialReference?, _ workers: Workers,
    _ console: Console
  ) throws {
    let identifier = try RasterIdentifier(
      rasters.map { RasterSampler.Request($0, bands: bands) }, reference: reference,
      resampling: cells.resampling, cache: TileCache(capacity: cells.cache.bytes), workers: workers)
    let uncertain = identifier.transformationWarnings
    if writing.strict, let uncertainty = uncertain.first {
      throw PlumbError.strict(Wording(uncertainty), "it")
    }
    for line in identifier.referenceWarnings + uncertain { console.warn(line) }
    let locations = reading.named.compactMap(Self.point)
    if running.explain {
      for line in identifier.explanation(x: locations.map(\.x), y: locations.map(\.y)) {
        console.note(line)
      }
    }
    let answers = try PointAnswers(identifier, locations.map { SIMD2($0.x, $0.y) })
    if running.explain {
      for line in identifier.fetchAccount { console.note(line) }
    }
    for line in answers.warnings { console.warn(line) }
    for line in GDALMessages.take() { console.warn(line) }
    if writing.strict, let refusal = answers.refusal { throw refusal }
    for line in answers.hints { console.warn(line) }
    for (index, point) in locations.enumerated() {
      let point = AskedPoint(x: point.x, y: point.y, reference: identifier.reference?.label)
      let results = answers.results[index]
      switch format ?? .text {
      case .json:
        try StandardOutput.write(
          IdentifyLayerResult.json(point: point, results: results, names: Setting.flags))
      case .text, .tree:
        let callout = Callout(
          point: point, rasters: rasters, results: results, names: Setting.flags)
        try StandardOutput.write((index > 0 ? "\n" : "") + callout.text)
      }
    }
    if let picture = try ResultPicture(
      path: drawn.picture, overwrite: target.overwrite)
    {
      let map = Map(
        layers: rasters.map { RasterLayer(LayerProperties(id: $0.name), raster: $0) },
        spatialReference: identifier.reference)
      try draw(picture, on: map, answers.results, identifier.reference, console)
    }
    if answers.isUnread { throw ExitCode.failure }
  }

  static func point(_ text: String) -> (x: Double, y: Double)? {
    guard let numbers = NumberList.parse(text), numbers.count == 2 else { return nil }
    return (numbers[0], numbers[1])
  }
}

enum PrintFormat: String, WordArgument {
  case text, tree, json
}

extension ColumnTypes {
  /// What `--types` says.
  static func option(_ text: String?) throws -> ColumnTypes {
    guard let text else { return .automatic }
    do {
      return try ColumnTypes(text)
    } catch {
      throw ValidationError("--types: " + error.line.line)
    }
  }
}

extension Resampling: WordArgument {}

/// Bytes, as `512MB`, `2G` or a plain number.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    guard let bytes = ByteCount.read(argument) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String { "\(bytes >> 20)MB" }
}
