import ArgumentParser
import Plumb
import PlumbVerbs

/// What an expression is evaluated for.
struct EvalArguments: ParsableArguments {
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

  func validate() throws {
    if isTrigger, feature != nil || at != nil {
      throw ValidationError("--fence and --location do not go with --feature and --at")
    }
    if type != nil, !isTrigger {
      throw ValidationError("--type goes with --fence or --location")
    }
    if let location, case .point(let x, let y, let accuracy)? = locations {
      guard abs(x) <= 360, abs(y) <= 90, !(accuracy < 0) else {
        throw ValidationError(
          "--location \(location.printable): expected a longitude and a latitude in degrees, in "
            + "this order, and metres of accuracy, 0 or more")
      }
    }
    guard let at else { return }
    guard let point = PointText.parse(at) else {
      throw ValidationError("--at \(at.printable): expected two numbers as X,Y")
    }
    guard abs(point.x) <= 360, abs(point.y) <= 90 else {
      throw ValidationError(
        "--at \(at.printable): expected a longitude and a latitude in degrees, in this order")
    }
  }

  /// Whether the expression is tried as a monitor would use it.
  var isTrigger: Bool { fence != nil || location != nil }

  /// What --location says: two or three numbers, or a feed's path.
  var locations: FeatureEvaluation.Locations? {
    guard let location else { return nil }
    guard let numbers = NumberList.parse(location), (2...3).contains(numbers.count) else {
      return .feed(path: location)
    }
    return .point(x: numbers[0], y: numbers[1], accuracy: numbers.count > 2 ? numbers[2] : .nan)
  }
}

extension FenceEventType: WordArgument {}
