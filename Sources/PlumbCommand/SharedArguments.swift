import ArgumentParser

/// Which columns of a file hold the points.
struct ColumnArguments: ParsableArguments {
  @Option(
    name: .customLong("x"),
    help: "The column of eastings or longitudes: its name, or its number from 1.")
  var x: String?

  @Option(name: .customLong("y"), help: "The column of northings or latitudes.")
  var y: String?
}

/// The file that results are written to.
struct TargetArguments: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write. Default, and for -: standard output.")
  var file: String?

  @Flag(help: "Replace an existing output.")
  var overwrite = false

  /// Nil for standard output.
  var output: String? { file == "-" ? nil : file }
}
