import PlumbCore

/// Tests whether points are inside a polygon, with an index that assigns the polygon's edges to
/// bands of y.
///
/// The test is fast, but not exact for points on the boundary. It is intended for a few hundred
/// points per polygon.
struct BandLocator {
  private let xy: [SIMD2<Double>]
  private let low: Double
  private let high: Double
  /// The number of bands per unit of y.
  private let scale: Double
  private let bandCount: Int
  /// The index in `ends` of each band's first edge, followed by `ends.count`.
  private let starts: [Int32]
  /// The indices of the edges' second vertices, band by band.
  private let ends: [Int32]

  /// The maximum number of bands.
  private static let maximumBands = 1 << 14

  /// - Complexity: O(*n*) in the vertices.
  init(_ polygon: Polygon) {
    xy = polygon.vertices.xy
    let ringEnds = polygon.ringEnds
    let (low, high, height) = Self.extent(xy, ringEnds)
    (self.low, self.high) = (low, high)
    guard high > low, (Double(Self.maximumBands) / (high - low)).isFinite else {
      (scale, bandCount, starts, ends) = (0, 0, [0], [])
      return
    }
    // An edge has an entry in each band that it touches. Limit the number of entries to about four
    // per vertex.
    let maximum = min(Double(xy.count) / 4, 4 * Double(xy.count) * (high - low) / height)
    bandCount = min(Self.maximumBands, max(1, Int(maximum)))
    scale = Double(bandCount) / (high - low)
    (starts, ends) = Self.edges(xy, ringEnds, low: low, scale: scale, bandCount: bandCount)
  }

  /// The least and the greatest y, and the total vertical length of the rings.
  private static func extent(
    _ xy: [SIMD2<Double>], _ ringEnds: [Int]
  ) -> (low: Double, high: Double, height: Double) {
    xy.withUnsafeBufferPointer { xy in
      var (low, high) = (SIMD2<Double>(repeating: .infinity), -SIMD2<Double>(repeating: .infinity))
      var height = 0.0
      var start = 0
      for end in ringEnds where end > start {
        var last = xy[start]
        for index in start..<end {
          let point = xy[index]
          low = pointwiseMin(low, point)
          high = pointwiseMax(high, point)
          height += (point.y - last.y).magnitude
          last = point
        }
        start = end
      }
      return (low.y, high.y, height)
    }
  }

  /// Assigns the edges to the bands.
  private static func edges(
    _ xy: [SIMD2<Double>], _ ringEnds: [Int], low: Double, scale: Double, bandCount: Int
  ) -> (starts: [Int32], ends: [Int32]) {
    xy.withUnsafeBufferPointer { xy in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: xy.count) { bands in
        let last = Double(bandCount - 1)
        for index in 0..<xy.count {
          bands.initializeElement(at: index, to: Int32(min(last, (xy[index].y - low) * scale)))
        }
        func forEachEdge(_ body: (_ end: Int, _ first: Int, _ last: Int) -> Void) {
          var start = 0
          for ringEnd in ringEnds where ringEnd > start {
            var (y, band) = (xy[start].y, Int(bands[start]))
            for end in start + 1..<ringEnd {
              let (nextY, nextBand) = (xy[end].y, Int(bands[end]))
              if nextY != y { body(end, min(band, nextBand), max(band, nextBand)) }
              (y, band) = (nextY, nextBand)
            }
            start = ringEnd
          }
        }
        // The array first contains the difference between the edge counts of each band and the
        // previous band, then the end index of each band. The band's edges are stored backwards
        // from this index.
        var starts = [Int32](repeating: 0, count: bandCount + 1)
        let count = starts.withUnsafeMutableBufferPointer { starts in
          forEachEdge { _, first, last in
            starts[first] &+= 1
            starts[last + 1] &-= 1
          }
          var (count, end): (Int32, Int32) = (0, 0)
          for band in 0..<bandCount {
            count &+= starts[band]
            end += count
            starts[band] = end
          }
          starts[bandCount] = end
          return Int(end)
        }
        let ends = [Int32](unsafeUninitializedCapacity: count) { ends, filled in
          starts.withUnsafeMutableBufferPointer { starts in
            forEachEdge { end, first, last in
              var band = first
              while band <= last {
                starts[band] &-= 1
                ends.initializeElement(
                  at: Int(starts[band]), to: Int32(truncatingIfNeeded: end))
                band += 1
              }
            }
          }
          filled = count
        }
        return (starts, ends)
      }
    }
  }

  /// Whether a point is inside the boundary.
  func holds(_ point: SIMD2<Double>) -> Bool {
    guard point.y >= low, point.y <= high, bandCount > 0 else { return false }
    let band = min(bandCount - 1, Int((point.y - low) * scale))
    let positions = Int(starts[band])..<Int(starts[band + 1])
    return xy.withUnsafeBufferPointer { xy in
      ends.withUnsafeBufferPointer { ends in
        var isInside = false
        for position in positions {
          let end = Int(ends[position])
          let (a, b) = (xy[end - 1], xy[end])
          guard (a.y > point.y) != (b.y > point.y) else { continue }
          let (way, offset) = (b - a, point - a)
          if (way.x * offset.y > offset.x * way.y) == (b.y > a.y) { isInside.toggle() }
        }
        return isInside
      }
    }
  }
}
