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
}
