extension VertexList {
  /// Twice the area of a closed ring, positive if it is counter-clockwise; rounded.
  package func doubleArea(ofRing range: Range<Int>) -> Double {
    roundedArea(ofRing: xy[range]).double
  }

  /// The orientation of a closed ring, as `ringOrientation` returns it.
  package func orientation(ofRing range: Range<Int>) -> Int { ringOrientation(xy[range]) }

  /// Whether a ring ends where it starts. NaN is equal to NaN here.
  package func isClosed(_ range: Range<Int>) -> Bool {
    guard range.count > 1 else { return true }
    let (first, last) = (xy[range.lowerBound], xy[range.upperBound - 1])
    return all((first .== last) .| (first .!= first) .& (last .!= last))
  }

  /// Closes open rings and returns the new end indices of the rings.
  mutating func closeRings(endingAt ends: [Int]) -> [Int] {
    let rings = ranges(endingAt: ends)
    guard let first = rings.firstIndex(where: { !isClosed($0) }) else { return ends }
    var closed = self[0..<rings[first].lowerBound]
    closed.reserve(count + rings.count - first)
    var result = Array(ends[..<first])
    for ring in rings[first...] {
      closed.append(self, ring)
      if !isClosed(ring) { closed.append(self, ring.lowerBound..<ring.lowerBound + 1) }
      result.append(closed.count)
    }
    self = closed
    return result
  }
}

/// The orientation of a closed ring: 1 counter-clockwise, −1 clockwise, 0 if it has no area or a coordinate
/// is not finite.
///
/// This is the sign of the exact area: it does not depend on the start vertex, and the reversed ring has the
/// opposite sign.
package func ringOrientation(_ ring: ArraySlice<SIMD2<Double>>) -> Int {
  guard ring.count > 3 else { return 0 }
  let (area, sum) = roundedArea(ofRing: ring)
  // Each difference, product and partial sum is rounded by at most half a unit in the last place; products
  // may underflow.
  let error = Double(ring.count + 8) * 0x1p-52 * sum + 1e-290
  // Both comparisons are false if the area is NaN or infinite.
  if area > error { return 1 }
  if area < -error { return -1 }
  return exactOrientation(ofRing: ring)
}

/// Twice the area of a closed ring, and the sum of the magnitudes of all its products.
private func roundedArea(
  ofRing ring: ArraySlice<SIMD2<Double>>
) -> (double: Double, magnitude: Double) {
  guard ring.count > 3, let origin = ring.first else { return (0, 0) }
  return ring.withUnsafeBufferPointer { ring in
    var sum = 0.0
    var magnitude = 0.0
    var last = SIMD2<Double>(0, 0)
    for point in ring.dropFirst() {
      let next = point - origin
      let (left, right) = (last.x * next.y, last.y * next.x)
      sum += left - right
      magnitude += left.magnitude + right.magnitude
      last = next
    }
    return (sum, magnitude)
  }
}

private func exactOrientation(ofRing ring: ArraySlice<SIMD2<Double>>) -> Int {
  guard ring.allSatisfy({ $0.x.isFinite && $0.y.isFinite }), var last = ring.last else { return 0 }
  return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: FixedPointSum.wordCount) {
    var sum = FixedPointSum($0)
    for next in ring {
      sum.add(last.x, next.y)
      sum.add(-last.y, next.x)
      last = next
    }
    return sum.sign
  }
}
