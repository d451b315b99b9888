import PlumbCore

/// A chain of geodesic edges with the values that buffers need of each.
struct GeodesicPath {
  struct Edge {
    let start: SIMD2<Double>
    let end: SIMD2<Double>
    /// Metres.
    let length: Double
    /// Azimuths in degrees at the start and, forward, at the end.
    let startAzimuth: Double
    let endAzimuth: Double
  }

  private(set) var edges: [Edge] = []
  /// Whether the last edge ends where the first begins.
  let isClosed: Bool

  /// - Parameters:
  ///   - points: longitude and latitude; a closed path repeats its first.
  ///   - least: metres; a vertex nearer to the last is omitted.
  init(_ points: [SIMD2<Double>], isClosed: Bool, geodesic: Geodesic, least: Double) {
    self.isClosed = isClosed
    guard var last = points.first else { return }
    for (index, point) in points.enumerated().dropFirst() {
      let way = geodesic.inverse(from: last, to: point)
      let isLast = index == points.count - 1
      guard way.distance > least || isLast && way.distance > 0 else { continue }
      // A closed path has to end where it starts, however short its last edge is.
      guard way.distance > least || isClosed && !edges.isEmpty else { continue }
      edges.append(
        Edge(
          start: last, end: point, length: way.distance, startAzimuth: way.startAzimuth,
          endAzimuth: way.endAzimuth))
      last = point
    }
  }

  /// The change of direction in degrees from one edge to the next, right turns positive.
  static func turn(from edge: Edge, to next: Edge) -> Double {
    DegreePlane.shorter(next.startAzimuth - edge.endAzimuth)
  }
}
