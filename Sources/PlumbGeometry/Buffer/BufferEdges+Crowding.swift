#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

/// Detects edges that are so close together, relative to the buffer distance, that the outlines of
/// most of them cross. GEOS finds all crossings at once, so that its time and memory are
/// proportional to the square of the number of such edges.
extension BufferEdges {
  /// Geometries with fewer vertices are never crowded.
  static let fewVertices = 320
  /// The largest number of pairs of crossing outlines to pass to GEOS, which takes a few hundred
  /// bytes and microseconds for each pair.
  private static let maximumPairs = 1e5
  /// The largest number of squares in the grid by which the pairs are counted.
  private static let maximumSquares = 1e6

  /// Whether there are too many crossings to pass all edges to GEOS at once.
  func areCrowded(within distance: Double) -> Bool {
    xy.count >= Self.fewVertices && pairs(within: distance.magnitude) > Self.maximumPairs
  }

  /// The approximate number of pairs of outlines that cross: the pairs of edges in the same square
  /// of a grid.
  private func pairs(within distance: Double) -> Double {
    var length = 0.0
    forEach { a, b in length += (b - a).planarLength }
    let side = max(distance, length / Self.maximumSquares)
    guard side > 0, side.isFinite else { return 0 }
    var counts: [SIMD2<Double>: Int] = [:]
    forEach { a, b in
      let steps = max(1, ((b - a).planarLength / side).rounded(.up))
      for step in 0..<Int(steps) {
        let square = (a + (b - a) * ((Double(step) + 0.5) / steps)) / side
        counts[square.rounded(.down), default: 0] += 1
      }
    }
    // In squares that are wider than the distance, not all pairs cross.
    return counts.values.reduce(0) { $0 + Double($1) * Double($1 - 1) } * (distance / side)
  }

  private func forEach(_ body: (SIMD2<Double>, SIMD2<Double>) -> Void) {
    for chain in chains {
      for index in chain.vertices.dropFirst() { body(xy[index - 1], xy[index]) }
    }
  }

  /// The same chains without the vertices that are within `slack` of the simplified edges.
  func thinned(within slack: Double) -> BufferEdges {
    var points: [SIMD2<Double>] = []
    let thinned = chains.map { chain in
      let start = points.count
      points += Self.thinned(xy[chain.vertices], within: slack)
      return Chain(vertices: start..<points.count, isClosed: chain.isClosed)
    }
    return BufferEdges(xy: points, chains: thinned)
  }

  private static func thinned(
    _ xy: ArraySlice<SIMD2<Double>>, within slack: Double
  ) -> [SIMD2<Double>] {
    guard xy.count > 2, slack > 0, let first = xy.first, let last = xy.last else {
      return Array(xy)
    }
    var kept = [first]
    var view = View(first)
    for index in xy.indices.dropFirst() {
      if !view.admits(xy[index]) {
        kept.append(xy[index - 1])
        view = View(xy[index - 1])
      }
      view.pass(xy[index], slack)
    }
    return kept + [last]
  }

  /// The directions in which a straight line from the vertex `start` comes within a tolerance of each of the
  /// following vertices that have been added by `pass`.
  private struct View {
    private let start: SIMD2<Double>
    /// The range of these directions in radians; nil as long as all directions are allowed.
    private var gap: (low: Double, high: Double)?
    private var farthest = 0.0

    init(_ start: SIMD2<Double>) { self.start = start }

    /// Whether a straight edge to a point passes within the tolerance of all these vertices.
    func admits(_ point: SIMD2<Double>) -> Bool {
      let way = point - start
      guard way.planarLength >= farthest else { return false }
      guard let gap else { return true }
      let turn = (atan2(way.y, way.x) - gap.low).remainder(dividingBy: 2 * .pi)
      return turn >= 0 && turn <= gap.high - gap.low
    }

    mutating func pass(_ point: SIMD2<Double>, _ slack: Double) {
      let way = point - start
      let length = way.planarLength
      farthest = max(farthest, length)
      guard length > slack else { return }
      let (direction, half) = (atan2(way.y, way.x), asin(slack / length))
      guard let gap else {
        self.gap = (direction - half, direction + half)
        return
      }
      let low = gap.low + (direction - half - gap.low).remainder(dividingBy: 2 * .pi)
      self.gap = (max(gap.low, low), min(gap.high, low + 2 * half))
    }
  }
}
