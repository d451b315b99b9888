/// The data that determines the state of links at time 0, in addition to the sections of links.
struct InitialState {
  /// A tank's level at time 0, and its volume curve.
  struct Level {
    var level: Double
    var curve: String?
  }

  /// The pattern time step, in seconds.
  var patternStep = 3600
  var patternStart = 0
  var startClock = 0
  /// The factors of pump patterns, and the points of tank curves.
  var patterns: [String: [Double]] = [:]
  var curves: [String: [SIMD2<Double>]] = [:]

  static let secondsPerDay = 86_400

  /// The factor of a pattern at time 0; nil if the pattern does not exist.
  func factor(_ pattern: String) -> Double? {
    guard let factors = patterns[pattern] else { return nil }
    if factors.isEmpty { return 1 }
    return factors[patternStart / max(1, patternStep) % factors.count]
  }

  /// A tank's volume at a level, in an arbitrary unit that is suitable only for comparisons.
  func volume(_ tank: Level, at level: Double) -> Double {
    guard let name = tank.curve, let points = curves[name], let first = points.first else {
      return level
    }
    if level <= first.x { return first.y }
    for (a, b) in zip(points, points.dropFirst()) where level <= b.x {
      return b.x > a.x ? a.y + (b.y - a.y) * (level - a.x) / (b.x - a.x) : b.y
    }
    return points[points.count - 1].y
  }
}
