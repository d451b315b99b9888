import ArgumentParser
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct EvalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eval",
    abstract: "Evaluates an Arcade expression, alone or for features.",
    usage: "plumb eval EXPR [--feature FILE[:LAYER]] [--at X,Y]",
    discussion: """
      With --feature the expression is evaluated for each feature of the file, which it sees as \
      $feature, and prints a line for each; with --at too, only for those that hold the place, a \
      longitude and latitude. With --at alone $feature is a point there.

      Texts are printed as they are, arrays, dictionaries and shapes as JSON, dates in ISO 8601.
      """)

  @Argument(help: "The expression.")
  var expression: String

  @Option(help: ArgumentHelp("Features to evaluate it for.", valueName: "file[:layer]"))
  var feature: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A place, longitude and latitude in degrees.", valueName: "x,y"))
  var at: String?

  func validate() throws {
    if let at, IdentifyCommand.place(at) == nil {
      throw ValidationError("--at \(at.printable): expected two numbers as X,Y")
    }
  }

  func run() throws {
    try Console.run {
      let evaluation = try FeatureEvaluation(expression)
      try evaluation.run(
        features: feature, at: at.flatMap(IdentifyCommand.place), now: Self.now
      ) { try StandardOutput.write($0) }
      for line in GDALMessages.take() { Console().warn(line) }
    }
  }

  /// Milliseconds since 1970.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
