import PlumbCore

/// A closed ring, with a test for other rings inside the ring.
struct RingInside {
  private let vertices: VertexList
  private let range: Range<Int>
  private let blocks: BoxBlocks

  init(_ vertices: VertexList, _ range: Range<Int>) {
    self.vertices = vertices
    self.range = range
    blocks = BoxBlocks(count: max(0, range.count - 1)) { edge in
      let (a, b) = (
        vertices.xy[range.lowerBound + edge], vertices.xy[range.lowerBound + edge + 1]
      )
      return Box(low: pointwiseMin(a, b), high: pointwiseMax(a, b))
    }
  }

  /// The number of points that are tested before a ring is considered to follow the line of the
  /// other ring everywhere.
  private static let attempts = 64

  /// Returns whether another ring is inside this ring. The rings must not cross, and the other
  /// ring's box must be within the box of this ring.
  ///
  /// The result is determined by the first vertex that is certainly not on the line of this ring.
  /// If all vertices are on the line, the first edge midpoint that is not on the line determines
  /// the result. A ring that follows the line everywhere is inside.
  func contains(_ other: Range<Int>) -> Bool {
    for index in other.prefix(Self.attempts) {
      if let result = contains(vertices.xy[index]) { return result }
    }
    for index in other.dropLast().prefix(Self.attempts) {
      let middle = vertices.xy[index] * 0.5 + vertices.xy[index + 1] * 0.5
      if let result = contains(middle) { return result }
    }
    return true
  }

  /// Whether a point is inside; nil if the point is on the line or too close to decide.
  func contains(_ point: SIMD2<Double>) -> Bool? {
    // A vertex that was computed to be on an edge is off the edge by a few rounding units.
    let slack = 0x1p-50 * max(abs(point.x), abs(point.y))
    var isInside = false
    var isUnsure = false
    let ray = Box(low: point - slack, high: SIMD2(.infinity, point.y + slack))
    blocks.forEach(meeting: ray) { edges in
      for edge in edges {
        let a = vertices.xy[range.lowerBound + edge] - point
        let b = vertices.xy[range.lowerBound + edge + 1] - point
        let (left, right) = (a.x * b.y, a.y * b.x)
        let side = left - right
        let length = abs(b.x - a.x) + abs(b.y - a.y)
        // The error of this difference is at most four times the rounding unit (Shewchuk 1997).
        let isOnLine = !(abs(side) > (abs(left) + abs(right)) * 0x1p-51 + slack * length)
        let (low, high) = (pointwiseMin(a, b), pointwiseMax(a, b))
        if isOnLine, low.x <= slack, low.y <= slack, high.x >= -slack, high.y >= -slack {
          isUnsure = true
        }
        if (a.y > 0) != (b.y > 0), (side > 0) == (b.y > 0) { isInside.toggle() }
      }
    }
    return isUnsure ? nil : isInside
  }
}
