/// What the state of links at time 0 depends on beside their own sections.
struct InitialState {
  /// A tank's level at time 0, and the curve of its volume.
  struct Level {
    var level: Double
    var curve: String?
  }

  /// In seconds.
  var patternStep = 3600
  var patternStart = 0
  var startClock = 0
  /// The factors of patterns that pumps follow, and the points of curves that tanks follow.
  var patterns: [String: [Double]] = [:]
  var curves: [String: [SIMD2<Double>]] = [:]

  static let secondsPerDay = 86_400

  /// The factor of a pattern at time 0; nil where the file has no such pattern.
  func factor(_ pattern: String) -> Double? {
    guard let factors = patterns[pattern] else { return nil }
    if factors.isEmpty { return 1 }
    return factors[patternStart / max(1, patternStep) % factors.count]
  }

  /// A tank's volume at a level, in a measure that grows with it.
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
