import PlumbCore

/// Finds the points within a tolerance of a point, using a grid with hashed cells.
@safe struct PointGrid {
  private let points: UnsafePointer<SIMD2<Double>>
  private let tolerance: Double
  private let scale: Double
  private let starts: TrivialBuffer<UInt32>
  private let items: TrivialBuffer<UInt32>
  private let mask: Int

  /// - Parameters:
  ///   - points: the points, which the caller keeps alive; points with NaN coordinates are omitted.
  ///   - tolerance: the tolerance; 0 if points have to be equal.
  init(_ points: UnsafeBufferPointer<SIMD2<Double>>, tolerance: Double) {
    self.tolerance = tolerance
    // With this scale, most tolerance circles are within one cell.
    scale = tolerance > 0 ? 1 / (tolerance * 16) : 0
    var size = 16
    while size < points.count { size *= 2 }
    mask = size - 1
    starts = TrivialBuffer(count: size + 1, zeroed: true)
    items = TrivialBuffer(count: points.count)
    // An empty buffer has no address and is never read.
    unsafe self.points =
      unsafe points.baseAddress ?? UnsafePointer(TrivialBuffer<SIMD2<Double>>.nothing.base)
    for point in points.indices.lazy.map({ unsafe points[$0] }) where point.x == point.x {
      unsafe starts.base[bucket(cell(point)) + 1] += 1
    }
    for index in 0..<size { unsafe starts.base[index + 1] += starts.base[index] }
    let next = TrivialBuffer<UInt32>(count: size)
    unsafe next.base.update(from: starts.base, count: size)
    for index in points.indices {
      let point = unsafe points[index]
      guard point.x == point.x else { continue }
      let bucket = bucket(cell(point))
      unsafe items.base[Int(next.base[bucket])] = UInt32(truncatingIfNeeded: index)
      unsafe next.base[bucket] += 1
    }
  }

  private func cell(_ point: SIMD2<Double>) -> SIMD2<UInt64> {
    // Adding 0 converts minus zero to zero.
    guard scale > 0 else { return SIMD2((point.x + 0).bitPattern, (point.y + 0).bitPattern) }
    let cell = point * scale
    return SIMD2(cell.x.rounded(.down).bitPattern, cell.y.rounded(.down).bitPattern)
  }

  private func bucket(_ cell: SIMD2<UInt64>) -> Int {
    var state = (cell.x &* 0x9E37_79B9_7F4A_7C15) ^ (cell.x >> 32)
    state = (state ^ cell.y) &* 0xBF58_476D_1CE4_E5B9
    state = (state ^ state >> 31) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (state ^ state >> 32) & UInt64(mask))
  }

  /// Calls `body` with the index and the squared distance of each point within the tolerance, possibly
  /// more than once for a point.
  func visit(_ point: SIMD2<Double>, _ body: (Int, Double) -> Void) {
    var buckets = SIMD4<Int>(repeating: -1)
    if scale > 0 {
      let searchRadius = SIMD2(repeating: tolerance * 1.0001)
      let (low, high) = (point - searchRadius, point + searchRadius)
      buckets[0] = bucket(cell(low))
      buckets[1] = bucket(cell(high))
      buckets[2] = bucket(cell(SIMD2(low.x, high.y)))
      buckets[3] = bucket(cell(SIMD2(high.x, low.y)))
    } else {
      buckets = SIMD4(repeating: bucket(cell(point)))
    }
    let limit = tolerance * tolerance
    for corner in 0..<4 {
      let bucket = buckets[corner]
      if (0..<corner).contains(where: { buckets[$0] == bucket }) { continue }
      for slot in unsafe Int(starts.base[bucket])..<Int(starts.base[bucket + 1]) {
        let index = unsafe Int(items.base[slot])
        let offset = unsafe points[index] - point
        let distance = (offset * offset).sum()
        if unsafe tolerance > 0 ? distance <= limit : points[index] == point {
          body(index, distance)
        }
      }
    }
  }

  /// Returns the nearest point within the tolerance, and another point at the same distance, if
  /// any.
  func nearest(_ point: SIMD2<Double>) -> (index: Int, rival: Int?)? {
    var best: (index: Int, distance: Double, rival: Int?)?
    visit(point) { index, distance in
      if let known = best, known.distance <= distance {
        if known.distance == distance, known.index != index { best?.rival = index }
      } else {
        best = (index, distance, nil)
      }
    }
    return best.map { ($0.index, $0.rival) }
  }
}

extension TrivialBuffer where Element == SIMD2<Double> {
  fileprivate static let nothing = TrivialBuffer(count: 1, zeroed: true)
}
