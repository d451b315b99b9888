extension VertexList {
  /// Twice the area inside a closed ring, positive when it runs counter-clockwise; rounded.
  package func doubleArea(ofRing range: Range<Int>) -> Double {
    roundedArea(ofRing: xy[range]).double
  }

  /// Which way a closed ring runs, as `ringOrientation` says.
  package func orientation(ofRing range: Range<Int>) -> Int { ringOrientation(xy[range]) }

  /// Whether a ring ends where it starts. One that starts with no number and ends with none does.
  package func isClosed(_ range: Range<Int>) -> Bool {
    guard range.count > 1 else { return true }
    let (first, last) = (xy[range.lowerBound], xy[range.upperBound - 1])
    return all((first .== last) .| (first .!= first) .& (last .!= last))
  }

  /// Closes the rings that are open, and says where rings end then.
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

/// Which way a closed ring runs: 1 counter-clockwise, −1 clockwise, 0 when it has no area or a
/// coordinate is not finite.
///
/// The sign of the exact area: it does not depend on the vertex where the ring starts, and the ring
/// turned round has the opposite one.
package func ringOrientation(_ ring: ArraySlice<SIMD2<Double>>) -> Int {
  guard ring.count > 3 else { return 0 }
  let (area, sum) = roundedArea(ofRing: ring)
  // Differences, products and the sum are rounded to half a unit each; products may underflow.
  let error = Double(ring.count + 8) * 0x1p-52 * sum + 1e-290
  // Neither is true for what is not a number or too large for one.
  if area > error { return 1 }
  if area < -error { return -1 }
  return exactOrientation(ofRing: ring)
}

/// Twice the area within a closed ring, and the sum of the magnitudes of all products in it.
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
