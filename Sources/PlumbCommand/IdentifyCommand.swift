import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct IdentifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identify",
    abstract: "Prints the values of rasters or the features of a map's layers at points.",
    discussion: """
      A raster is a file, NAME=PATH, a folder of tiles or a quoted pattern; the last two form one \
      mosaic. A map is a web map in JSON or the URL of a web map or a service; its layers are \
      local files, features in the map, or services on hosts that --allow-host allows. x is always easting \
      or longitude.

      plumb identify rasters/dem --at 18.6,-34.1
      plumb identify rasters/cape.json --at 18.86,-33.93 --tolerance 2km
      plumb identify rasters/dem --points rasters/points.csv -o values.csv
      """)

  @Argument(help: identifyHelp(.rasters))
  var rasters: [String] = []

  @OptionGroup(title: "Input") var reading: PointArguments

  @OptionGroup(title: "Input") var columns: ColumnArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Map options") var map: MapArguments

  @OptionGroup(title: "Raster options") var cells: CellArguments

  @OptionGroup(title: "Time") var time: TimeArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var tabular: TableArguments

  @OptionGroup(title: "Output") var writing: IdentifyOutputArguments

  @OptionGroup(title: "Run") var running: IdentifyRunArguments

  @OptionGroup(title: "Run") var permissions: DocumentAccessArguments

  func validate() throws {
    try checkUsage { try Identify.check(request, by: .command) }
  }

  func run() throws {
    let paths = request.rasters
    let document = paths.first.flatMap { Map.isDocument(path: $0) ? $0 : nil }
    let run = RunSandbox(
      documents: [document].compactMap { $0 },
      inputs: (document == nil ? paths : [])
        + [reading.points, reading.pixels].compactMap { $0 } + time.tables,
      outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: permissions.allowOutside,
      allowsHosts: permissions.allowsHosts)
    try Console.run(within: run, explains: running.explain) {
      try text.apply()
      var context = RunContext(isQuiet: running.quiet, explains: running.explain)
      context.remark = { Console().note($0) }
      (context.access, context.signIn) = (permissions.access, permissions.signIn)
      let outcome: Identify.Outcome
      do {
        outcome = try Identify.run(request, in: context)
      } catch let error as OptionViolation {
        throw error.usage
      }
      switch outcome {
      case .done: break
      case .failed(let failure):
        Console().note(failure.line.line)
        throw ExitCode.failure
      // A cell that cannot be read is missing from the results, so the exit status reports the
      // failure. If one of several layers fails, the results contain its error.
      case .unread: throw ExitCode.failure
      }
    }
  }

  private var request: Identify.Request {
    var request = Identify.Request()
    let bands = BandText(cells.band)
    (request.rasters, request.bands) = (rasters + bands.others, bands.numbers)
    (request.at, request.pixel) = (
      reading.at.compactMap(PointText.parse), reading.pixel.compactMap(PointText.parse)
    )
    request.points = reading.points.map { .file($0) }
    request.pixels = reading.pixels.map { .file($0) }
    (request.layer, request.pointsLayer) = (reading.layer, reading.pointsLayer)
    (request.crs, request.x, request.y) = (reading.crs, columns.x, columns.y)
    (request.tolerance, request.scale) = (map.tolerance, map.scale)
    (request.maxResults, request.popupsOnly) = (map.maxResults, map.popupsOnly)
    request.condition = map.condition
    (request.resampling, request.isScaled) = (cells.resampling, cells.scaled)
    (request.radius, request.statistics) = (cells.radius, cells.stat)
    request.cacheBytes = cells.cache?.bytes
    (request.dates, request.grouping, request.when) = (time.dates, time.group, time.when)
    request.date = time.date
    (request.isSeries, request.isLong) = (time.series, time.long)
    request.resumes = time.resume
    (request.from, request.to) = (time.from, time.to)
    (request.interpolation, request.reductions) = (time.interpolate, time.reduce)
    (request.match, request.within, request.valid) = (time.match, time.within, time.valid)
    request.search = time.search
    (request.output, request.overwrites) = (target.output, target.overwrite)
    (request.outputTable, request.appends) = (tabular.table, tabular.append)
    (request.picture, request.format) = (drawn.picture, writing.outputFormat)
    request.types = writing.types
    (request.hasStatus, request.hasProvenance) = (writing.status, writing.provenance)
    request.isStrict = writing.strict
    (request.threads, request.connections) = (running.threads, running.connections)
    return request
  }
}
