import PlumbCore

@testable import PlumbGeometry

/// Distances on the ellipsoid by GeographicLib alone, for checking buffers.
struct DistanceOracle {
  let geodesic: Geodesic

  init(_ ellipsoid: SpatialReference.Ellipsoid = .wgs84) { geodesic = Geodesic(ellipsoid) }

  /// An edge that is the shortest path between its ends.
  struct Edge {
    let start: SIMD2<Double>
    let end: SIMD2<Double>
    let length: Double
    let azimuth: Double
    let line: Geodesic.Line
  }

  func edges(of points: [SIMD2<Double>]) -> [Edge] {
    zip(points, points.dropFirst()).compactMap { start, end in
      let way = geodesic.inverse(from: start, to: end)
      guard way.distance > 0 else { return nil }
      return Edge(
        start: start, end: end, length: way.distance, azimuth: way.startAzimuth,
        line: geodesic.line(from: start, azimuth: way.startAzimuth))
    }
  }

  /// The distance from a point to an edge: the smallest distance to some points along the edge,
  /// refined by steps to the foot of the perpendicular.
  func distance(from point: SIMD2<Double>, to edge: Edge, below bound: Double = .infinity)
    -> Double
  {
    let ends = (
      geodesic.distance(from: point, to: edge.start), geodesic.distance(from: point, to: edge.end)
    )
    var best = min(ends.0, ends.1)
    // By the triangle inequality, the edge is too far away to matter.
    if max(ends.0, ends.1) - edge.length > bound { return best }
    let count = 4 + Int(edge.length / 500_000)
    var start = ends.0 <= ends.1 ? 0 : edge.length
    for step in 1..<count {
      let share = edge.length * Double(step) / Double(count)
      let distance = geodesic.distance(from: point, to: edge.line.point(at: share).point)
      if distance < best { (best, start) = (distance, share) }
    }
    var (low, high) = (
      max(0, start - edge.length / Double(count)),
      min(edge.length, start + edge.length / Double(count))
    )
    // The derivative of the distance is −cos of the angle between the edge and the path from it to the point.
    func slope(_ share: Double) -> (distance: Double, slope: Double) {
      let at = edge.line.point(at: share)
      let way = geodesic.inverse(from: at.point, to: point)
      let angle = (way.startAzimuth - at.azimuth) * .pi / 180
      return (way.distance, -TestMath.cosine(angle))
    }
    for _ in 0..<60 where high - low > 1e-6 {
      let middle = (low + high) / 2
      let (distance, slope) = slope(middle)
      best = min(best, distance)
      if slope > 0 { high = middle } else { low = middle }
    }
    return best
  }

  func distance(from point: SIMD2<Double>, to edges: [Edge]) -> Double {
    var best = Double.infinity
    for edge in edges { best = min(best, distance(from: point, to: edge, below: best)) }
    return best
  }
}
