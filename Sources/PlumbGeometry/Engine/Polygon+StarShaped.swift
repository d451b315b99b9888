import PlumbCore

extension Polygon {
  /// Whether it is a single ring that runs once round the centre of its bounding box, with each
  /// vertex visible from there in turn; such a ring is valid. False if rounding makes it uncertain.
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
        // Clockwise by more than the rounding error.
        guard cross < -1e-13 * size, size < .infinity else { return false }
        if last.isInUpperHalf && !next.isInUpperHalf { turns += 1 }
        last = next
      }
      return turns == 1
    }
  }
}

extension SIMD2<Double> {
  /// Whether its direction is 0° or more, counter-clockwise from the x axis, and less than 180°.
  fileprivate var isInUpperHalf: Bool { y > 0 || (y == 0 && x > 0) }
}
