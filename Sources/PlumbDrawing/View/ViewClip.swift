/// Clips paths to a rectangle somewhat larger than the picture, because Cairo's coordinates are
/// limited to some millions of pixels.
struct ViewClip {
  let low: SIMD2<Double>
  let high: SIMD2<Double>

  /// Creates a rectangle that extends beyond the picture by `margin` pixels.
  init(width: Int, height: Int, margin: Double) {
    low = SIMD2(repeating: -margin)
    high = SIMD2(Double(width) + margin, Double(height) + margin)
  }

  func contains(_ point: SIMD2<Double>) -> Bool {
    point.x >= low.x && point.x <= high.x && point.y >= low.y && point.y <= high.y
  }

  /// The parts of a line within the rectangle.
  func lines(_ points: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
    guard points.contains(where: { !contains($0) }) else { return points.isEmpty ? [] : [points] }
    var parts: [[SIMD2<Double>]] = []
    var part: [SIMD2<Double>] = []
    for (start, end) in zip(points, points.dropFirst()) {
      guard let (a, b) = segment(start, end) else {
        if part.count > 1 { parts.append(part) }
        part = []
        continue
      }
      if part.last != a {
        if part.count > 1 { parts.append(part) }
        part = [a]
      }
      part.append(b)
    }
    if part.count > 1 { parts.append(part) }
    return parts
  }

  /// The part of an edge within the rectangle (Liang and Barsky, 1984).
  private func segment(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> (SIMD2<Double>, SIMD2<Double>)? {
    let d = b - a
    var (first, last) = (0.0, 1.0)
    for (slope, distance) in [
      (-d.x, a.x - low.x), (d.x, high.x - a.x), (-d.y, a.y - low.y), (d.y, high.y - a.y),
    ] {
      if slope == 0 {
        if distance < 0 { return nil }
      } else if slope < 0 {
        first = max(first, distance / slope)
      } else {
        last = min(last, distance / slope)
      }
    }
    guard first <= last else { return nil }
    return (first == 0 ? a : a + d * first, last == 1 ? b : a + d * last)
  }

  /// A ring clipped to the rectangle; the parts outside are replaced by parts of the rectangle's sides
  /// (Sutherland and Hodgman, 1974).
  func ring(_ points: [SIMD2<Double>]) -> [SIMD2<Double>] {
    guard points.contains(where: { !contains($0) }) else { return points }
    var ring = points
    for (axis, limit, isUpper) in [
      (0, low.x, false), (0, high.x, true), (1, low.y, false), (1, high.y, true),
    ] {
      func isInside(_ point: SIMD2<Double>) -> Bool {
        isUpper ? point[axis] <= limit : point[axis] >= limit
      }
      var clipped: [SIMD2<Double>] = []
      guard var last = ring.last else { return [] }
      for point in ring {
        if isInside(point) != isInside(last) {
          let share = (limit - last[axis]) / (point[axis] - last[axis])
          var meeting = last + (point - last) * share
          meeting[axis] = limit
          clipped.append(meeting)
        }
        if isInside(point) { clipped.append(point) }
        last = point
      }
      ring = clipped
    }
    return ring
  }
}
