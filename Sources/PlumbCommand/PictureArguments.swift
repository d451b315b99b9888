import ArgumentParser
import Plumb
import PlumbVerbs

/// A picture beside a result.
struct PictureArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Draw the result too, on its map where it has one: PNG, SVG or PDF by the name.",
      valueName: "file"))
  var picture: String?

  func validate() throws {
    if let picture { _ = try Canvas.Format(ofName: picture, option: "--picture") }
  }
}

extension Canvas.Format {
  /// The format of a file by its name.
  init(ofName name: String, option: String) throws {
    guard let format = Self(ofName: name) else {
      throw ValidationError(
        "\(option) \(name.printable): a picture's name ends in .png, .svg or .pdf")
    }
    self = format
  }
}
