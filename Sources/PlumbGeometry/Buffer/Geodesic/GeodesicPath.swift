import PlumbCore

/// A chain of geodesic edges, with the length and azimuths of each edge.
struct GeodesicPath {
  struct Edge {
    let start: SIMD2<Double>
    let end: SIMD2<Double>
    /// The length in metres.
    let length: Double
    /// The azimuths in degrees at the start and, in the forward direction, at the end.
    let startAzimuth: Double
    let endAzimuth: Double
  }

  private(set) var edges: [Edge] = []
  /// Whether the last edge ends where the first edge begins.
  let isClosed: Bool

  /// - Parameters:
  ///   - points: longitudes and latitudes; in a closed path, the last point repeats the first.
  ///   - minimum: a length in metres; a vertex that is nearer than this length to the previous
  ///     vertex is omitted.
  init(_ points: [SIMD2<Double>], isClosed: Bool, geodesic: Geodesic, minimum: Double) {
    self.isClosed = isClosed
    guard var last = points.first else { return }
    for (index, point) in points.enumerated().dropFirst() {
      let way = geodesic.inverse(from: last, to: point)
      let isLast = index == points.count - 1
      guard way.distance > minimum || isLast && way.distance > 0 else { continue }
      // Keep the last edge of a closed path even if it is very short, so that the path ends where
      // it starts.
      guard way.distance > minimum || isClosed && !edges.isEmpty else { continue }
      edges.append(
        Edge(
          start: last, end: point, length: way.distance, startAzimuth: way.startAzimuth,
          endAzimuth: way.endAzimuth))
      last = point
    }
  }

  /// The change of direction in degrees from one edge to the next; right turns are positive.
  static func turn(from edge: Edge, to next: Edge) -> Double {
    DegreePlane.shorter(next.startAzimuth - edge.endAzimuth)
  }
}
