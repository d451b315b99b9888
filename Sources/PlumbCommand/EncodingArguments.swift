import ArgumentParser
import Plumb

/// The encoding of text in files that do not declare one.
struct EncodingArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The encoding of text in CSV, EPANET, Shapefiles and DXF files, for example ISO-8859-2.",
      valueName: "name"))
  var encoding: String?

  /// Sets the encoding for all files of this run.
  func apply() throws {
    if let encoding { try GDALMessages.setTextEncoding(encoding) }
  }
}
