import ArgumentParser
import Plumb
import PlumbVerbs

/// The help of an option of zonal, from the verb's table.
func zonalHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Zonal.options, valueName)
}

/// The areas.
struct AreaSourceArguments: ParsableArguments {
  @Option(help: zonalHelp(.areas)) var areas: String?

  @Option(help: zonalHelp(.layer)) var layer: String?

  @Option(help: zonalHelp(.crs)) var crs: String?
}

/// The statistics and the bands.
struct StatisticArguments: ParsableArguments {
  @Option(help: zonalHelp(.statistics, "name,...")) var stat: String?

  @Option(
    name: [.short, .long], parsing: .upToNextOption, help: zonalHelp(.band, "band"))
  var band: [String] = []
}

/// The format of the output.
struct ZonalOutputArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")], help: zonalHelp(.format, "format"))
  var outputFormat: String?

  @Flag(help: zonalHelp(.strict)) var strict = false
}

/// The options of the run.
struct ZonalRunArguments: ParsableArguments {
  @Option(help: zonalHelp(.cache)) var cache: ByteSize?

  @Option(help: zonalHelp(.threads)) var threads: Int?

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
