import ArgumentParser
import Plumb

/// What is watched.
struct MonitorSourceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where the locations come from; - is standard input.", valueName: "track"))
  var feed: String

  @Option(
    help: ArgumentHelp(
      """
      The fences: a layer of any source that OGR opens, or of a service by its address. Several are \
      watched side by side.
      """, valueName: "file[:layer]"))
  var fences: [String] = []

  @Option(
    name: .customLong("raster-fence"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Regions instead: where the expression is true for a raster's value.",
      valueName: "path: expr"))
  var rasterFences: [String] = []

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Only fences that meet a condition in SQL.", valueName: "sql"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only fences that meet an area, in degrees.", valueName: "xmin,ymin,xmax,ymax"))
  var area: String?
}

/// What is an event.
struct WatchArguments: ParsableArguments {
  @Option(help: "What to tell of: enter, exit or enter-or-exit.")
  var rule = FenceRuleType.enterOrExit

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How far fences reach beyond their features, along the ground.", valueName: "metres"))
  var buffer = 0.0

  @Flag(help: "Take each location for a disc of its horizontal accuracy.")
  var accuracy = false

  @Option(
    help: """
      With --accuracy, when a disc is in and out: \
      enter-intersects-and-exit-does-not-intersect, enter-contains-and-exit-does-not-contain or \
      enter-contains-and-exit-does-not-intersect.
      """)
  var relationship = FenceEnterExitRelationship.enterContainsAndExitDoesNotIntersect

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Which locations count, in Arcade.", valueName: "expr"))
  var feedFilter: String?

  /// `--feed-filter` as it was called before, which scripts may hold.
  @Option(name: .customLong("filter"), parsing: .unconditional, help: .hidden)
  var formerFeedFilter: String?

  var filter: String? { feedFilter ?? formerFeedFilter }

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Report when something has been inside for so long.", valueName: "seconds"))
  var dwell: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Be silent for so long after an event of the same two.", valueName: "seconds"))
  var cooldown: Double?

  @Flag(help: "Report fences that were passed between two locations, and where borders were.")
  var crossings = false

  @Flag(help: "Say nothing of fences that the first location is in.")
  var noInitial = false

  @Option(help: ArgumentHelp("Forget who has been silent for so long.", valueName: "seconds"))
  var forget: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What events say, in Arcade. Default: the fence's name.", valueName: "expr"))
  var message: String?

  @Option(help: "What events call the monitor. Default: the name of each layer of fences.")
  var name: String?
}

/// How events are written.
struct EventArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")],
    help: "jsonl, csv, geojsonseq, geojson or gpkg. Default: by the output's name, else jsonl.")
  var format: NotificationFormat?

  @Flag(
    help: """
      Add lines to an existing output of jsonl, csv or geojsonseq, as they come; an incomplete last \
      line of it is removed first.
      """)
  var append = false
}

/// How a run of monitor goes.
struct MonitorRunArguments: ParsableArguments {
  @Flag(help: "Say why with each event.")
  var explain = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
