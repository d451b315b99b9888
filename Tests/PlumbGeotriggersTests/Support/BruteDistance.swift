import CGEOS
import PlumbCore

@testable import PlumbGeometry

/// Geodesic distances to one geometry in degrees of WGS84, found by trying points along all its
/// edges. GEOS decides whether the geometry contains a point.
final class BruteDistance {
  let geometry: Geometry
  private let context: GEOSContext
  private let shape: GEOSShape
  private let earth = Geodesic(.wgs84)
  /// The ends of all edges; a point is an edge of length 0.
  private var edges: [(SIMD2<Double>, SIMD2<Double>)] = []
  /// The greatest length of the pieces of an edge that is divided into `steps`.
  private var pieces: [Double] = []
  private let steps = 24
  /// The greatest distance of a point from the first vertex.
  private var radius = 0.0

  init(_ geometry: Geometry) throws {
    self.geometry = geometry
    context = try GEOSContext()
    shape = try context.shape(of: geometry)
    func add(_ points: ArraySlice<SIMD2<Double>>) {
      for (a, b) in zip(points, points.dropFirst()) { edges.append((a, b)) }
    }
    let xy = geometry.vertices.xy
    switch geometry {
    case .point, .multipoint: edges = xy.map { ($0, $0) }
    case .polyline(let line): for part in line.parts { add(xy[part]) }
    case .polygon(let polygon): for ring in polygon.rings { add(xy[ring]) }
    case .envelope: add(xy[...])
    }
    for (a, b) in edges {
      let points = (0...steps).map { a + (b - a) * (Double($0) / Double(steps)) }
      let longest = zip(points, points.dropFirst()).map { earth.distance(from: $0, to: $1) }
        .max()
      pieces.append((longest ?? 0) * 1.05)
      for point in points {
        radius = max(radius, earth.distance(from: edges[0].0, to: point) + pieces[pieces.count - 1])
      }
    }
  }

  func holds(_ location: SIMD2<Double>) -> Bool {
    let handle = context.handle
    return [-720.0, -360, 0, 360, 720].contains { turn in
      guard let point = GEOSGeom_createPointFromXY_r(handle, location.x + turn, location.y) else {
        return false
      }
      defer { GEOSGeom_destroy_r(handle, point) }
      return GEOSIntersects_r(handle, shape.pointer, point) == 1
    }
  }

  /// - Returns: infinity if the distance is certainly more than `maximumDistance`.
  func distance(_ point: SIMD2<Double>, maximumDistance: Double = .infinity) -> Double {
    guard earth.distance(from: point, to: edges[0].0) - radius <= maximumDistance else {
      return .infinity
    }
    return geometry.dimension == 2 && holds(point)
      ? 0 : toEdges(point, maximumDistance: maximumDistance)
  }

  /// The distance to the border of an area.
  func toEdges(_ point: SIMD2<Double>, maximumDistance: Double = .infinity) -> Double {
    var minimum = Double.infinity
    for (edge, (a, b)) in edges.enumerated() {
      func along(_ part: Double) -> Double {
        earth.distance(from: point, to: a + (b - a) * part)
      }
      func mayMatter(_ first: Double, _ second: Double, length: Double) -> Bool {
        (first + second - length) / 2 <= min(minimum, maximumDistance)
      }
      let (first, last) = (along(0), along(1))
      guard mayMatter(first, last, length: pieces[edge] * Double(steps)) else { continue }
      minimum = min(minimum, first, last)
      guard a != b else { continue }
      let samples = (0...steps).map { along(Double($0) / Double(steps)) }
      // Ternary search in each piece that may contain a nearer point.
      for step in 0..<steps
      where mayMatter(samples[step], samples[step + 1], length: pieces[edge]) {
        var (low, high) = (Double(step) / Double(steps), Double(step + 1) / Double(steps))
        for _ in 0..<50 {
          let third = (high - low) / 3
          if along(low + third) < along(high - third) { high -= third } else { low += third }
        }
        minimum = min(minimum, samples[step], samples[step + 1], along((low + high) / 2))
      }
    }
    return minimum
  }

  /// The greatest distance of a point of a disc: the maximum of samples, refined by hill climbing.
  func greatest(inDiscRound point: SIMD2<Double>, radius: Double) -> Double {
    func value(_ r: Double, _ azimuth: Double) -> Double {
      distance(earth.direct(from: point, azimuth: azimuth, distance: min(max(r, 0), radius)))
    }
    var samples: [(value: Double, r: Double, azimuth: Double)] = []
    for ring in 1...6 {
      for step in 0..<36 {
        let (r, azimuth) = (radius * Double(ring) / 6, Double(step) * 10 + Double(ring))
        samples.append((value(r, azimuth), r, azimuth))
      }
    }
    samples.sort { $0.value > $1.value }
    var best = samples[0].value
    for start in samples.prefix(5) {
      var (position, r, azimuth) = start
      var (step, turn) = (radius / 12, 5.0)
      while step > 1e-6 {
        let tries = [(step, 0), (-step, 0), (0, turn), (0, -turn)].map { move in
          (
            value: value(r + move.0, azimuth + move.1), r: min(max(r + move.0, 0), radius),
            azimuth: azimuth + move.1
          )
        }
        if let next = tries.max(by: { $0.value < $1.value }), next.value > position {
          (position, r, azimuth) = next
        } else {
          (step, turn) = (step / 2, turn / 2)
        }
      }
      best = max(best, position)
    }
    return best
  }
}
