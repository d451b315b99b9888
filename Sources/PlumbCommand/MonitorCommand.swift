import ArgumentParser
import Plumb
import PlumbSandbox

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Reports when moving things enter and leave fences, from a file or as it happens.",
    usage: """
      plumb monitor --feed TRACK|- --fences FILE[:LAYER] [OPTIONS]
      plumb monitor --feed TRACK|- --raster-fence 'PATH: EXPR' [OPTIONS]
      """,
    discussion: """
      TRACK is CSV, GeoJSON, GPX or NMEA, - standard input, line by line as it comes. Points are \
      longitude and latitude on WGS84; a time without a zone is UTC. With --simulate it is a line to \
      walk along.

      EXPR is an Arcade expression. A message sees $fencefeature, $feedfeature and \
      $fencenotificationtype; a filter sees $locationupdate; a raster fence sees $value, the band's \
      value with its scale and offset, and $stored, the value in the file.

      Each event is one line: time, entity, monitor, fence, fenceId, type (entered, exited, dwelt or \
      crossed), message, x, y, and index, the row of the feed that reports it, from 0. Of a feed from \
      a pipe, jsonl, csv and geojsonseq are there from the start and grow by whole lines; SIGHUP opens \
      the output under its name again, as after a rotation of logs. geojson and gpkg, and any output of \
      a feed from a file without --append, appear whole at the end.

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

  @OptionGroup(title: "Run") var walls: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    guard reading.fences.isEmpty != reading.rasterFences.isEmpty else {
      throw ValidationError("give the fences with either --fences or --raster-fence")
    }
    if !reading.rasterFences.isEmpty {
      for (name, isGiven) in [
        ("--buffer", watching.buffer != 0), ("--where", reading.condition != nil),
        ("--area", reading.area != nil),
        ("--accuracy", watching.accuracy), ("--crossings", watching.crossings),
      ] where isGiven {
        throw ValidationError("\(name) goes with --fences")
      }
    }
    if watching.feedFilter != nil, watching.formerFeedFilter != nil {
      throw ValidationError("--filter is the former name of --feed-filter: give one of them")
    }
    if writing.format == .gpkg, target.output == nil {
      throw ValidationError("a GeoPackage is written to a file: give -o FILE.gpkg")
    }
    if writing.append {
      if target.output == nil { throw ValidationError("--append adds to a file: give -o FILE") }
      if target.overwrite { throw ValidationError("--append does not go with --overwrite") }
    }
    guard watching.buffer >= 0, watching.buffer.isFinite else {
      throw ValidationError("--buffer \(watching.buffer): expected metres, 0 or more")
    }
    for (name, value) in [
      ("--dwell", watching.dwell), ("--cooldown", watching.cooldown), ("--forget", watching.forget),
    ] {
      if let value, !(value >= 0 && value.isFinite) {
        throw ValidationError("\(name) \(value): expected seconds, 0 or more")
      }
    }
    if watching.forget == 0 {
      throw ValidationError("--forget 0: expected seconds above 0")
    }
    if reading.area != nil, envelope == nil {
      throw ValidationError(
        "--area: expected four numbers as XMIN,YMIN,XMAX,YMAX, in degrees, the lesser ones first; "
          + "XMIN may exceed XMAX across 180 degrees")
    }
  }

  var envelope: Envelope? {
    let numbers = reading.area?.split(separator: ",", omittingEmptySubsequences: false).compactMap {
      Double($0)
    }
    guard let numbers, numbers.count == 4, numbers.allSatisfy(\.isFinite),
      numbers[1] <= numbers[3]
    else { return nil }
    return Envelope(
      xMin: numbers[0], yMin: numbers[1], xMax: numbers[2], yMax: numbers[3],
      spatialReference: .wgs84)
  }

  func run() throws {
    let inputs = [reading.feed] + reading.fences + reading.rasterFences
    let run = RunWalls(
      inputs: inputs, outputs: [target.output, drawn.picture].compactMap { $0 },
      allowsOutside: walls.allowOutside)
    try Console.run(within: run) {
      try text.apply()
      try monitor()
    }
  }
}

/// Where locations stand in a feed.
struct FeedArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The entity. Default: one of the usual names (id, entity, device, vehicle_id, …); without one \
      all rows are one entity.
      """, valueName: "column"))
  var id: String?

  @Option(help: ArgumentHelp("The time. Default: time or timestamp.", valueName: "column"))
  var time: String?

  @Option(
    help: ArgumentHelp("The longitude. Default: one of the usual names.", valueName: "column"))
  var x: String?

  @Option(help: ArgumentHelp("The latitude.", valueName: "column"))
  var y: String?

  @Option(
    help: ArgumentHelp(
      """
      Leave out locations whose times are further ahead: of the clock, in a feed from a pipe \
      (default: 300; inf for any), or of those that follow, in a file (default: inf).
      """, valueName: "seconds"))
  var maxAhead: Double?

  @Flag(help: "The feed is a line, EsriJSON or GeoJSON: walk along it.")
  var simulate = false

  @Option(
    help: ArgumentHelp(
      "With --simulate, how fast, one location a second. Default: 10.", valueName: "m/s"))
  var velocity: Double?

  @Option(
    help: ArgumentHelp(
      "With --simulate, a location at each vertex instead, on segments no longer than so much.",
      valueName: "metres"))
  var segment: Double?

  @Option(
    help: ArgumentHelp(
      "With --simulate, when it starts. Default: 1970-01-01T00:00:00Z.", valueName: "time"))
  var start: String?

  func validate() throws {
    if !simulate {
      for (name, isGiven) in [
        ("--velocity", velocity != nil), ("--segment", segment != nil), ("--start", start != nil),
      ] where isGiven {
        throw ValidationError("\(name) goes with --simulate")
      }
    }
    if simulate, maxAhead != nil {
      throw ValidationError("--max-ahead does not go with --simulate")
    }
    if let maxAhead, !(maxAhead >= 0) {
      throw ValidationError("--max-ahead \(maxAhead): expected seconds, 0 or more")
    }
    if velocity != nil, segment != nil {
      throw ValidationError("--velocity and --segment do not go together")
    }
    for (name, value) in [("--velocity", velocity), ("--segment", segment)] {
      if let value, !(value > 0 && value.isFinite) {
        throw ValidationError("\(name) \(value): expected a number above 0")
      }
    }
  }
}

extension FenceRuleType: WordArgument {}
extension FenceEnterExitRelationship: WordArgument {}
extension NotificationFormat: WordArgument {}
