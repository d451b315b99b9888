import ArgumentParser
import Plumb
import PlumbVerbs

/// Returns the help text of an option of `draw`, from the verb's table.
func drawHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Draw.options, valueName)
}

/// The results to draw over a map.
struct ResultArguments: ParsableArguments {
  @Option(parsing: .upToNextOption, help: drawHelp(.result, "file"))
  var result: [String] = []
}

/// The dates of a raster, and the date to draw.
struct DrawTimeArguments: ParsableArguments {
  @Option(help: drawHelp(.dates, "pattern")) var dates: [String] = []

  @Option(help: drawHelp(.group)) var group: DatedStack.Grouping?

  @Option(help: drawHelp(.date)) var date: String?

  /// The tables of dates.
  var tables: [String] { ImageDates.tables(of: dates) }
}

/// The extent of a picture.
struct ViewArguments: ParsableArguments {
  @Option(parsing: .unconditional, help: drawHelp(.extent, "xmin,ymin,xmax,ymax"))
  var extent: String?

  @Option(parsing: .unconditional, help: drawHelp(.center, "x,y")) var center: String?

  @Option(parsing: .unconditional, help: drawHelp(.scale, "50000")) var scale: Double?

  @Option(help: drawHelp(.size, "widthxheight")) var size: PictureSize?

  @Option(help: drawHelp(.crs, "code")) var crs: String?

  @Flag(help: drawHelp(.plain)) var plain = false
}

extension PictureSize: ExpressibleByArgument {
  public init?(argument: String) { self.init(text: argument) }
}
