import ArgumentParser
import Plumb

/// What is said of a map beside its path.
struct MapArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The radius of the circle round the point, as 12px (with --scale) or 50m. Default: 0.",
      valueName: "length"))
  var tolerance: ToleranceText?

  @Option(
    help: ArgumentHelp(
      "The scale's denominator: symbols have their sizes and layers their scale ranges then.",
      valueName: "50000"))
  var scale: Double?

  @Option(help: ArgumentHelp("Elements a layer gives at most: a number, or all. Default: 1."))
  var maxResults: ResultLimit?

  @Flag(help: "Give popups instead of elements; layers without popups do not answer.")
  var popupsOnly = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Ask only those features of --layer that meet a condition.", valueName: "condition"))
  var condition: String?

  func validate() throws {
    do {
      try options.check()
    } catch {
      throw ValidationError(error.line.line)
    }
  }

  var options: IdentifyOptions {
    IdentifyOptions(
      tolerance: tolerance?.tolerance ?? .exact, scale: scale, returnPopupsOnly: popupsOnly,
      maximumResultsPerLayer: maxResults.map(\.count) ?? 1)
  }

  /// The first option that was given; nil when none was.
  var firstGiven: String? {
    let given: [(String, Bool)] = [
      ("--tolerance", tolerance != nil), ("--scale", scale != nil),
      ("--max-results", maxResults != nil), ("--popups-only", popupsOnly),
      ("--where", condition != nil),
    ]
    return given.first(where: \.1)?.0
  }
}

/// `12px`, `50m`, `2.5km` or `0`.
struct ToleranceText: ExpressibleByArgument {
  var tolerance: IdentifyOptions.Tolerance

  init?(argument: String) {
    guard let tolerance = IdentifyOptions.Tolerance(text: argument) else { return nil }
    self.tolerance = tolerance
  }
}

/// A number of results, or `all`.
struct ResultLimit: ExpressibleByArgument {
  /// Nil for all.
  var count: Int?

  init?(argument: String) {
    if argument.lowercased() == "all" { return }
    guard let number = Int(argument), number >= 1 else { return nil }
    count = number
  }
}
