import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs

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
      With --feature, the expression is evaluated for each feature of the file, as $feature, and one \
      line is printed for each; with --feature and --at, only for features that contain the point. With \
      only --at, $feature is the point.

      With --fence and --location, expressions are evaluated as for --message and --feed-filter of \
      monitor: each fence is $fencefeature, each location is $feedfeature and $locationupdate, and \
      --type sets $fencenotificationtype. One line is printed for each fence, for each location, or \
      for each location with each fence, inside or outside it.

      Text is printed unchanged, arrays, dictionaries and shapes as JSON, dates in ISO 8601. \
      Arguments of Console() are printed to standard error.

      plumb eval 'Upper($fencefeature.name)' --fence zones.geojson
      plumb eval '$locationupdate.speed > 2' --location track.csv
      plumb eval -f message.arcade --fence zones.geojson --location 18.4,-33.9
      """)

  @Argument(help: evalHelp(.expression))
  var expression: String?

  @OptionGroup(title: "Input") var reading: EvalArguments

  @OptionGroup(title: "Run") var permissions: AccessArguments

  @OptionGroup(title: "Run") var signing: SignInArguments

  func validate() throws {
    try checkUsage { try Eval.check(request, by: .command) }
  }

  /// Returns the arguments. An expression that would be parsed as an option, such as `-1 + 2`, is
  /// moved to the end after `--`.
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
    let request = request
    var inputs = [request.file, request.feature, request.fence].compactMap { $0 }
    if case .feed(let path)? = request.locations { inputs.append(path) }
    let run = RunSandbox(inputs: inputs, allowsOutside: permissions.allowOutside)
    try Console.run(within: run) {
      var context = RunContext()
      (context.access, context.services) = (permissions.access, permissions.services(signing))
      try Eval.run(request, in: context)
    }
  }

  private var request: Eval.Request {
    var request = Eval.Request()
    (request.expression, request.file) = (expression, reading.file)
    (request.feature, request.at) = (reading.feature, reading.at)
    (request.fence, request.location) = (reading.fence, reading.location)
    request.type = reading.type
    return request
  }
}
