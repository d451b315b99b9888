import PlumbCore

extension Polygon {
  /// The maximum number of edges for which all pairs are compared.
  private static let comparedEdges = 64

  /// Whether the polygon is a single ring of few edges that do not meet except at the ends of
  /// consecutive edges. Such a ring is valid. The value is false if the ring has many edges, or if
  /// rounding errors make the result uncertain.
  var isClearlySimple: Bool {
    let edges = vertices.count - 1
    guard ringEnds.count == 1, edges >= 3, edges <= Self.comparedEdges else { return false }
    return vertices.xy.withUnsafeBufferPointer { xy in
      guard xy[0] == xy[edges] else { return false }
      for first in 0..<edges {
        let (a, b) = (xy[first], xy[first + 1])
        guard a != b else { return false }
        let (low, high) = (pointwiseMin(a, b), pointwiseMax(a, b))
        for second in first + 1..<edges {
          let (c, d) = (xy[second], xy[second + 1])
          let (otherLow, otherHigh) = (pointwiseMin(c, d), pointwiseMax(c, d))
          if any((otherLow .> high) .| (otherHigh .< low)) { continue }
          if second == first + 1 {
            // Consecutive edges may be on one line, but must not fold back.
            guard Self.isApart(a, b, d) || ((b - a) * (d - b)).sum() > 0 else { return false }
          } else if first == 0, second == edges - 1 {
            guard Self.isApart(c, d, b) || ((d - c) * (b - d)).sum() > 0 else { return false }
          } else {
            // One edge has to be clearly on one side of the other edge.
            let isBeside = Self.side(a, b, c) * Self.side(a, b, d) > 0
            guard isBeside || Self.side(c, d, a) * Self.side(c, d, b) > 0 else { return false }
          }
        }
      }
      return true
    }
  }

  /// Whether a point is clearly not on the line through two other points.
  private static func isApart(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>
  ) -> Bool { side(a, b, point) != 0 }

  /// The side of the line from `a` to `b` on which a point is: 1 or -1; 0 if it is on the line, or
  /// if rounding errors make the side uncertain.
  @inline(__always)
  private static func side(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>
  ) -> Int {
    let (u, v) = (a - point, b - point)
    let (left, right) = (u.x * v.y, u.y * v.x)
    let side = left - right
    guard side.magnitude > 1e-15 * (left.magnitude + right.magnitude) + 1e-290 else { return 0 }
    return side > 0 ? 1 : -1
  }
}
