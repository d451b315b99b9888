extension VertexList {
  /// Twice the area inside a closed ring, positive when it runs counter-clockwise; rounded.
  package func doubleArea(ofRing range: Range<Int>) -> Double {
    rounded(ofRing: range).doubleArea
  }

  /// Which way a closed ring runs: 1 counter-clockwise, −1 clockwise, 0 when it has no area or a
  /// coordinate is not finite.
  ///
  /// The sign of the exact area: it does not depend on the vertex where the ring starts, and the
  /// ring turned round has the opposite one.
  package func orientation(ofRing range: Range<Int>) -> Int {
    guard range.count > 3 else { return 0 }
    let (area, sum) = rounded(ofRing: range)
    // Differences, products and the sum are rounded to half a unit each; products may underflow.
    let error = Double(range.count + 8) * 0x1p-52 * sum + 1e-290
    // Neither is true for what is not a number or too large for one.
    if area > error { return 1 }
    if area < -error { return -1 }
    return exactOrientation(ofRing: range)
  }

  /// Twice the area, and the sum of the magnitudes of all products in it.
  @inline(__always)
  private func rounded(ofRing range: Range<Int>) -> (doubleArea: Double, magnitude: Double) {
    guard range.count > 3 else { return (0, 0) }
    return xy.withUnsafeBufferPointer { xy in
      let origin = xy[range.lowerBound]
      var sum = 0.0
      var magnitude = 0.0
      var last = SIMD2<Double>(0, 0)
      for index in range.dropFirst() {
        let next = xy[index] - origin
        let (left, right) = (last.x * next.y, last.y * next.x)
        sum += left - right
        magnitude += left.magnitude + right.magnitude
        last = next
      }
      return (sum, magnitude)
    }
  }

  private func exactOrientation(ofRing range: Range<Int>) -> Int {
    guard xy[range].allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return 0 }
    return withUnsafeTemporaryAllocation(
      of: UInt64.self, capacity: FixedPointSum.wordCount
    ) { words in
      var sum = FixedPointSum(words)
      var last = xy[range.upperBound - 1]
      for next in xy[range] {
        sum.add(last.x, next.y)
        sum.add(-last.y, next.x)
        last = next
      }
      return sum.sign
    }
  }

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
