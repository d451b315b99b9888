import ArgumentParser
import Plumb

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Tells when moving things enter and leave fences, from a file or as it happens.",
    usage: """
      plumb monitor --feed TRACK|- --fences FILE[:LAYER] [OPTIONS]
      plumb monitor --feed TRACK|- --raster-fence 'PATH: EXPR' [OPTIONS]
      """,
    discussion: """
      TRACK is CSV, GeoJSON, GPX or NMEA, - standard input, line by line as it comes. Places are \
      longitude and latitude on WGS84; a time without a zone is UTC. With --simulate it is a line to \
      walk along.

      EXPR is an Arcade expression. A message sees $fencefeature, $feedfeature and \
      $fencenotificationtype; a filter sees $locationupdate; a raster fence sees $value, the band's \
      value with its scale and offset, and $stored, the value in the file.

      Each event is one line: time, entity, monitor, fence, fenceId, type (entered, exited, dwelt or \
      crossed), message, x, y, and index, the row of the feed that tells of it, from 0.
      """)

  @Option(
    help: ArgumentHelp("Where the locations come from; - is standard input.", valueName: "track"))
  var feed: String

  @Option(
    help: ArgumentHelp(
      "The fences: a layer of any source that OGR opens. Several are watched side by side.",
      valueName: "file[:layer]"))
  var fences: [String] = []

  @Option(
    name: .customLong("raster-fence"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Regions instead: where the expression is true for a raster's value.",
      valueName: "path: expr"))
  var rasterFences: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How far fences reach beyond their features, along the ground.", valueName: "metres"))
  var buffer = 0.0

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Only fences that meet a condition in SQL.", valueName: "sql"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only fences that meet an area, in degrees.", valueName: "xmin,ymin,xmax,ymax"))
  var area: String?

  @Option(help: "What to tell of: enter, exit or enter-or-exit.")
  var rule = FenceRuleType.enterOrExit

  @Flag(help: "Take each location for a disc of its horizontal accuracy.")
  var accuracy = false

  @Option(
    help: """
      With --accuracy, when a disc is in and out: enterIntersectsAndExitDoesNotIntersect, \
      enterContainsAndExitDoesNotContain or enterContainsAndExitDoesNotIntersect.
      """)
  var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What events say. Default: the fence's name.", valueName: "expr"))
  var message: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Which locations count.", valueName: "expr"))
  var filter: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Tell when something has been inside for so long.", valueName: "seconds"))
  var dwell: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Be silent for so long after an event of the same two.", valueName: "seconds"))
  var cooldown: Double?

  @Flag(help: "Tell of fences that were passed between two locations, and where borders were.")
  var crossings = false

  @Flag(help: "Say nothing of fences that the first location is in.")
  var noInitial = false

  @Option(help: ArgumentHelp("Forget who has been silent for so long.", valueName: "seconds"))
  var forget: Double?

  @Option(help: "What events call the monitor. Default: the name of each layer of fences.")
  var name: String?

  @Flag(help: "Say why with each event.")
  var explain = false

  @OptionGroup(title: "The feed's columns")
  var columns: FeedArguments

  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: "jsonl, csv, geojsonseq, geojson or gpkg. Default: by the output's name, else jsonl.")
  var format: NotificationFormat?

  @Option(
    name: [.short, .long],
    help: """
      The file to write; default: standard output. Of a feed from a pipe, jsonl, csv and geojsonseq \
      are there from the start and grow by whole lines; geojson and gpkg, and any output of a feed \
      from a file, appear whole at the end.
      """)
  var output: String?

  @Flag(help: "Replace an existing output.")
  var overwrite = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false

  @OptionGroup var text: EncodingArguments

  @OptionGroup var walls: AccessArguments

  func validate() throws {
    guard fences.isEmpty != rasterFences.isEmpty else {
      throw ValidationError("give the fences with either --fences or --raster-fence")
    }
    if !rasterFences.isEmpty {
      for (name, isGiven) in [
        ("--buffer", buffer != 0), ("--where", condition != nil), ("--area", area != nil),
        ("--accuracy", accuracy), ("--crossings", crossings),
      ] where isGiven {
        throw ValidationError("\(name) goes with --fences")
      }
    }
    if format == .gpkg, output == nil {
      throw ValidationError("a GeoPackage is written to a file: give -o FILE.gpkg")
    }
    guard buffer >= 0, buffer.isFinite else {
      throw ValidationError("--buffer \(buffer): expected metres, 0 or more")
    }
    for (name, value) in [("--dwell", dwell), ("--cooldown", cooldown), ("--forget", forget)] {
      if let value, !(value >= 0 && value.isFinite) {
        throw ValidationError("\(name) \(value): expected seconds, 0 or more")
      }
    }
    if area != nil, envelope == nil {
      throw ValidationError("--area: expected four numbers as XMIN,YMIN,XMAX,YMAX, in degrees")
    }
  }

  var envelope: Envelope? {
    let numbers = area?.split(separator: ",", omittingEmptySubsequences: false).compactMap {
      Double($0)
    }
    guard let numbers, numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[0] <= numbers[2],
      numbers[1] <= numbers[3]
    else { return nil }
    return Envelope(
      xMin: numbers[0], yMin: numbers[1], xMax: numbers[2], yMax: numbers[3],
      spatialReference: .wgs84)
  }

  func run() throws {
    let inputs = [feed] + fences + rasterFences
    let run = RunWalls(inputs: inputs, output: output, allowsOutside: walls.allowOutside)
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

extension FenceRuleType: ExpressibleByArgument {}
extension FenceEnterExitRelationship: ExpressibleByArgument {}
extension NotificationFormat: ExpressibleByArgument {}
