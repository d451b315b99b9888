import ArgumentParser
import Plumb
import PlumbSandbox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct EvalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eval",
    abstract: "Evaluates an Arcade expression, alone, for features, or as a monitor does.",
    usage: """
      plumb eval EXPR [--feature FILE[:LAYER]] [--at X,Y]
      plumb eval EXPR [--fence FILE[:LAYER]] [--location X,Y[,ACCURACY]|FEED] [--type TYPE]
      plumb eval -f FILE [OPTIONS]
      """,
    discussion: """
      With --feature the expression is evaluated for each feature of the file, which it sees as \
      $feature, and prints a line for each; with --at too, only for those that hold the point, a \
      longitude and latitude. With --at alone $feature is a point there.

      --fence and --location try what a monitor is given with --message and --feed-filter: \
      the expression sees each fence as $fencefeature, each location as $feedfeature and \
      $locationupdate, and $fencenotificationtype. There is a line for each fence, for each \
      location, or for each location with each fence, wherever it lies.

      Texts are printed as they are, arrays, dictionaries and shapes as JSON, dates in ISO 8601. \
      What the expression gives to Console() goes to standard error.

      plumb eval 'Upper($fencefeature.name)' --fence zones.geojson
      plumb eval '$locationupdate.speed > 2' --location track.csv
      plumb eval -f message.arcade --fence zones.geojson --location 18.4,-33.9
      """)

  @Argument(help: "The expression.")
  var expression: String?

  @OptionGroup(title: "Input") var reading: EvalArguments

  @OptionGroup(title: "Run") var walls: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    guard (expression == nil) != (reading.file == nil) else {
      throw ValidationError(
        expression == nil
          ? "give an expression, or -f and the file that it stands in"
          : "give either an expression or -f, not both")
    }
    if reading.file == "-", reading.location == "-" {
      throw ValidationError("standard input is either the expression or the locations")
    }
  }

  /// The arguments of the program with an expression such as `-1 + 2`, that would be taken for an
  /// option, at the end after `--`.
  static func separated(_ arguments: [String]) -> [String] {
    guard arguments.count > 1, arguments[0] == "eval" else { return arguments }
    let expression = arguments[1]
    guard expression.hasPrefix("-"), !expression.hasPrefix("--"), expression != "-h",
      expression != "-f"
    else {
      return arguments
    }
    let rest = arguments[2...]
    guard !rest.contains("--") else { return arguments }
    return ["eval"] + rest + ["--", expression]
  }

  func run() throws {
    var inputs = [reading.file, reading.feature, reading.fence].compactMap { $0 }
    if case .feed(let path)? = reading.locations { inputs.append(path) }
    let run = RunWalls(inputs: inputs, allowsOutside: walls.allowOutside)
    try Console.run(within: run) {
      do {
        try evaluate()
      } catch let error as ExpressionError {
        guard let file = reading.file else { throw error }
        throw PlumbError("\(named(file))", error)
      }
      for line in GDALMessages.take() { Console().warn(line) }
    }
  }

  private func named(_ path: String) -> String {
    path == "-" ? "standard input" : path.printable
  }

  private func evaluate() throws {
    var evaluation = try FeatureEvaluation(
      try reading.file.map { try ExpressionFile.text($0) } ?? expression ?? "")
    for note in evaluation.notes { Console().note(note) }
    evaluation.console = { message in
      for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
        Console.print(String(line))
      }
    }
    if reading.isTrigger {
      try evaluation.run(
        fences: reading.fence, locations: reading.locations, type: reading.type ?? .entered,
        now: Self.now, access: walls.access, services: walls.services(signing),
        warn: { Console().warn($0) }
      ) { try StandardOutput.write($0) }
    } else {
      try evaluation.run(
        features: reading.feature, at: reading.at.flatMap(PointText.parse).map { ($0.x, $0.y) },
        now: Self.now,
        access: walls.access, services: walls.services(signing)
      ) { try StandardOutput.write($0) }
    }
  }

  /// Milliseconds since 1970.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
