import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A curved segment between two vertices of an EsriJSON path or ring, and its approximation by chords.
///
/// `{"c": [end, interior]}` is a circular arc through three points, and `{"b": [end, control,
/// control]}` is a cubic Bézier curve. `{"a": [end, centre, minor, clockwise]}` is a circular arc,
/// and `{"a": [end, centre, minor, clockwise, rotation, axis, ratio]}` is an elliptic arc.
/// `rotation` is the angle of the major axis in radians, counter-clockwise, and `axis` is half the
/// length of the major axis.
enum EsriCurve {
  case arc(Arc)
  case bezier(SIMD2<Double>, SIMD2<Double>, SIMD2<Double>, SIMD2<Double>)
  case line

  /// An arc of an ellipse, described by angles on the circle that is mapped to the ellipse.
  struct Arc {
    var centre: SIMD2<Double>
    var majorAxis: SIMD2<Double>
    var minorAxis: SIMD2<Double>
    /// The start angle in radians.
    var start: Double
    /// The angle that the arc spans in radians; negative for a clockwise arc.
    var sweep: Double
    /// The distances of the two ends from the centre, as fractions of the ellipse's radius in their
    /// directions, the smaller one first. They are 1 for ends exactly on the ellipse.
    var scale: ClosedRange<Double> = 1...1
    var isShrinking = false

    func point(_ fraction: Double) -> SIMD2<Double> {
      let angle = start + sweep * fraction
      let share = isShrinking ? 1 - fraction : fraction
      let size = scale.lowerBound + (scale.upperBound - scale.lowerBound) * share
      return centre + size * (cos(angle) * majorAxis + sin(angle) * minorAxis)
    }
  }

  /// The maximum distance of chords from the curve, as a fraction of its extent.
  static let deviation = 1e-4
  /// The maximum number of chords of a curve.
  private static let chordLimit = 4096

  func point(_ fraction: Double) -> SIMD2<Double>? {
    switch self {
    case .line: return nil
    case .arc(let arc): return arc.point(fraction)
    case .bezier(let a, let b, let c, let d):
      let rest = 1 - fraction
      let first = rest * rest * (rest * a + 3 * fraction * b)
      return first + fraction * fraction * (3 * rest * c + fraction * d)
    }
  }

  /// The number of chords with which the deviation is at most `deviation`; nil for a curve that exceeds the
  /// range of doubles.
  var chordCount: Int? {
    let samples = (0...32).compactMap { point(Double($0) / 32) }
    guard samples.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
    guard let (low, high) = VertexList(samples).bounds() else { return 1 }
    let allowed = (high - low).max() * Self.deviation
    guard allowed > 0, allowed.isFinite else { return 1 }
    let count: Double
    switch self {
    case .line: return 1
    case .arc(let arc):
      let size = { (axis: SIMD2<Double>) in (axis * axis).sum().squareRoot() }
      let radius = max(size(arc.majorAxis), size(arc.minorAxis)) * arc.scale.upperBound
      // The distance of a chord from its arc is at most radius · (1 − cos(angle / 2)).
      let half = acos(max(-1, 1 - allowed / radius))
      count = arc.sweep.magnitude / (2 * half)
    case .bezier(let a, let b, let c, let d):
      // The distance of a chord from its piece of the curve is at most h² / 8 times the maximum second derivative,
      // where h = 1 / count is the length of the piece in the curve's parameter.
      let bends = [a - 2 * b + c, b - 2 * c + d].map { ($0 * $0).sum().squareRoot() * 6 }
      count = ((bends.max() ?? 0) / (8 * allowed)).squareRoot()
    }
    guard count.isFinite else { return Self.chordLimit }
    return Int(min(max(1, count.rounded(.up)), Double(Self.chordLimit)))
  }

  // MARK: Arcs by three points, or by a centre

  /// The circular arc through three points. If the start and the end are equal, the arc is a full
  /// circle, and the interior point is opposite the start.
  static func circle(
    from start: SIMD2<Double>, over interior: SIMD2<Double>, to end: SIMD2<Double>
  ) -> EsriCurve {
    if start == end {
      let centre = start + (interior - start) / 2
      guard interior != start else { return .line }
      let axis = start - centre
      return .arc(
        Arc(
          centre: centre, majorAxis: axis, minorAxis: SIMD2(-axis.y, axis.x), start: 0,
          sweep: -2 * .pi))
    }
    let (b, c) = (interior - start, end - start)
    let cross = 2 * (b.x * c.y - b.y * c.x)
    let (bb, cc) = ((b * b).sum(), (c * c).sum())
    let offset = SIMD2(c.y * bb - b.y * cc, b.x * cc - c.x * bb) / cross
    let radius = (offset * offset).sum().squareRoot()
    // An arc through points that are collinear within numerical precision is a line.
    guard cross != 0, radius.isFinite, radius < 1e8 * max(bb, cc).squareRoot() else { return .line }
    return round(start + offset, from: start, to: end, isClockwise: cross < 0)
  }

  /// The circular arc with a given centre.
  static func round(
    _ centre: SIMD2<Double>, from start: SIMD2<Double>, to end: SIMD2<Double>, isClockwise: Bool,
    isMinor: Bool = false
  ) -> EsriCurve {
    let axis = start - centre
    let radius = (axis * axis).sum().squareRoot()
    return ellipse(
      centre, rotation: atan2(axis.y, axis.x), axis: radius, ratio: 1, from: start, to: end,
      isClockwise: isClockwise, isMinor: isMinor)
  }

  static func ellipse(
    _ centre: SIMD2<Double>, rotation: Double, axis: Double, ratio: Double,
    from start: SIMD2<Double>, to end: SIMD2<Double>, isClockwise: Bool, isMinor: Bool
  ) -> EsriCurve {
    guard axis > 0, ratio > 0, axis.isFinite, !(start == end && isMinor) else { return .line }
    let direction = SIMD2(cos(rotation), sin(rotation))
    let normal = SIMD2(-direction.y, direction.x)
    func onCircle(_ point: SIMD2<Double>) -> (angle: Double, size: Double) {
      let offset = point - centre
      let (x, y) = ((offset * direction).sum() / axis, (offset * normal).sum() / (axis * ratio))
      return (atan2(y, x), (x * x + y * y).squareRoot())
    }
    let (first, last) = (onCircle(start), onCircle(end))
    guard first.size.isFinite, last.size.isFinite else { return .line }
    var sweep = last.angle - first.angle
    if start == end { sweep = 0 }
    if isClockwise {
      while sweep >= 0 { sweep -= 2 * .pi }
    } else {
      while sweep <= 0 { sweep += 2 * .pi }
    }
    return .arc(
      Arc(
        centre: centre, majorAxis: direction * axis, minorAxis: normal * (axis * ratio),
        start: first.angle, sweep: sweep,
        scale: min(first.size, last.size)...max(first.size, last.size),
        isShrinking: first.size > last.size))
  }
}
