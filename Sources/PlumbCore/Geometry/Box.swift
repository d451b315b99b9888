/// A bounding box with finite sides. Points on the sides are in the box.
package struct Box: Sendable {
  package var low: SIMD2<Double>
  package var high: SIMD2<Double>

  /// The empty box; the union with another box is the other box.
  package static let nowhere = Box(
    low: SIMD2(repeating: .infinity), high: SIMD2(repeating: -.infinity))

  /// The extent of vertices; `nowhere` if there are none.
  package init(_ vertices: VertexList) {
    guard let (low, high) = vertices.bounds() else {
      self = .nowhere
      return
    }
    self.init(low: low, high: high)
  }

  @inlinable
  package init(low: SIMD2<Double>, high: SIMD2<Double>) {
    (self.low, self.high) = (low, high)
  }

  @inlinable
  package func touches(_ other: Box) -> Bool {
    low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y
      && other.low.y <= high.y
  }

  @inlinable
  package func contains(_ other: Box) -> Bool {
    low.x <= other.low.x && other.high.x <= high.x && low.y <= other.low.y
      && other.high.y <= high.y
  }

  @inlinable
  package mutating func include(_ other: Box) {
    low = pointwiseMin(low, other.low)
    high = pointwiseMax(high, other.high)
  }

  /// Twice the centre; coordinates that are not finite are 0.
  package var doubledCentre: SIMD2<Double> {
    let sum = low + high
    return SIMD2(sum.x.isFinite ? sum.x : 0, sum.y.isFinite ? sum.y : 0)
  }

  /// The length of the longer side; 0 if it is not finite.
  package var extent: Double {
    let size = max(high.x - low.x, high.y - low.y)
    return size.isFinite ? max(0, size) : 0
  }
}
