import PlumbCore

/// Tells on which side of a polygon's border points are, by the edges in bands of y.
///
/// It is made for a few hundred points that do not lie on the border: quickly, and without an exact
/// answer for those that do.
struct BandLocator {
  private let xy: [SIMD2<Double>]
  private let low: Double
  private let high: Double
  /// Bands in a unit of y.
  private let scale: Double
  private let bandCount: Int
  /// For each band the first of its edges in `ends`, and behind them the count of all.
  private let starts: [Int32]
  /// The indices of the edges' second vertices, band by band.
  private let ends: [Int32]

  /// Bands at most.
  private static let mostBands = 1 << 14

  /// - Complexity: O(*n*) in the vertices.
  init(_ polygon: Polygon) {
    xy = polygon.vertices.xy
    let (xy, rings) = (self.xy, polygon.rings)
    var (low, high, height) = (Double.infinity, -Double.infinity, 0.0)
    for ring in rings {
      for index in ring {
        let y = xy[index].y
        low = min(low, y)
        high = max(high, y)
        if index > ring.lowerBound { height += (y - xy[index - 1].y).magnitude }
      }
    }
    (self.low, self.high) = (low, high)
    guard high > low, (Double(Self.mostBands) / (high - low)).isFinite else {
      (scale, bandCount, starts, ends) = (0, 0, [0], [])
      return
    }
    // An edge has an entry in each band that it is in: about four entries a vertex in all.
    let most = min(Double(xy.count) / 4, 4 * Double(xy.count) * (high - low) / height)
    let bandCount = min(Self.mostBands, max(1, Int(most)))
    let scale = Double(bandCount) / (high - low)
    func band(_ y: Double) -> Int { min(bandCount - 1, Int((y - low) * scale)) }
    var starts = [Int32](repeating: 0, count: bandCount + 1)
    func forEachEdge(_ body: (_ end: Int, _ bands: ClosedRange<Int>) -> Void) {
      for ring in rings {
        for end in ring.dropFirst() where xy[end - 1].y != xy[end].y {
          let (a, b) = (band(xy[end - 1].y), band(xy[end].y))
          body(end, min(a, b)...max(a, b))
        }
      }
    }
    forEachEdge { _, bands in
      for band in bands { starts[band + 1] += 1 }
    }
    for band in 0..<bandCount { starts[band + 1] += starts[band] }
    var next = starts
    var ends = [Int32](repeating: 0, count: Int(starts[bandCount]))
    forEachEdge { end, bands in
      for band in bands {
        ends[Int(next[band])] = Int32(truncatingIfNeeded: end)
        next[band] += 1
      }
    }
    (self.scale, self.bandCount, self.starts, self.ends) = (scale, bandCount, starts, ends)
  }

  /// Whether a point is within the border.
  func holds(_ point: SIMD2<Double>) -> Bool {
    guard point.y >= low, point.y <= high, bandCount > 0 else { return false }
    let band = min(bandCount - 1, Int((point.y - low) * scale))
    var isInside = false
    for place in Int(starts[band])..<Int(starts[band + 1]) {
      let end = Int(ends[place])
      let (a, b) = (xy[end - 1], xy[end])
      guard (a.y > point.y) != (b.y > point.y) else { continue }
      let (way, offset) = (b - a, point - a)
      if (way.x * offset.y > offset.x * way.y) == (b.y > a.y) { isInside.toggle() }
    }
    return isInside
  }
}
