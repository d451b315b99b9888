import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct MeasureTests {
  /// The square metres of the surface of WGS84.
  static let globeArea = 510_065_621_724_088.44

  static func polygon(
    _ points: [SIMD2<Double>], _ reference: SpatialReference? = .wgs84
  ) -> Geometry {
    .polygon(Polygon(VertexList(points), spatialReference: reference))
  }

  static func line(
    _ points: [SIMD2<Double>], _ reference: SpatialReference? = .wgs84
  ) -> Geometry {
    .polyline(Polyline(VertexList(points), spatialReference: reference))
  }

  @Test func planarMeasuresAreThoseOfThePlane() throws {
    let square: [SIMD2<Double>] = [SIMD2(0, 0), SIMD2(0, 4), SIMD2(4, 4), SIMD2(4, 0), SIMD2(0, 0)]
    let hole: [SIMD2<Double>] = [SIMD2(1, 1), SIMD2(2, 1), SIMD2(2, 2), SIMD2(1, 2), SIMD2(1, 1)]
    let far = square.map { $0 + SIMD2(10, 0) }
    let shape = Geometry.polygon(
      Polygon(VertexList(square + hole + far), ringEnds: [5, 10, 15], partEnds: [2, 3]))
    #expect(try GeometryEngine.area(of: shape) == 31)
    #expect(try GeometryEngine.length(of: shape) == 36)
    #expect(try GeometryEngine.length(of: Self.line([SIMD2(0, 0), SIMD2(3, 4)], nil)) == 5)
    let window = Geometry.envelope(Envelope(xMin: 1, yMin: 2, xMax: 4, yMax: 6))
    #expect(try GeometryEngine.area(of: window) == 12)
    #expect(try GeometryEngine.length(of: window) == 14)
    #expect(try GeometryEngine.length(of: .point(Point(x: 1, y: 2))) == 0)
    #expect(try GeometryEngine.area(of: Self.line([SIMD2(0, 0), SIMD2(3, 4)])) == 0)
  }

  @Test func emptyGeometriesHaveNoSizeAndBadOnesAnError() throws {
    for measure in [Measure.planar, .geodesic()] {
      #expect(
        try GeometryEngine.length(of: .polyline(Polyline(VertexList())), measure: measure) == 0)
      #expect(try GeometryEngine.area(of: .polygon(.empty()), measure: measure) == 0)
      #expect(throws: GeometryError.self) {
        try GeometryEngine.length(of: Self.line([SIMD2(0, 0), SIMD2(.nan, 4)]), measure: measure)
      }
      #expect(throws: GeometryError.self) {
        try GeometryEngine.area(
          of: Self.polygon([SIMD2(0, 0), SIMD2(.infinity, 4), SIMD2(1, 0)]), measure: measure)
      }
      #expect(throws: GeometryError.self) {
        try GeometryEngine.distance(from: .point(.empty()), to: .point(Point(x: 1, y: 2)))
      }
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.length(
        of: Self.line([SIMD2(0, 0), SIMD2(1, 1)], nil), measure: .geodesic())
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.length(of: Self.line([SIMD2(0, 0), SIMD2(1, 91)]), measure: .geodesic())
    }
  }

  /// The octant of the ellipsoid, a cap around each pole, a window over the antimeridian.
  @Test func areasWithPolesAndTheAntimeridianAreRight() throws {
    func area(_ points: [SIMD2<Double>], _ curve: GeodesicCurve = .geodesic) throws -> Double {
      try GeometryEngine.area(of: Self.polygon(points), measure: .geodesic(curve))
    }
    for curve in [GeodesicCurve.geodesic, .loxodrome, .greatElliptic, .normalSection] {
      let octant = try area([SIMD2(0, 0), SIMD2(0, 90), SIMD2(90, 90), SIMD2(90, 0)], curve)
      #expect((octant - Self.globeArea / 8).magnitude < 1, "\(curve)")
      let octantArea = try area(
        [SIMD2(10, 40), SIMD2(10, 50), SIMD2(14, 50), SIMD2(14, 40)], curve)
      let there = try area(
        [SIMD2(178, 40), SIMD2(178, 50), SIMD2(-178, 50), SIMD2(-178, 40)], curve)
      #expect((octantArea - there).magnitude < 0.5, "\(curve)")
    }
    // A cap of loxodromes is bounded by the parallel itself.
    let corners = [0.0, 120, -120].map { SIMD2($0, 60) }
    let cap = try area(corners, .loxodrome)
    let exact = AuthalicArea(.wgs84).band(from: 60, to: 90) * 2 * .pi
    #expect((cap - exact).magnitude < 100, "\(cap - exact)")
    let south = try area(corners.map { SIMD2($0.x, -60) }, .loxodrome)
    #expect((cap - south).magnitude < 10)
    // The whole surface by its two axes (closed form of an oblate ellipsoid).
    #expect((AuthalicArea(.wgs84).total - Self.globeArea).magnitude < 1)
  }

  /// Rings with edges up to and beyond half a degree high have the area of the same rings with divided edges.
  @Test func shortEdgesAreExact() {
    var random = SeededGenerator(seed: 3802)
    let authalic = AuthalicArea(.wgs84)
    for height in [1e-6, 1e-3, 0.49, 0.5, 0.51, 5] {
      for _ in 0..<50 {
        let base = SIMD2(
          Double.random(in: -170...170, using: &random), Double.random(in: -84...79, using: &random)
        )
        // A counter-clockwise triangle; the middle corner is as high as the limit.
        let corners = [
          base, base + SIMD2(height * Double.random(in: 0.2...2, using: &random), height),
          base + SIMD2(-height * Double.random(in: 0.1...1, using: &random), height / 3), base,
        ]
        let divided = zip(corners, corners.dropFirst()).flatMap { a, b in
          (0..<16).map { a + (b - a) * (Double($0) / 16) }
        }
        let (area, exact) = (
          authalic.area(ofRing: corners), authalic.area(ofRing: divided + [base])
        )
        // The coordinates have an error of 3e-14 degrees.
        #expect(
          (area - exact).magnitude <= 1e-13 * exact + 1e-13 / height * exact, "\(height) \(base)")
      }
    }
  }

  /// Windows bounded by parallels and meridians, up to the whole Earth.
  @Test func windowsKeepToParallels() throws {
    let world = Geometry.envelope(
      Envelope(xMin: -180, yMin: -90, xMax: 180, yMax: 90, spatialReference: .wgs84))
    let measured = try GeometryEngine.area(of: world, measure: .geodesic())
    #expect((measured - Self.globeArea).magnitude < 1)
    let half = Geometry.envelope(
      Envelope(xMin: -180, yMin: -90, xMax: 90, yMax: 90, spatialReference: .wgs84))
    let part = try GeometryEngine.area(of: half, measure: .geodesic())
    #expect((part - Self.globeArea * 0.75).magnitude < 1)
    // The same windows in a projection.
    let mercator = try SpatialReference("EPSG:3395")
    let transformation = try Transformation(from: .wgs84, to: mercator)
    for bounds in [(-20.0, 10.0, 30.0, 60.0), (-179.9, -80, 179.9, 80)] {
      let window = Envelope(
        xMin: bounds.0, yMin: bounds.1, xMax: bounds.2, yMax: bounds.3, spatialReference: .wgs84)
      let exact = try GeometryEngine.area(of: .envelope(window), measure: .geodesic())
      let projected = try transformation.project(.envelope(window), to: mercator)
      let area = try GeometryEngine.area(of: projected, measure: .geodesic())
      #expect((area - exact).magnitude < 1e-9 * exact, "\(area) \(exact)")
      let length = try GeometryEngine.length(of: .envelope(window), measure: .geodesic())
      let projectedLength = try GeometryEngine.length(of: projected, measure: .geodesic())
      #expect((length - projectedLength).magnitude < 1e-3)
    }
  }

  /// Lines along a parallel: the closed form for loxodromes and for edges that are straight in
  /// degrees.
  @Test func lengthFollowsTheCurve() throws {
    let line = Self.line([SIMD2(0, 60), SIMD2(90, 60)])
    let e2 = (2 - 1 / 298.257_223_563) / 298.257_223_563
    let sine = sin(Double.pi / 3)
    let parallel = Double.pi / 2 * 6_378_137 * 0.5 / (1 - e2 * sine * sine).squareRoot()
    let lengths = try GeodesicCurve.allCases.map {
      try GeometryEngine.length(of: line, measure: .geodesic($0))
    }
    #expect((lengths[1] - parallel).magnitude < 1e-6)
    #expect((lengths[4] - parallel).magnitude < 1e-4)
    #expect(lengths[0] < lengths[2] && lengths[0] < lengths[3] && lengths[2] < lengths[1])
    // Projected lines are measured on their own datum, regardless of the projection's distortion.
    let mercator = try SpatialReference("EPSG:3857")
    let projected = try Transformation(from: .wgs84, to: mercator).project(line, to: mercator)
    let there = try GeometryEngine.length(of: projected, measure: .geodesic())
    #expect((there - lengths[0]).magnitude < 1e-6)
  }

  @Test func centresAreWhereTheyMustBe() throws {
    let shape = Self.polygon([SIMD2(0, 0), SIMD2(0, 6), SIMD2(3, 0)], nil)
    let centroid = try GeometryEngine.centroid(of: shape)
    #expect((centroid.x - 1).magnitude < 1e-12 && (centroid.y - 2).magnitude < 1e-12)
    // A U has its centroid outside and its label point inside.
    let letter = Self.polygon(
      [
        SIMD2(0, 0), SIMD2(0, 10), SIMD2(1, 10), SIMD2(1, 1), SIMD2(9, 1), SIMD2(9, 10),
        SIMD2(10, 10), SIMD2(10, 0),
      ], nil)
    let label = try GeometryEngine.labelPoint(of: letter)
    #expect(try GeometryEngine.distance(from: letter, to: .point(label)) == 0)
    #expect(
      try GeometryEngine.distance(from: letter, to: .point(GeometryEngine.centroid(of: letter))) > 0
    )
    #expect(try GeometryEngine.centroid(of: .polygon(.empty())).isEmpty)
    #expect(try GeometryEngine.labelPoint(of: .polygon(.empty())).isEmpty)
    #expect(throws: GeometryError.self) {
      try GeometryEngine.centroid(of: .point(Point(x: .infinity, y: 0)))
    }
  }

  @Test func densifiedEdgesAreShortAndKeepZAndM() throws {
    let line = Geometry.polyline(
      Polyline(
        VertexList(
          [SIMD2(179, 10), SIMD2(-179, 12), SIMD2(-170, 12)], z: [0, 10, 20], m: [1, 2, 3]),
        spatialReference: .wgs84))
    for curve in GeodesicCurve.allCases where curve != .shapePreserving {
      let dense = try GeometryEngine.densify(
        line, maxSegmentLength: 10_000, measure: .geodesic(curve))
      let vertices = dense.vertices
      let before = try GeometryEngine.length(of: line, measure: .geodesic(curve))
      let after = try GeometryEngine.length(of: dense, measure: .geodesic(curve))
      #expect((before - after).magnitude < 1e-6)
      for (a, b) in zip(vertices.xy, vertices.xy.dropFirst()) {
        #expect(Geodesic(.wgs84).distance(from: a, to: b) <= 10_000.000_001)
        #expect(a.x.magnitude <= 180)
      }
      let middle = try #require(vertices.xy.firstIndex(of: SIMD2(-179, 12)))
      #expect(vertices.z?[middle] == 10 && vertices.m?.last == 3)
      #expect(vertices.z.map { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } } == true)
    }
    let utm = try SpatialReference("EPSG:32633")
    let projectedLine = Self.line([SIMD2(300_000, 5_000_000), SIMD2(800_000, 5_600_000)], utm)
    let dense = try GeometryEngine.densify(
      projectedLine, maxSegmentLength: 1000, measure: .geodesic(.shapePreserving))
    let straight = SIMD2(5.0, 6.0) / 61.0.squareRoot()
    for (a, b) in zip(dense.vertices.xy, dense.vertices.xy.dropFirst()) {
      let edge = Self.line([a, b], utm)
      #expect(try GeometryEngine.length(of: edge, measure: .geodesic()) <= 1000.000_01)
      let way = a - SIMD2(300_000, 5_000_000)
      #expect((way.x * straight.y - way.y * straight.x).magnitude < 1e-6)
    }
    let plane = try GeometryEngine.densify(
      Self.polygon([SIMD2(0, 0), SIMD2(0, 1), SIMD2(1, 1)], nil), maxSegmentLength: 0.3)
    #expect(plane.vertices.count == 4 + 4 + 5 + 1)
    #expect(try GeometryEngine.area(of: plane) == 0.5)
    for wrong in [0, -1, .nan] {
      #expect(throws: GeometryError.self) {
        try GeometryEngine.densify(line, maxSegmentLength: wrong)
      }
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.densify(line, maxSegmentLength: 1e-9)
    }
  }

  /// No removed vertex is farther from the new line than the deviation, by brute force.
  @Test func generalizedLinesStayNear() throws {
    var generator = SeededGenerator(seed: 5)
    var points: [SIMD2<Double>] = [.zero]
    for _ in 0..<2000 {
      points.append(
        points[points.count - 1]
          + SIMD2(.random(in: -1...2, using: &generator), .random(in: -1...1, using: &generator)))
    }
    let line = Self.line(points, nil)
    for deviation in [0, 0.5, 5, 1000] {
      let less = try GeometryEngine.generalize(line, maxDeviation: deviation)
      #expect(less.vertices.xy.first == points.first && less.vertices.xy.last == points.last)
      for point in points {
        let near = try GeometryEngine.distance(
          from: .point(Point(x: point.x, y: point.y)), to: less)
        #expect(near <= deviation + 1e-9)
      }
    }
    #expect(try GeometryEngine.generalize(line, maxDeviation: 1e6).vertices.count == 2)
    let ring = Polygon(
      VertexList(
        [SIMD2(0, 0), SIMD2(0, 9), SIMD2(9, 9), SIMD2(9, 0), SIMD2(0, 0)]
          + [SIMD2(20, 0), SIMD2(20, 0.1), SIMD2(20.1, 0.1), SIMD2(20.1, 0), SIMD2(20, 0)]),
      ringEnds: [5, 10], partEnds: [1, 2])
    let some = try GeometryEngine.generalize(
      .polygon(ring), maxDeviation: 1, removesDegenerateParts: true)
    #expect(some.vertices.count == 5)
    #expect(try GeometryEngine.area(of: some) == 81)
    let both = try GeometryEngine.generalize(.polygon(ring), maxDeviation: 1)
    #expect(both.vertices.count > 5)
    #expect(throws: GeometryError.self) {
      try GeometryEngine.generalize(line, maxDeviation: .nan)
    }
  }
}
