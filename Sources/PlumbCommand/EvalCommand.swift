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
    guard let at else { return }
    guard let place = IdentifyCommand.place(at) else {
      throw ValidationError("--at \(at.printable): expected two numbers as X,Y")
    }
    guard abs(place.x) <= 360, abs(place.y) <= 90 else {
      throw ValidationError(
        "--at \(at.printable): expected a longitude and a latitude in degrees, in this order")
    }
  }

  /// The arguments of the program with an expression such as `-1 + 2`, that would be taken for an
  /// option, at the end after `--`.
  static func separated(_ arguments: [String]) -> [String] {
    guard arguments.count > 1, arguments[0] == "eval" else { return arguments }
    let expression = arguments[1]
    guard expression.hasPrefix("-"), !expression.hasPrefix("--"), expression != "-h" else {
      return arguments
    }
    let rest = arguments[2...]
    guard !rest.contains("--") else { return arguments }
    return ["eval"] + rest + ["--", expression]
  }

  func run() throws {
    try Console.run(within: RunWalls(inputs: [feature].compactMap { $0 })) {
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
