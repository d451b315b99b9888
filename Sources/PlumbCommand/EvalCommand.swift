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

      --fence and --location try what a monitor is given with --message and --filter: the \
      expression sees each fence as $fencefeature, each location as $feedfeature and \
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

  @Option(
    name: .short,
    help: ArgumentHelp(
      "The file that the expression stands in; - is standard input.", valueName: "file"))
  var file: String?

  @Option(help: ArgumentHelp("Features to evaluate it for.", valueName: "file[:layer]"))
  var feature: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A point, longitude and latitude in degrees.", valueName: "x,y"))
  var at: String?

  @Option(help: ArgumentHelp("Fences to evaluate it for.", valueName: "file[:layer]"))
  var fence: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Locations to evaluate it for: degrees, and metres of accuracy; or the rows of a feed.",
      valueName: "x,y[,accuracy]|feed"))
  var location: String?

  @Option(help: "What $fencenotificationtype is; entered by default.")
  var type: FenceEventType?

  @OptionGroup var walls: AccessArguments

  func validate() throws {
    guard (expression == nil) != (file == nil) else {
      throw ValidationError(
        expression == nil
          ? "give an expression, or -f and the file that it stands in"
          : "give either an expression or -f, not both")
    }
    let isTrigger = fence != nil || location != nil
    if isTrigger, feature != nil || at != nil {
      throw ValidationError("--fence and --location do not go with --feature and --at")
    }
    if type != nil, !isTrigger {
      throw ValidationError("--type goes with --fence or --location")
    }
    if file == "-", location == "-" {
      throw ValidationError("standard input is either the expression or the locations")
    }
    if let location, case .point(let x, let y, let accuracy) = Self.locations(location) {
      guard abs(x) <= 360, abs(y) <= 90, !(accuracy < 0) else {
        throw ValidationError(
          "--location \(location.printable): expected a longitude and a latitude in degrees, in "
            + "this order, and metres of accuracy, 0 or more")
      }
    }
    guard let at else { return }
    guard let point = IdentifyCommand.point(at) else {
      throw ValidationError("--at \(at.printable): expected two numbers as X,Y")
    }
    guard abs(point.x) <= 360, abs(point.y) <= 90 else {
      throw ValidationError(
        "--at \(at.printable): expected a longitude and a latitude in degrees, in this order")
    }
  }

  /// Two or three numbers, or a feed's path.
  private static func locations(_ text: String) -> FeatureEvaluation.Locations {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      Double(part.filter { $0 != " " }).flatMap { $0.isFinite ? $0 : nil }
    }
    guard numbers.count == parts.count, (2...3).contains(numbers.count) else {
      return .feed(path: text)
    }
    return .point(x: numbers[0], y: numbers[1], accuracy: numbers.count > 2 ? numbers[2] : .nan)
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
    let locations = location.map(Self.locations)
    var inputs = [file, feature, fence].compactMap { $0 }
    if case .feed(let path)? = locations { inputs.append(path) }
    let run = RunWalls(inputs: inputs, allowsOutside: walls.allowOutside)
    try Console.run(within: run) {
      do {
        try evaluate(locations)
      } catch let error as ExpressionError where file != nil {
        throw PlumbError("\(named(file ?? ""))", error)
      }
      for line in GDALMessages.take() { Console().warn(line) }
    }
  }

  private func named(_ path: String) -> String {
    path == "-" ? "standard input" : path.printable
  }

  private func evaluate(_ locations: FeatureEvaluation.Locations?) throws {
    var evaluation = try FeatureEvaluation(
      try file.map { try ExpressionFile.text($0) } ?? expression ?? "")
    evaluation.console = { message in
      for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
        Console.print(String(line))
      }
    }
    if fence != nil || locations != nil {
      try evaluation.run(
        fences: fence, locations: locations, type: type ?? .entered, now: Self.now,
        access: walls.access, warn: { Console().warn($0) }
      ) { try StandardOutput.write($0) }
    } else {
      try evaluation.run(
        features: feature, at: at.flatMap(IdentifyCommand.point), now: Self.now,
        access: walls.access
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

extension FenceEventType: WordArgument {}
