import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Reports when moving objects enter and leave fences, from a file or in real time.",
    usage: """
      plumb monitor --feed TRACK|- --fences FILE[:LAYER] [OPTIONS]
      plumb monitor --feed TRACK|- --raster-fence 'PATH: EXPR' [OPTIONS]
      """,
    discussion: """
      TRACK is CSV, GeoJSON, GPX, NMEA, Parquet or Arrow; - is standard input, which is read as it \
      arrives. Points are longitude and latitude on WGS84; a time without a zone is UTC. With --simulate, TRACK is the line \
      of the simulated locations.

      EXPR is an Arcade expression. A message has $fencefeature, $feedfeature and \
      $fencenotificationtype; a filter has $locationupdate; a raster fence has $value, the band's \
      value with its scale and offset, and $stored, the value in the file.

      Each event is one line: time, entity, monitor, fence, fenceId, type (entered, exited, dwelt or \
      crossed), message, x, y, and index, the row of the feed that causes it, from 0. For a feed from \
      a pipe, outputs in jsonl, csv and geojsonseq are created at the start and grow by whole lines; \
      SIGHUP reopens the output under its name, for log rotation. geojson, gpkg and parquet, and any \
      output for a feed from a file without --append, are created at the end. In a table of a database \
      (-o PG:... --table TABLE), the events of a pipe are written as they occur, and the events of a file at \
      the end.

      plumb monitor --feed rasters/walk.csv --fences rasters/garden_sections.geojson
      plumb monitor --feed rasters/walk.csv --raster-fence 'rasters/dem: $value > 90'
      plumb monitor --feed rasters/walk.esri.json --simulate \\
        --fences rasters/wards.geojson
      """)

  @OptionGroup(title: "Input") var reading: MonitorSourceArguments

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "The feed") var columns: FeedArguments

  @OptionGroup(title: "Events") var watching: WatchArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Output") var drawn: PictureArguments

  @OptionGroup(title: "Output") var writing: EventArguments

  @OptionGroup(title: "Run") var running: MonitorRunArguments

  @OptionGroup(title: "Run") var permissions: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    if watching.feedFilter != nil, watching.formerFeedFilter != nil {
      throw ValidationError("--filter is the former name of --feed-filter: give one of them")
    }
    try checkUsage { try Monitor.check(request, by: .command) }
  }

  func run() throws {
    let inputs = [reading.feed] + reading.fences + reading.rasterFences
    let run = RunSandbox(
      inputs: inputs, outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: permissions.allowOutside)
    try Console.run(within: run) {
      try text.apply()
      var context = RunContext(isQuiet: running.quiet)
      (context.access, context.services) = (permissions.access, permissions.services(signing))
      let outcome = try Monitor.run(request, in: context, onReopen: InterruptHandler.onHangup)
      // A warning has already reported that no fence is valid.
      if outcome == .withoutFences { throw ExitCode.failure }
    }
  }

  private var request: Monitor.Request {
    var request = Monitor.Request()
    request.feed = reading.feed
    request.fences = reading.fences.isEmpty ? nil : .files(reading.fences)
    (request.rasterFences, request.condition) = (reading.rasterFences, reading.condition)
    request.area = reading.area.map { NumberList.parse($0) ?? [.nan] } ?? []
    (request.id, request.time, request.x, request.y) = (
      columns.id, columns.time, columns.x, columns.y
    )
    (request.maxAhead, request.simulates) = (columns.maxAhead, columns.simulate)
    (request.velocity, request.segment) = (columns.velocity, columns.segment)
    request.start = columns.start
    (request.rule, request.buffer) = (watching.rule, watching.buffer)
    (request.usesAccuracy, request.relationship) = (watching.accuracy, watching.relationship)
    request.feedFilter = watching.feedFilter ?? watching.formerFeedFilter
    (request.dwell, request.cooldown, request.forget) = (
      watching.dwell, watching.cooldown, watching.forget
    )
    (request.reportsCrossings, request.omitsInitial) = (watching.crossings, watching.noInitial)
    (request.message, request.name) = (watching.message, watching.name)
    request.explains = running.explain
    (request.output, request.overwrites) = (target.output, target.overwrite)
    (request.outputTable, request.appends) = (writing.table, writing.append)
    (request.picture, request.format) = (drawn.picture, writing.format)
    request.threads = running.threads
    return request
  }
}

extension FenceRuleType: WordArgument {}
extension FenceEnterExitRelationship: WordArgument {}
extension NotificationFormat: WordArgument {}
