import Plumb
import PlumbCore

/// The verb `eval`: evaluates an Arcade expression by itself, for each feature of a layer, or with
/// locations and fences, like a monitor.
package enum Eval {
  /// The options of an eval request.
  package struct Request: Sendable, Equatable {
    package var expression: String?
    /// The path of a file with the expression.
    package var file: String?
    /// The features: `FILE` or `FILE:LAYER`.
    package var feature: String?
    /// A point: `X,Y`.
    package var at: String?
    /// The fences: `FILE` or `FILE:LAYER`.
    package var fence: String?
    /// A location, `X,Y` or `X,Y,ACCURACY`, or the path of a feed.
    package var location: String?
    package var type: FenceEventType?

    package init() {}
  }
}

extension FenceEventType: OptionWord {}

extension Eval.Request {
  /// Whether the expression is evaluated with locations and fences, like the expression of a
  /// monitor.
  var isTrigger: Bool { fence != nil || location != nil }

  /// The point of `at`; nil if `at` is missing, or is not a longitude and a latitude.
  var point: (x: Double, y: Double)? {
    guard let at, let numbers = NumberList.parse(at), numbers.count == 2,
      abs(numbers[0]) <= 360, abs(numbers[1]) <= 90
    else { return nil }
    return (numbers[0], numbers[1])
  }

  /// The locations of `location`: two or three numbers, or the path of a feed.
  package var locations: FeatureEvaluation.Locations? {
    guard let location else { return nil }
    guard let numbers = NumberList.parse(location), (2...3).contains(numbers.count) else {
      return .feed(path: location)
    }
    return .point(x: numbers[0], y: numbers[1], accuracy: numbers.count > 2 ? numbers[2] : .nan)
  }

  /// Whether the coordinates of `location` are longitude and latitude, and its accuracy is not negative.
  var hasUsableLocation: Bool {
    guard case .point(let x, let y, let accuracy)? = locations else { return true }
    return abs(x) <= 360 && abs(y) <= 90 && !(accuracy < 0)
  }
}
