import ArgumentParser
import Plumb
import PlumbVerbs

/// Returns the help text of an option of `zonal`, from the verb's table.
func zonalHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Zonal.options, valueName)
}

/// The areas.
struct AreaSourceArguments: ParsableArguments {
  @Option(help: zonalHelp(.areas)) var areas: String?

  @Option(help: zonalHelp(.points)) var points: String?

  @Option(help: zonalHelp(.layer)) var layer: String?

  @Option(help: zonalHelp(.xColumn)) var x: String?

  @Option(help: zonalHelp(.yColumn)) var y: String?

  @Option(help: zonalHelp(.crs)) var crs: String?
}

/// The options that select areas and the cells of areas.
struct AreaRuleArguments: ParsableArguments {
  @Option(help: zonalHelp(.radius, "length")) var radius: IdentifyOptions.Tolerance?

  @Option(name: .customLong("where"), help: zonalHelp(.whereClause, "condition"))
  var condition: String?

  @Option(help: zonalHelp(.by, "column")) var by: String?

  @Option(help: zonalHelp(.cells, "rule")) var cells: Zonal.Cells?

  @Option(help: zonalHelp(.coverageThreshold, "fraction")) var coverageThreshold: Double?

  @Option(help: zonalHelp(.coverage, "file")) var coverage: String?
}

/// The statistics and the bands.
struct StatisticArguments: ParsableArguments {
  @Option(help: zonalHelp(.statistics, "name,...")) var stat: String?

  @Option(
    name: [.short, .long], parsing: .upToNextOption, help: zonalHelp(.band, "band"))
  var band: [String] = []

  @Option(help: zonalHelp(.weights, "raster")) var weights: String?

  @Flag(help: zonalHelp(.approximate)) var approximate = false

  @Flag(help: zonalHelp(.scaled)) var scaled = false

  @Flag(help: zonalHelp(.classes)) var classes = false
}

/// The options for rasters with dates.
struct ZonalTimeArguments: ParsableArguments {
  @Option(help: zonalHelp(.dates, "pattern")) var dates: [String] = []

  @Option(help: zonalHelp(.group)) var group: DatedStack.Grouping?

  @Option(help: zonalHelp(.from, "date")) var from: String?

  @Option(help: zonalHelp(.to, "date")) var to: String?

  /// The tables of dates.
  var tables: [String] { ImageDates.tables(of: dates) }
}

/// The format of the output.
struct ZonalOutputArguments: ParsableArguments {
  @Flag(help: zonalHelp(.wide)) var wide = false

  @Flag(help: zonalHelp(.long)) var long = false

  @Option(
    name: [.customLong("of"), .customLong("format")], help: zonalHelp(.format, "format"))
  var outputFormat: String?

  @Flag(help: zonalHelp(.strict)) var strict = false
}

/// The options of the run.
struct ZonalRunArguments: ParsableArguments {
  @Option(help: zonalHelp(.cache)) var cache: ByteSize?

  @Option(help: zonalHelp(.threads)) var threads: Int?

  @Flag(help: zonalHelp(.explain)) var explain = false

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}

extension Zonal.Cells: WordArgument {}
