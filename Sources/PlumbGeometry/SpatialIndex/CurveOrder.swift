import PlumbCore

/// Orders points along a Hilbert curve, so that neighbouring points are close in the order.
///
/// The order affects only speed. The square of the curve is chosen to cover most points, so that a
/// few distant points do not squeeze all other points into one cell.
package struct CurveOrder: Sendable {
  /// The lower corner of the curve's square, halved because the difference of two finite numbers
  /// may overflow.
  private var halfOrigin = SIMD2<Double>(0, 0)
  /// The number of cells per unit of halved coordinates.
  private var scale = SIMD2<Double>(0, 0)
  private let curve = HilbertCurve.shared

  /// Estimates the extent of `count` points from a sample of them.
  init(count: Int, point: (Int) -> SIMD2<Double>) {
    var (xs, ys): ([Double], [Double]) = ([], [])
    for index in stride(from: 0, to: count, by: max(1, count / 256)) {
      let point = point(index)
      if point.x.isFinite { xs.append(point.x / 2) }
      if point.y.isFinite { ys.append(point.y / 2) }
    }
    (halfOrigin.x, scale.x) = Self.axis(&xs)
    (halfOrigin.y, scale.y) = Self.axis(&ys)
  }

  private static func axis(_ sample: inout [Double]) -> (origin: Double, scale: Double) {
    guard !sample.isEmpty else { return (0, 0) }
    sample.sort()
    let tail = sample.count / 64
    var (low, high) = (sample[tail], sample[sample.count - 1 - tail])
    if tail > 0 {
      let span = high - low
      low -= span
      high += span
    }
    let scale = 4_294_967_295 / (high - low)
    return low.isFinite && scale.isFinite ? (low, scale) : (sample[0], 0)
  }

  /// The cell of a point; a point outside the square is assigned to the nearest cell.
  @inline(__always)
  private func cell(_ point: SIMD2<Double>) -> (UInt32, UInt32) {
    let position = (point * 0.5 - halfOrigin) * scale
    return (Self.clamp(position.x), Self.clamp(position.y))
  }

  @inline(__always)
  private static func clamp(_ value: Double) -> UInt32 {
    // NaN is assigned to cell 0.
    value > 0 ? (value < 4_294_967_295 ? UInt32(truncatingIfNeeded: Int64(value)) : .max) : 0
  }

  /// The point's position along the curve, in 32 bits.
  @inline(__always)
  func position(_ point: SIMD2<Double>) -> UInt32 {
    let (x, y) = cell(point)
    return UInt32(truncatingIfNeeded: curve.position(x, y, steps: 4))
  }

  /// The indices of `count` points in the order of the curve, in the lower 32 bits of each element.
  ///
  /// - Parameter finest: if one of the 2³² cells contains more points than this number, its points
  ///   are also ordered within the cell.
  package static func order(
    _ count: Int, finest: Int, workers: Workers, point: @Sendable (Int) -> SIMD2<Double>
  ) -> TrivialBuffer<UInt64> {
    precondition(count <= Int32.max, "too many points")
    let curve = CurveOrder(count: count, point: point)
    let words = TrivialBuffer<UInt64>(count: count)
    workers.runRanges(count, grain: 16384) { _, range in
      for index in range {
        words.base[index] =
          UInt64(curve.position(point(index))) << 32 | UInt64(truncatingIfNeeded: index)
      }
    }
    return curve.sorted(words, finest: finest, workers: workers, point: point)
  }

  /// Sorts `words`, each a 32-bit position above a 32-bit index, by position and then index.
  ///
  /// More than `finest` points with the same position are sorted by their 64-bit positions.
  ///
  /// - Returns: `words`, or another buffer of the same size.
  func sorted(
    _ words: TrivialBuffer<UInt64>, finest: Int, workers: Workers,
    point: @Sendable (Int) -> SIMD2<Double>
  ) -> TrivialBuffer<UInt64> {
    let result = radixSorted(words, workers)
    let base = result.base
    var runs: [Range<Int>] = []
    var start = 0
    for index in 1..<max(1, words.count + 1)
    where index == words.count || base[index] >> 32 != base[start] >> 32 {
      if index - start > finest { runs.append(start..<index) }
      start = index
    }
    workers.run(runs.count) { [runs] _, job in
      let base = result.base
      let run = runs[job]
      var finer = run.map { position -> (key: UInt64, word: UInt64) in
        let word = base[position]
        let (x, y) = cell(point(Int(word & 0xffff_ffff)))
        return (curve.position(x, y, steps: 8), word)
      }
      finer.sort { $0.key != $1.key ? $0.key < $1.key : $0.word < $1.word }
      for (offset, item) in finer.enumerated() { base[run.lowerBound + offset] = item.word }
    }
    return result
  }
}

/// The maximum number of words that are sorted by comparisons, which is faster than counting digits.
private let directLimit = 256

/// Sorts words by their upper 32 bits; words with equal upper bits keep their order.
///
/// - Precondition: the lower 32 bits of words with equal upper bits are in ascending order.
private func radixSorted(
  _ words: TrivialBuffer<UInt64>, _ workers: Workers
) -> TrivialBuffer<UInt64> {
  let count = words.count
  if count <= directLimit {
    var few = UnsafeMutableBufferPointer(start: words.base, count: count)
    few.sort()
    return words
  }
  // Each part has its own counts of the 2,048 digit values, so parts should have many more than
  // 2,048 words.
  let parts = max(1, min(workers.count, count / 32768))
  let counts = TrivialBuffer<Int>(count: parts << 11)
  var (from, to) = (words, TrivialBuffer<UInt64>(count: count))
  for shift: UInt64 in [32, 43, 54] {
    let (source, target) = (from, to)
    @Sendable func range(_ part: Int) -> Range<Int> {
      count * part / parts..<count * (part + 1) / parts
    }
    workers.run(parts) { _, part in
      let (source, digits) = (source.base, counts.base + part << 11)
      digits.update(repeating: 0, count: 2048)
      for index in range(part) { digits[Int(source[index] &>> shift & 2047)] &+= 1 }
    }
    var next = 0
    for digit in 0..<2048 {
      for part in 0..<parts {
        let size = counts.base[part << 11 + digit]
        counts.base[part << 11 + digit] = next
        next += size
      }
    }
    workers.run(parts) { _, part in
      let (source, target, digits) = (source.base, target.base, counts.base + part << 11)
      for index in range(part) {
        let word = source[index]
        let digit = Int(word &>> shift & 2047)
        target[digits[digit]] = word
        digits[digit] &+= 1
      }
    }
    (from, to) = (to, from)
  }
  return from
}
