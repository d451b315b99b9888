import ArgumentParser
import Plumb
import PlumbVerbs

private func help(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Monitor.options, valueName)
}

/// The options for the feed and the fences.
struct MonitorSourceArguments: ParsableArguments {
  @Option(help: help(.feed, "track")) var feed: String
  @Option(help: help(.fences, "file[:layer]")) var fences: [String] = []
  @Option(
    name: .customLong("raster-fence"), parsing: .unconditionalSingleValue,
    help: help(.rasterFence, "path: expr"))
  var rasterFences: [String] = []
  @Option(
    name: .customLong("where"), parsing: .unconditional, help: help(.whereClause, "sql"))
  var condition: String?
  @Option(parsing: .unconditional, help: help(.area, "xmin,ymin,xmax,ymax")) var area: String?
}

/// The columns of a feed, and the options of a simulated walk along a line.
struct FeedArguments: ParsableArguments {
  @Option(help: help(.id, "column")) var id: String?
  @Option(help: help(.time, "column")) var time: String?
  @Option(help: help(.xColumn, "column")) var x: String?
  @Option(help: help(.yColumn, "column")) var y: String?
  @Option(help: help(.maxAhead, "seconds")) var maxAhead: Double?
  @Flag(help: help(.simulate)) var simulate = false
  @Option(help: help(.velocity, "m/s")) var velocity: Double?
  @Option(help: help(.segment, "metres")) var segment: Double?
  @Option(help: help(.start, "time")) var start: String?
}

/// The options for the events.
struct WatchArguments: ParsableArguments {
  @Option(help: help(.rule)) var rule: FenceRuleType?
  @Option(parsing: .unconditional, help: help(.buffer, "metres")) var buffer: Double?
  @Flag(help: help(.accuracy)) var accuracy = false
  @Option(help: help(.relationship)) var relationship: FenceEnterExitRelationship?
  @Option(parsing: .unconditional, help: help(.feedFilter, "expr")) var feedFilter: String?
  /// The former name of `--feed-filter`, for existing scripts.
  @Option(name: .customLong("filter"), parsing: .unconditional, help: .hidden)
  var formerFeedFilter: String?
  @Option(parsing: .unconditional, help: help(.dwell, "seconds")) var dwell: Double?
  @Option(parsing: .unconditional, help: help(.cooldown, "seconds")) var cooldown: Double?
  @Flag(help: help(.crossings)) var crossings = false
  @Flag(help: help(.noInitial)) var noInitial = false
  @Option(help: help(.forget, "seconds")) var forget: Double?
  @Option(parsing: .unconditional, help: help(.message, "expr")) var message: String?
  @Option(help: help(.name)) var name: String?
}

/// The options for the table and the format of the events.
struct EventArguments: ParsableArguments {
  @Option(help: help(.table)) var table: String?
  @Option(name: [.customLong("of"), .customLong("format")], help: help(.format, "format"))
  var format: NotificationFormat?
  @Flag(help: help(.append)) var append = false
}

/// The options of the run.
struct MonitorRunArguments: ParsableArguments {
  @Flag(help: help(.explain)) var explain = false
  @Option(help: help(.threads)) var threads: Int?
  @Flag(name: [.short, .long], help: "No warnings and no progress bar.") var quiet = false
}
