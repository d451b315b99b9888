import PlumbCore

extension Polygon {
  /// Whether the polygon is a single ring that runs once around the centre of its bounding box,
  /// with vertices in strictly clockwise order as seen from the centre. Such a ring is valid. The
  /// value is false if rounding errors make the result uncertain.
  var isStarShaped: Bool {
    guard ringEnds.count == 1, vertices.count > 3, let (low, high) = vertices.bounds() else {
      return false
    }
    let centre = low / 2 + high / 2
    return vertices.xy.withUnsafeBufferPointer { xy in
      guard xy[0] == xy[xy.count - 1] else { return false }
      var last = xy[0] - centre
      var turns = 0
      for index in 1..<xy.count {
        let next = xy[index] - centre
        let cross = last.x * next.y - last.y * next.x
        let size = last.x * last.x + last.y * last.y + next.x * next.x + next.y * next.y
        // The next vertex must be clockwise by more than the rounding error.
        guard cross < -1e-13 * size, size < .infinity else { return false }
        if last.isInUpperHalf && !next.isInUpperHalf { turns += 1 }
        last = next
      }
      return turns == 1
    }
  }
}

extension SIMD2<Double> {
  /// Whether the vector's direction, counter-clockwise from the x axis, is at least 0° and less
  /// than 180°.
  fileprivate var isInUpperHalf: Bool { y > 0 || (y == 0 && x > 0) }
}
