import ArgumentParser
import Plumb
import PlumbVerbs

/// What a picture shows.
struct ViewArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      What the picture shows at least, across 180 degrees where xmin exceeds xmax. Default: all that \
      the layers hold.
      """,
      valueName: "xmin,ymin,xmax,ymax"))
  var extent: Coordinates?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The middle of the picture, with --scale.", valueName: "x,y"))
  var center: Coordinates?

  @Option(
    help: ArgumentHelp("The scale's denominator, with --center.", valueName: "50000"))
  var scale: Double?

  @Option(help: ArgumentHelp("Pixels. Default: 1200x800.", valueName: "widthxheight"))
  var size: PictureSize?

  @Option(
    help: ArgumentHelp(
      """
      The reference that the picture is drawn in, and --extent and --center are given in. Default: \
      EPSG:3857, and longitudes and latitudes for those two.
      """, valueName: "code"))
  var crs: String?

  @Flag(help: "The layers alone: no legend, scale bar or attribution.")
  var plain = false

  func validate() throws {
    if extent != nil, center != nil || scale != nil {
      throw ValidationError("give either --extent, or --center and --scale")
    }
    if (center == nil) != (scale == nil) {
      throw ValidationError(
        center == nil ? "--scale goes with --center" : "--center goes with --scale")
    }
    if let extent, extent.numbers.count != 4 {
      throw ValidationError("--extent takes four numbers: xmin,ymin,xmax,ymax")
    }
    if let numbers = extent?.numbers, numbers[0] == numbers[2] || numbers[1] >= numbers[3] {
      throw ValidationError(
        "--extent takes the lower numbers first: xmin,ymin,xmax,ymax; xmin may exceed xmax where the "
          + "extent reaches across 180 degrees")
    }
    if let center, center.numbers.count != 2 {
      throw ValidationError("--center takes two numbers: x,y")
    }
    if let scale, !(scale > 0 && scale.isFinite) {
      throw ValidationError("--scale takes a number above 0")
    }
  }
}

/// Finite numbers with commas between.
struct Coordinates: ExpressibleByArgument {
  var numbers: [Double]

  init?(argument: String) {
    guard let numbers = NumberList.parse(argument) else { return nil }
    self.numbers = numbers
  }
}

/// `1200x800`.
struct PictureSize: ExpressibleByArgument {
  var width, height: Int

  init(of size: (width: Int, height: Int)) { (width, height) = size }

  init?(argument: String) {
    let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      (1...Canvas.longestSide).contains(width), (1...Canvas.longestSide).contains(height)
    else { return nil }
    (self.width, self.height) = (width, height)
  }
}
