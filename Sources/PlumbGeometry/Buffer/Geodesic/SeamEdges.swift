import PlumbCore

/// Finds the edges on ±180° along which a polygon that is cut there continues on the other side of
/// the map. On the ellipsoid, these edges are not part of the boundary.
struct SeamEdges {
  /// The latitudes that edges on the eastern side of the map cover; `west` contains the latitudes
  /// for the western side.
  private var east: [ClosedRange<Double>] = []
  private var west: [ClosedRange<Double>] = []

  init(_ polygon: Polygon, degrees: [SIMD2<Double>]) {
    for ring in polygon.rings {
      for index in ring.dropLast() {
        let (a, b) = (degrees[index], degrees[index + 1])
        guard Self.isOnSeam(a, b) else { continue }
        let range = min(a.y, b.y)...max(a.y, b.y)
        if a.x > 0 { east.append(range) } else { west.append(range) }
      }
    }
  }

  var isEmpty: Bool { east.isEmpty || west.isEmpty }

  private static func isOnSeam(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Bool {
    a.x == b.x && a.x.magnitude == 180 && a.y != b.y
  }

  /// The pieces of a ring that are part of the boundary, as chains of vertices. A ring that does
  /// not touch ±180° is returned as one closed chain.
  func boundaries(of ring: [SIMD2<Double>]) -> [[SIMD2<Double>]] {
    guard !isEmpty, ring.count > 1 else { return [ring] }
    var chains: [[SIMD2<Double>]] = []
    var chain: [SIMD2<Double>] = [ring[0]]
    var isBroken = false
    for index in ring.indices.dropLast() {
      let (a, b) = (ring[index], ring[index + 1])
      let isRow = DegreePlane.isPole(a) && DegreePlane.isPole(b)
      guard isRow || Self.isOnSeam(a, b) else {
        chain.append(b)
        continue
      }
      isBroken = true
      for (start, end) in isRow ? [] : visible(a, b) {
        if chain.last != start {
          if chain.count > 1 { chains.append(chain) }
          chain = [start]
        }
        chain.append(end)
      }
      if chain.last != b {
        if chain.count > 1 { chains.append(chain) }
        chain = [b]
      }
    }
    guard isBroken else { return [ring] }
    if chain.count > 1 { chains.append(chain) }
    // The start of the ring is in the middle of a chain, so join the last chain and the first.
    if chains.count > 1, let first = chains.first, let last = chains.last,
      first.first == ring[0], last.last == ring[0]
    {
      chains[0] = last + first.dropFirst()
      chains.removeLast()
    }
    return chains
  }

  /// The sections of an edge on ±180° that have no counterpart on the other side, in the edge's
  /// direction.
  private func visible(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> [(start: SIMD2<Double>, end: SIMD2<Double>)] {
    let others = a.x > 0 ? west : east
    var rest = [(min(a.y, b.y), max(a.y, b.y))]
    for other in others {
      rest = rest.flatMap { low, high in
        [(low, min(high, other.lowerBound)), (max(low, other.upperBound), high)]
          .filter { $0.0 < $0.1 }
      }
    }
    rest.sort { $0.0 < $1.0 }
    let parts = rest.map { (start: SIMD2(a.x, $0.0), end: SIMD2(a.x, $0.1)) }
    return a.y <= b.y ? parts : parts.reversed().map { (start: $0.end, end: $0.start) }
  }
}
