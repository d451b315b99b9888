#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension CurveEdge {
  /// Points along the edge, including both ends, such that the geodesics between neighbouring
  /// points are within `maxDeviation` metres of the curve, and neighbouring points are at most
  /// `maxSegmentLength` metres apart along the edge.
  ///
  /// - Parameter maxDeviation: the deviation in metres; a value below one micrometre is treated as
  ///   one micrometre.
  func points(
    maxDeviation: Double, maxSegmentLength: Double = .infinity
  ) -> [SIMD2<Double>] {
    // Pieces are so short that offsets behave as on a plane.
    let pieces = pieceCount(maxSegmentLength: min(maxSegmentLength, 500_000))
    var result = [start]
    var last = start
    for piece in 1...pieces {
      let (low, high) = (
        fraction(ofPiece: piece - 1, of: pieces), fraction(ofPiece: piece, of: pieces)
      )
      let next = point(at: high)
      bisect((low, last), (high, next), max(maxDeviation, 1e-6), depth: 0, into: &result)
      result.append(next)
      last = next
    }
    return result
  }

  /// Points at even distances along the edge, including both ends; neighbouring points are at most
  /// `maxSegmentLength` metres apart.
  func points(maxSegmentLength: Double) -> [SIMD2<Double>] {
    let pieces = pieceCount(maxSegmentLength: maxSegmentLength)
    return (0...pieces).map { point(at: fraction(ofPiece: $0, of: pieces)) }
  }

  /// The number of even pieces, each of at most `maxSegmentLength` metres, into which the edge is
  /// divided; at least 1.
  func pieceCount(maxSegmentLength: Double) -> Int {
    let count = (length / maxSegmentLength).rounded(.up)
    return count > 1 ? Int(exactly: min(count, 1e9)) ?? 1 : 1
  }

  /// The fraction of the edge at which a piece starts.
  func fraction(ofPiece piece: Int, of count: Int) -> Double {
    if piece <= 0 { return 0 }
    if piece >= count { return 1 }
    return fraction(atDistance: length * (Double(piece) / Double(count)))
  }

  private func bisect(
    _ low: (fraction: Double, point: SIMD2<Double>),
    _ high: (fraction: Double, point: SIMD2<Double>), _ maxDeviation: Double, depth: Int,
    into result: inout [SIMD2<Double>]
  ) {
    guard depth < 20 else { return }
    let width = high.fraction - low.fraction
    let way = geodesic.inverse(from: low.point, to: high.point)
    // Test three points, because a curve may cross the geodesic in the middle. The farthest point
    // of a cubic arc is at 0.21, where it is only 3 % farther than at 0.25.
    let isNear = [0.25, 0.5, 0.75].allSatisfy { step in
      let there = geodesic.inverse(
        from: low.point, to: point(at: low.fraction + width * step))
      let offset = there.distance * sin((there.startAzimuth - way.startAzimuth).inRadians)
      return offset.magnitude <= 0.9 * maxDeviation
    }
    if isNear { return }
    let half = low.fraction + width / 2
    let middle = point(at: half)
    bisect(low, (half, middle), maxDeviation, depth: depth + 1, into: &result)
    result.append(middle)
    bisect((half, middle), high, maxDeviation, depth: depth + 1, into: &result)
  }
}
