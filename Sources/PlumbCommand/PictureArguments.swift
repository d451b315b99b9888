import ArgumentParser
import Plumb
import PlumbVerbs

/// The option for a picture of a result.
struct PictureArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Also draw the result, over its map if there is one. The file's extension selects PNG, SVG or \
      PDF.
      """,
      valueName: "file"))
  var picture: String?
}
