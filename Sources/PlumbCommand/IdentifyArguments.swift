import ArgumentParser
import Plumb
import PlumbVerbs

/// Returns the help text of an option of `identify`, from the verb's table.
func identifyHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Identify.options, valueName)
}

/// The points, or the cells.
struct PointArguments: ParsableArguments {
  @Option(parsing: .unconditionalSingleValue, help: identifyHelp(.at, "x,y"))
  var at: [String] = []

  @Option(help: identifyHelp(.points)) var points: String?

  @Option(parsing: .unconditionalSingleValue, help: identifyHelp(.pixel, "column,row"))
  var pixel: [String] = []

  @Option(help: identifyHelp(.pixels, "points")) var pixels: String?

  @Option(help: identifyHelp(.layer)) var layer: String?

  @Option(help: identifyHelp(.pointsLayer)) var pointsLayer: String?

  @Option(help: identifyHelp(.crs)) var crs: String?

  func validate() throws {
    try PointText.check(at, of: "--at", form: "X,Y")
    try PointText.check(pixel, of: "--pixel", form: "COLUMN,ROW")
  }
}

/// The options of maps.
struct MapArguments: ParsableArguments {
  @Option(help: identifyHelp(.tolerance, "length"))
  var tolerance: IdentifyOptions.Tolerance?

  @Option(help: identifyHelp(.scale, "50000")) var scale: Double?

  @Option(help: identifyHelp(.maxResults)) var maxResults: Identify.ResultLimit?

  @Flag(help: identifyHelp(.popupsOnly)) var popupsOnly = false

  @Option(name: .customLong("where"), help: identifyHelp(.whereClause, "condition"))
  var condition: String?
}

/// The options of rasters.
struct CellArguments: ParsableArguments {
  @Option(
    name: [.short, .long], parsing: .upToNextOption, help: identifyHelp(.band, "band"))
  var band: [String] = []

  @Option(name: [.short, .long], help: identifyHelp(.resampling)) var resampling: Resampling?

  @Flag(help: identifyHelp(.scaled)) var scaled = false

  @Option(help: identifyHelp(.radius, "length")) var radius: IdentifyOptions.Tolerance?

  @Option(help: identifyHelp(.statistics, "name,...")) var stat: String?

  @Option(help: identifyHelp(.cache)) var cache: ByteSize?
}

/// The options for rasters with dates.
struct TimeArguments: ParsableArguments {
  @Option(help: identifyHelp(.dates, "pattern")) var dates: [String] = []

  @Option(help: identifyHelp(.group)) var group: DatedStack.Grouping?

  @Option(help: identifyHelp(.date)) var date: String?

  @Option(help: identifyHelp(.when, "column")) var when: String?

  @Option(help: identifyHelp(.match)) var match: TimeMatching.Side?

  @Option(help: identifyHelp(.within, "16d")) var within: String?

  @Option(help: identifyHelp(.valid, "condition")) var valid: String?

  @Option(help: identifyHelp(.search, "length")) var search: IdentifyOptions.Tolerance?

  @Option(help: identifyHelp(.interpolate)) var interpolate: DateInterpolation?

  @Option(help: identifyHelp(.reduce, "name,...")) var reduce: String?

  @Flag(help: identifyHelp(.series)) var series = false

  @Option(help: identifyHelp(.from, "date")) var from: String?

  @Option(help: identifyHelp(.to, "date")) var to: String?

  @Flag(help: identifyHelp(.long)) var long = false

  @Flag(help: identifyHelp(.resume)) var resume = false

  /// The tables of dates.
  var tables: [String] { ImageDates.tables(of: dates) }
}

/// The options for the format of the results.
struct IdentifyOutputArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")], help: identifyHelp(.format, "format"))
  var outputFormat: String?

  @Option(help: identifyHelp(.types, "name=type,...")) var types: String?

  @Flag(help: identifyHelp(.status)) var status = false

  @Flag(help: identifyHelp(.provenance)) var provenance = false

  @Flag(help: identifyHelp(.strict)) var strict = false
}

/// The options of the run.
struct IdentifyRunArguments: ParsableArguments {
  @Flag(help: "Print the plan before reading, and statistics after it.")
  var explain = false

  @Option(help: identifyHelp(.threads)) var threads: Int?

  @Option(help: identifyHelp(.connections)) var connections: Int?

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}

extension IdentifyOptions.Tolerance: ExpressibleByArgument {
  /// Parses a length such as `12px`, `50m`, `2.5km` or `0`.
  public init?(argument: String) { self.init(text: argument) }
}

extension Identify.ResultLimit: ExpressibleByArgument {
  package init?(argument: String) { self.init(text: argument) }
}

extension Resampling: WordArgument {}
extension DateInterpolation: WordArgument {}
extension DatedStack.Grouping: WordArgument {}
extension TimeMatching.Side: WordArgument {}

/// A number of bytes, such as `512MB`, `2G` or a plain number.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    guard let bytes = ByteCount.read(argument) else { return nil }
    self.bytes = bytes
  }
}
