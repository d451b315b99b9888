import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Compares geodesic buffers with GeographicLib's distances: the rules of geodesic buffers.
@Suite struct GeodesicBufferTests {
  private let oracle = DistanceOracle()

  private func buffer(
    _ geometry: Geometry, _ distance: Double, _ options: GeodesicBufferOptions = .init()
  ) throws -> Polygon {
    try GeometryEngine.buffer(
      around: [geometry], distances: [distance], method: .geodesic(options),
      workers: Workers(count: 1))[0]
  }

  /// The largest difference between the actual and expected distance at points along the
  /// boundary, including the middles of edges.
  private func worst(
    _ area: DegreeArea, _ expected: Double, count: Int, _ generator: inout SeededGenerator,
    _ distance: (SIMD2<Double>) -> Double
  ) -> Double {
    let edges = area.boundaryEdges
    var worst = 0.0
    for index in 0..<count where !edges.isEmpty {
      let edge = edges[Int.random(in: 0..<edges.count, using: &generator)]
      let share = index % 2 == 0 ? 0.5 : generator.number(0...1)
      let point = edge.start + (edge.end - edge.start) * share
      worst = max(worst, (distance(point) - expected).magnitude)
    }
    return worst
  }

  @Test(arguments: 0..<120) func discsOfTheWholeGlobe(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) + 1)
    let center = generator.globalPosition()
    let radius = power(generator.number(0...6.7))
    let point = Point(x: center.x, y: center.y, spatialReference: .wgs84)
    let area = DegreeArea(polygon: try buffer(.point(point), radius))
    let allowed = min(0.002 * radius, 0.01)
    let measured = { (point: SIMD2<Double>) in oracle.geodesic.distance(from: center, to: point) }
    let worst = worst(area, radius, count: 300, &generator, measured)
    #expect(worst <= allowed, "\(center) \(radius)")
    for _ in 0..<50 {
      let away = radius * generator.number(0...2)
      let point = oracle.geodesic.direct(
        from: center, azimuth: generator.number(-180...180), distance: away)
      let distance = measured(point)
      guard (distance - radius).magnitude > allowed else { continue }
      #expect(area.contains(point) == (distance < radius), "\(center) \(radius) \(point)")
    }
  }

  @Test(arguments: 0..<80) func linesOfTheWholeGlobe(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) + 1001)
    let distance = power(generator.number(0...6.7))
    let points = walk(&generator, distance)
    let line = Polyline(VertexList(points), spatialReference: .wgs84)
    let area = DegreeArea(polygon: try buffer(.polyline(line), distance))
    let allowed = min(0.002 * distance, 0.01)
    let edges = oracle.edges(of: points)
    let measured = { (point: SIMD2<Double>) in oracle.distance(from: point, to: edges) }
    let worst = worst(area, distance, count: 200, &generator, measured)
    #expect(worst <= allowed, "\(points) \(distance)")
    for _ in 0..<50 {
      let foot = points[Int.random(in: 0..<points.count, using: &generator)]
      let point = oracle.geodesic.direct(
        from: foot, azimuth: generator.number(-180...180),
        distance: distance * generator.number(0...3))
      let true_ = measured(point)
      guard (true_ - distance).magnitude > allowed else { continue }
      #expect(area.contains(point) == (true_ < distance), "\(points) \(distance) \(point) \(true_)")
    }
  }

  private func walk(_ generator: inout SeededGenerator, _ scale: Double) -> [SIMD2<Double>] {
    var points = [generator.globalPosition()]
    var azimuth = generator.number(-180...180)
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      azimuth += generator.number(-180...180)
      points.append(
        oracle.geodesic.direct(
          from: points[points.count - 1], azimuth: azimuth,
          distance: min(scale * generator.number(0.01...5), 5e6)))
    }
    return points
  }

  @Test(arguments: 0..<100) func areasOfTheWholeGlobe(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) + 5001)
    let star = Star(&generator, geodesic: oracle.geodesic, size: power(generator.number(1...6.3)))
    let isShrunk = seed % 3 == 0
    let distance =
      isShrunk
      ? -star.size * generator.number(0.01...0.3)
      : min(star.size * power(generator.number(-2...0.3)), 4.5e6)
    let area = DegreeArea(
      polygon: try buffer(.polygon(star.polygon), distance))
    let allowed = min(0.002 * distance.magnitude, 0.01)
    let edges = star.rings.map { oracle.edges(of: $0) }
    let measured = { (point: SIMD2<Double>) in
      let away = oracle.distance(from: point, to: edges.flatMap { $0 })
      return star.contains(point, edges) ? -away : away
    }
    let worst = worst(area, distance, count: 200, &generator, measured)
    #expect(worst <= allowed, "\(seed) \(star.center) \(star.size) \(distance)")
    for _ in 0..<60 {
      let point = oracle.geodesic.direct(
        from: star.center, azimuth: generator.number(-180...180),
        distance: min((star.size + distance.magnitude * 2) * generator.number(0...1.2), 1.5e7))
      let signed = measured(point)
      guard (signed - distance).magnitude > allowed else { continue }
      #expect(
        area.contains(point) == (signed < distance),
        "\(seed) \(star.center) \(star.size) \(distance) \(point) \(signed)")
    }
  }

  private func power(_ exponent: Double) -> Double { TestMath.power(10, exponent) }
}

