import ArgumentParser
import Plumb
import PlumbVerbs

/// Returns the help text of an option of `buffer`, from the verb's table.
func bufferHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Buffer.options, valueName)
}

/// The features around which buffers are computed.
struct BufferSourceArguments: ParsableArguments {
  @Option(parsing: .unconditionalSingleValue, help: bufferHelp(.at, "x,y"))
  var at: [String] = []

  @Option(help: bufferHelp(.layer)) var layer: String?

  @Option(help: bufferHelp(.crs)) var crs: String?
}

/// The options of buffers.
struct DrawingArguments: ParsableArguments {
  @Option(parsing: .unconditionalSingleValue, help: bufferHelp(.distance, "d,d..."))
  var distance: [String] = []

  @Option(help: bufferHelp(.distanceField, "field")) var distanceField: String?

  @Option(help: bufferHelp(.unit)) var unit: LengthUnit?

  @Flag(help: bufferHelp(.geodesic)) var geodesic = false

  @Option(parsing: .unconditional, help: bufferHelp(.maxDeviation, "m"))
  var maxDeviation: Double?

  @Option(help: bufferHelp(.curve)) var curve: GeodesicCurve?

  @Flag(help: bufferHelp(.union)) var union = false
}

/// The options for the format of areas.
struct AreaArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")], help: bufferHelp(.format, "format"))
  var outputFormat: String?

  @Option(help: bufferHelp(.outCRS)) var outCrs: String?

  @Option(help: bufferHelp(.types, "name=type,...")) var types: String?

  @Flag(help: bufferHelp(.strict)) var strict = false
}

/// The options of a run.
struct RunArguments: ParsableArguments {
  @Option(help: bufferHelp(.threads)) var threads: Int?

  @Flag(name: [.short, .long], help: "No warnings and no progress bar.")
  var quiet = false
}
