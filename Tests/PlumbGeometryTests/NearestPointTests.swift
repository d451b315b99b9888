import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct NearestPointTests {
  static let geodesic = Geodesic(.wgs84)

  static func point(_ x: Double, _ y: Double) -> Geometry {
    .point(Point(x: x, y: y, spatialReference: .wgs84))
  }

  static func distance(
    _ a: Geometry, _ b: Geometry, _ curve: GeodesicCurve = .geodesic
  ) throws -> Double {
    let there = try GeometryEngine.distance(from: a, to: b, measure: .geodesic(curve))
    let back = try GeometryEngine.distance(from: b, to: a, measure: .geodesic(curve))
    #expect((there - back).magnitude < 1e-7)
    return there
  }

  /// The minimum over dense samples of each edge, refined around the best sample: an upper bound,
  /// exact to a micrometre.
  static func bruteForce(_ point: SIMD2<Double>, _ edges: [CurveEdge]) -> Double {
    var best = Double.infinity
    for edge in edges {
      var (low, high) = (0.0, 1.0)
      for _ in 0..<9 {
        let values = (0...60).map {
          geodesic.distance(
            from: point, to: edge.point(at: low + (high - low) * Double($0) / 60))
        }
        let index = values.indices.min { values[$0] < values[$1] } ?? 0
        best = min(best, values[index])
        let step = (high - low) / 60
        (low, high) = (
          max(0, low + step * Double(index - 2)), min(1, low + step * Double(index + 2))
        )
      }
    }
    return best
  }

  @Test(arguments: CurveEdgeTests.curves)
  func pointsToLinesAgreeWithDenseSamples(_ curve: GeodesicCurve) throws {
    var generator = SeededGenerator(seed: 21)
    for round in 0..<40 {
      // The sizes of the lines range from a few kilometres to the width of continents.
      let size = pow(10, Double.random(in: -1.5...1.6, using: &generator))
      let center = SIMD2(
        Double.random(in: -180...180, using: &generator),
        Double.random(in: -80...80, using: &generator))
      func location() -> SIMD2<Double> {
        let x = center.x + .random(in: -size...size, using: &generator)
        let y = center.y + .random(in: -size...size, using: &generator)
        return SIMD2(x, min(max(y, -89), 89))
      }
      let vertices = (0..<5).map { _ in location() }
      let other = location()
      let edges = zip(vertices, vertices.dropFirst()).map {
        CurveEdge(from: $0, to: $1, curve: curve, geodesic: Self.geodesic)
      }
      let line = Polyline(VertexList(vertices), spatialReference: .wgs84)
      let found = try Self.distance(.polyline(line), Self.point(other.x, other.y), curve)
      let exact = Self.bruteForce(other, edges)
      #expect((found - exact).magnitude < 1e-6, "\(round) \(curve) \(found) \(exact)")
      let nearest = try GeometryEngine.nearestCoordinate(
        in: .polyline(line), to: Point(x: other.x, y: other.y, spatialReference: .wgs84),
        measure: .geodesic(curve))
      #expect((nearest.distance - found).magnitude < 1e-9)
      #expect(
        (Self.geodesic.distance(from: other, to: SIMD2(nearest.point.x, nearest.point.y)) - found)
          .magnitude < 1e-6)
      // The position along the line is that of the same point.
      let part = try GeometryEngine.fraction(
        along: line, nearestTo: nearest.point, measure: .geodesic(curve))
      let length = try GeometryEngine.length(of: .polyline(line), measure: .geodesic(curve))
      let along = try GeometryEngine.point(
        along: line, distance: part * length, measure: .geodesic(curve))
      #expect(
        Self.geodesic.distance(
          from: SIMD2(along.x, along.y), to: SIMD2(nearest.point.x, nearest.point.y)) < 1e-3)
    }
  }

  /// Compares lines with dense samples of one of them.
  @Test(arguments: CurveEdgeTests.curves)
  func linesToLinesAgreeWithDenseSamples(_ curve: GeodesicCurve) throws {
    var generator = SeededGenerator(seed: 22)
    var crossings = 0
    for round in 0..<20 {
      let size = pow(10, Double.random(in: -1.5...1.4, using: &generator))
      func location() -> SIMD2<Double> {
        SIMD2(
          170 + .random(in: -size...size, using: &generator),
          50 + .random(in: -size...size, using: &generator))
      }
      let ends = (0..<4).map { _ in location() }
      let (a, b) = (
        CurveEdge(from: ends[0], to: ends[1], curve: curve, geodesic: Self.geodesic),
        CurveEdge(from: ends[2], to: ends[3], curve: curve, geodesic: Self.geodesic)
      )
      let found = try Self.distance(
        MeasureTests.line([ends[0], ends[1]]), MeasureTests.line([ends[2], ends[3]]), curve)
      let samples = 40
      var best = Double.infinity
      for step in 0...samples {
        best = min(
          best, Self.bruteForce(a.point(at: Double(step) / Double(samples)), [b]))
      }
      // Samples are at most half a step from the best point.
      #expect(found <= best + 1e-6, "\(round) \(curve)")
      #expect(best - found <= a.length / Double(samples), "\(round) \(curve) \(found) \(best)")
      if found == 0 { crossings += 1 }
    }
    #expect(crossings > 2)
  }

  @Test func meetingPointsAreAtDistanceZero() throws {
    // Shallow crossings and touching ends, from metres to continents.
    for size in [1e-5, 1e-3, 0.1, 10, 40] {
      let long = MeasureTests.line([SIMD2(-size, 0), SIMD2(size, size / 50)])
      let other = MeasureTests.line([SIMD2(-size, size / 60), SIMD2(size, 0)])
      #expect(try Self.distance(long, other) == 0)
      let touching = MeasureTests.line([SIMD2(size, size / 50), SIMD2(size, 3 * size / 2)])
      #expect(try Self.distance(long, touching) == 0)
    }
    // The distances across the antimeridian and across the pole.
    let across = MeasureTests.line([SIMD2(179, 10), SIMD2(-179, 11)])
    #expect(try Self.distance(across, MeasureTests.line([SIMD2(180, 0), SIMD2(180, 20)])) == 0)
    #expect(try Self.distance(across, MeasureTests.line([SIMD2(-180, 0), SIMD2(-180, 20)])) == 0)
    let polar = MeasureTests.line([SIMD2(10, 80), SIMD2(-170, 80)])
    #expect(try Self.distance(polar, Self.point(33, 90)) < 1e-7)
    #expect(try Self.distance(polar, MeasureTests.line([SIMD2(100, 80), SIMD2(-80, 80)])) < 1e-7)
  }

  @Test func areasHoldWhatIsInside() throws {
    let ring = [SIMD2(170.0, -10), SIMD2(170, 10), SIMD2(-170, 10), SIMD2(-170, -10)]
    let area = MeasureTests.polygon(ring)
    for x in [171.0, 179.9, 180, -180, -179, 539] {
      #expect(try Self.distance(area, Self.point(x, 0)) == 0, "\(x)")
    }
    #expect(try Self.distance(area, Self.point(0, 0)) > 1e7)
    #expect(try Self.distance(area, MeasureTests.line([SIMD2(179, 0), SIMD2(-179, 1)])) == 0)
    // Next to a degree of the equator.
    let beside = try Self.distance(area, Self.point(169, 0))
    #expect((beside - 6_378_137 * .pi / 180).magnitude < 1e-6)
    // A cap around the south pole contains the pole, and a hole excludes it.
    let cap = (0..<6).map { SIMD2(Double($0) * 60 - 180, -70.0) }
    #expect(try Self.distance(MeasureTests.polygon(cap), Self.point(12, -90)) == 0)
    #expect(try Self.distance(MeasureTests.polygon(cap), Self.point(12, -85)) == 0)
    #expect(try Self.distance(MeasureTests.polygon(cap), Self.point(12, 85)) > 1e7)
    let square = [SIMD2(0.0, 0), SIMD2(0, 4), SIMD2(4, 4), SIMD2(4, 0), SIMD2(0, 0)]
    let hole = [SIMD2(1.0, 1), SIMD2(3, 1), SIMD2(3, 3), SIMD2(1, 3), SIMD2(1, 1)]
    let frame = Geometry.polygon(
      Polygon(
        VertexList(square + hole), ringEnds: [5, 10], partEnds: [2], spatialReference: .wgs84))
    #expect(try Self.distance(frame, Self.point(0.5, 0.5)) == 0)
    let middle = try Self.distance(frame, Self.point(2, 2))
    #expect((100_000...111_400).contains(middle))
    #expect(try Self.distance(MeasureTests.polygon(square), MeasureTests.polygon(hole)) == 0)
  }

  /// Vertices at a pole, edges across a pole, and every kind of curve.
  @Test(arguments: CurveEdgeTests.curves) func areasAtThePolesHoldWhatIsInside(
    _ curve: GeodesicCurve
  ) throws {
    for south in [false, true] {
      func location(_ x: Double, _ y: Double) -> SIMD2<Double> { SIMD2(x, south ? -y : y) }
      let octant = MeasureTests.polygon([
        location(0, 0), location(0, 90), location(90, 90), location(90, 0), location(45, 0),
      ])
      for (x, isInside) in [(45.0, true), (89, true), (1, true), (91, false), (-45, false)] {
        for y in [1.0, 45, 89] {
          let found = try Self.distance(octant, Self.point(x, location(0, y).y), curve)
          #expect((found == 0) == isInside, "\(curve) \(x) \(y) \(found)")
        }
      }
      let cap = MeasureTests.polygon([location(-170, 70), location(-50, 70), location(70, 70)])
      for x in stride(from: -180.0, through: 180, by: 15) {
        #expect(try Self.distance(cap, Self.point(x, location(0, 87).y), curve) == 0)
        #expect(try Self.distance(cap, Self.point(x, location(0, 60).y), curve) > 1e5)
      }
      guard curve != .loxodrome else { continue }
      let over = MeasureTests.polygon([location(0, 80), location(180, 80), location(90, 60)])
      #expect(try Self.distance(over, Self.point(90, location(0, 75).y), curve) == 0)
      #expect(try Self.distance(over, Self.point(90, location(0, 89).y), curve) == 0)
      #expect(try Self.distance(over, Self.point(-90, location(0, 75).y), curve) > 1e6)
      #expect(try Self.distance(over, Self.point(-90, location(0, 89).y), curve) > 1e5)
    }
  }

  @Test func pointsFoundKeepTheLinesLongitudes() throws {
    let across = Polyline(VertexList([SIMD2(179, 10), SIMD2(-179, 10)]), spatialReference: .wgs84)
    let east = Polyline(VertexList([SIMD2(179, 10), SIMD2(181, 10)]), spatialReference: .wgs84)
    let point = Point(x: -179.5, y: 12, spatialReference: .wgs84)
    for (line, x) in [(across, -179.5), (east, 180.5)] {
      let near = try GeometryEngine.nearestCoordinate(
        in: .polyline(line), to: point, measure: .geodesic())
      #expect((near.point.x - x).magnitude < 0.01)
      let length = try GeometryEngine.length(of: .polyline(line), measure: .geodesic())
      let along = try GeometryEngine.point(
        along: line, distance: length * 0.75, measure: .geodesic())
      #expect((along.x - x).magnitude < 0.01)
    }
  }

  @Test func windowsAndProjectedLinesAreStraightInTheirOwnCoordinates() throws {
    let window = Geometry.envelope(
      Envelope(xMin: 0, yMin: 40, xMax: 60, yMax: 60, spatialReference: .wgs84))
    // North of the parallel; a geodesic would be far north of it.
    let found = try Self.distance(window, Self.point(30, 61))
    let exact = Self.geodesic.distance(from: SIMD2(30, 60), to: SIMD2(30, 61))
    #expect((found - exact).magnitude < 0.01)
    #expect(try Self.distance(window, Self.point(30, 59.999)) == 0)
    #expect(try Self.distance(window, Self.point(390, 59.999)) == 0)
    // Windows as large as the Earth contain every point.
    let world = Envelope(xMin: -180, yMin: -85, xMax: 180, yMax: 85, spatialReference: .wgs84)
    let mercator = try SpatialReference("EPSG:3857")
    let projected = try GeometryEngine.project(.envelope(world), to: mercator)
    for point in [Self.point(0, 0), Self.point(100, -60), Self.point(-170, 80)] {
      #expect(
        try GeometryEngine.distance(from: .envelope(world), to: point, measure: .geodesic()) == 0)
      #expect(try GeometryEngine.distance(from: projected, to: point, measure: .geodesic()) == 0)
    }
    let pole = try Self.distance(.envelope(world), Self.point(0, 90))
    let meridian = Self.geodesic.distance(from: SIMD2(0, 85), to: SIMD2(0, 90))
    #expect((pole - meridian).magnitude < 0.01)
  }

  @Test func planarNearestPointsFollowTheEdges() throws {
    let line = Geometry.polyline(
      Polyline(
        VertexList(
          [SIMD2(0, 0), SIMD2(10, 0), SIMD2(20, 5), SIMD2(20, 15)], z: [0, 10, 20, 30]),
        partEnds: [2, 4]))
    let near = try GeometryEngine.nearestCoordinate(in: line, to: Point(x: 3, y: 4))
    #expect(near.point == Point(x: 3, y: 0, z: 3))
    #expect(near.distance == 4 && near.vertexIndex == 0 && near.partIndex == 0)
    let end = try GeometryEngine.nearestCoordinate(in: line, to: Point(x: 23, y: 19))
    #expect(end.distance == 5 && end.vertexIndex == 3 && end.partIndex == 1)
    let vertex = try GeometryEngine.nearestVertex(in: line, to: Point(x: 18, y: 9))
    #expect(vertex.vertexIndex == 2 && vertex.partIndex == 1 && vertex.point.z == 20)
    let far = try GeometryEngine.nearestVertex(
      in: MeasureTests.line([SIMD2(170, 80), SIMD2(10, 80)]),
      to: Point(x: -170, y: 80, spatialReference: .wgs84), measure: .geodesic())
    #expect(far.vertexIndex == 0)
    #expect(
      far.distance == Self.geodesic.distance(from: SIMD2(-170, 80), to: SIMD2(170, 80)))
    for measure in [Measure.planar, .geodesic()] {
      #expect(throws: GeometryError.self) {
        try GeometryEngine.nearestCoordinate(
          in: .polygon(.empty(.wgs84)), to: Point(x: 1, y: 1), measure: measure)
      }
      #expect(throws: GeometryError.self) {
        try GeometryEngine.nearestVertex(
          in: Self.point(1, 1), to: Point(x: 1, y: .nan), measure: measure)
      }
    }
    let polyline = Polyline(VertexList([SIMD2(0, 0), SIMD2(3, 4), SIMD2(3, 14)], m: [0, 5, 15]))
    #expect(try GeometryEngine.point(along: polyline, distance: 10).m == 10)
    #expect(try GeometryEngine.point(along: polyline, distance: 10).xy == SIMD2(3, 9))
    #expect(try GeometryEngine.point(along: polyline, distance: 5).xy == SIMD2(3, 4))
    #expect(try GeometryEngine.point(along: polyline, distance: -1).xy == SIMD2(0, 0))
    #expect(try GeometryEngine.point(along: polyline, distance: .infinity).xy == SIMD2(3, 14))
    #expect(throws: GeometryError.self) {
      try GeometryEngine.point(along: polyline, distance: .nan)
    }
    #expect(
      try GeometryEngine.fraction(along: polyline, nearestTo: Point(x: 4, y: 9)) == 10.0 / 15)
  }
}