/// A star-shaped polygon around a centre, with a hole of the same kind.
private struct Star {
  let center: SIMD2<Double>
  let size: Double
  let geodesic: Geodesic
  var rings: [[SIMD2<Double>]] = []
  private var azimuths: [[Double]] = []

  init(_ generator: inout SeededGenerator, geodesic: Geodesic, size: Double) {
    center = generator.globalPosition()
    self.size = size
    self.geodesic = geodesic
    let hasHole = Bool.random(using: &generator)
    for scale in hasHole ? [1, 0.3] : [1] {
      let count = Int.random(in: 4...9, using: &generator)
      var ring: [SIMD2<Double>] = []
      var directions: [Double] = []
      for index in 0..<count {
        let azimuth =
          (Double(index) + generator.number(0...0.8)) * 360 / Double(count) - 180
        directions.append(azimuth)
        ring.append(
          geodesic.direct(
            from: center, azimuth: azimuth, distance: size * scale * generator.number(0.4...1)))
      }
      rings.append(ring + [ring[0]])
      azimuths.append(directions)
    }
  }

  var polygon: Polygon {
    var ends: [Int] = []
    for ring in rings { ends.append((ends.last ?? 0) + ring.count) }
    return Polygon(
      VertexList(rings.flatMap { $0 }), ringEnds: ends, spatialReference: .wgs84)
  }

  /// A point beyond the edge of the exterior ring in its sector, or within that of the hole, is
  /// outside.
  func contains(_ point: SIMD2<Double>, _ edges: [[DistanceOracle.Edge]]) -> Bool {
    let azimuth = geodesic.inverse(from: center, to: point).startAzimuth
    for index in rings.indices {
      let isWithin = isNearer(point, azimuth, azimuths[index], edges[index])
      if isWithin != (index == 0) { return false }
    }
    return true
  }

  private func isNearer(
    _ point: SIMD2<Double>, _ azimuth: Double, _ azimuths: [Double],
    _ edges: [DistanceOracle.Edge]
  ) -> Bool {
    let index = (azimuths.lastIndex { $0 <= azimuth } ?? azimuths.count - 1) % edges.count
    let edge = edges[index]
    // The centre is to the right of a ring with increasing azimuths.
    let way = geodesic.inverse(from: edge.start, to: point)
    return TestMath.sine((way.startAzimuth - edge.azimuth) * .pi / 180) > 0
  }
}
