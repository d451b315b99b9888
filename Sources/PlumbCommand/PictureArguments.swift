import ArgumentParser
import Plumb
import PlumbVerbs

/// The option for a picture of a result.
struct PictureArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also draw the result, on its map if it has one: PNG, SVG or PDF by the file's name.",
      valueName: "file"))
  var picture: String?
}
