import PlumbCore

/// The side of the line from `a` to `b` on which a point is: 1 for left, −1 for right, 0 on the
/// line. The result is exact for all finite numbers.
///
/// The result is the sign of (a − p) × (b − p). If the rounded value is too near zero, the two
/// products are compared exactly, including their rounding errors. If a difference of coordinates
/// is not exact, the six products of coordinates are summed in fixed point.
func orientation(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>) -> Int {
  let (u, v) = (a - point, b - point)
  let (left, right) = (u.x * v.y, u.y * v.x)
  let side = left - right
  let sum = left.magnitude + right.magnitude
  // `plumb_ring_crossings` uses the same error bound.
  if side.magnitude > 3.3306690738754716e-16 * sum + 1e-290 { return side > 0 ? 1 : -1 }
  if isExact(a, point, u), isExact(b, point, v) {
    if (u.x == 0 || v.y == 0) && (u.y == 0 || v.x == 0) { return 0 }
    // In this range, the products do not overflow, and their rounding errors do not underflow.
    if left.magnitude > 1e-250, right.magnitude > 1e-250, sum < .infinity {
      if left != right { return left > right ? 1 : -1 }
      let leftError = (-left).addingProduct(u.x, v.y)
      let rightError = (-right).addingProduct(u.y, v.x)
      return leftError == rightError ? 0 : leftError > rightError ? 1 : -1
    }
  }
  return exactOrientation(a, b, point)
}

/// Whether `difference`, which is `a - b` rounded, is exact.
@inline(__always)
private func isExact(
  _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ difference: SIMD2<Double>
) -> Bool {
  // Knuth's algorithm computes the rounding error of the difference. If the difference overflows,
  // the error is NaN, which is not equal to 0.
  let virtual = a - difference
  let error = (a - (difference + virtual)) + (virtual - b)
  return error.x == 0 && error.y == 0
}

private func exactOrientation(
  _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>
) -> Int {
  withUnsafeTemporaryAllocation(of: UInt64.self, capacity: FixedPointSum.wordCount) { words in
    var sum = FixedPointSum(words)
    sum.add(a.x, b.y)
    sum.add(-a.x, point.y)
    sum.add(-point.x, b.y)
    sum.add(-a.y, b.x)
    sum.add(a.y, point.x)
    sum.add(point.y, b.x)
    return sum.sign
  }
}
