import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct CurveEdgeTests {
  static let geodesic = Geodesic(.wgs84)
  static let curves: [GeodesicCurve] = [.geodesic, .loxodrome, .greatElliptic, .normalSection]

  static func edge(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ curve: GeodesicCurve
  ) -> CurveEdge {
    CurveEdge(from: a, to: b, curve: curve, geodesic: geodesic)
  }

  /// Special ends, and seeded ones.
  static let ends: [(SIMD2<Double>, SIMD2<Double>)] = {
    var result: [(SIMD2<Double>, SIMD2<Double>)] = [
      (SIMD2(0, 0), SIMD2(0, 0)), (SIMD2(10, 20), SIMD2(190, -20)), (SIMD2(0, 0), SIMD2(180, 0)),
      (SIMD2(0, 90), SIMD2(50, -90)), (SIMD2(0, 90), SIMD2(120, 90)), (SIMD2(5, 90), SIMD2(50, 3)),
      (SIMD2(50, -3), SIMD2(7, -90)), (SIMD2(179, 10), SIMD2(-179, 11)),
      (SIMD2(-170, 60), SIMD2(170, 60)), (SIMD2(20, 40), SIMD2(20, -70)),
      (SIMD2(-30, 0), SIMD2(70, 0)), (SIMD2(10, 30), SIMD2(190, 40)),
      (SIMD2(10, 45), SIMD2(10 + 1e-10, 45 + 1e-10)), (SIMD2(0, 45), SIMD2(100, 45 + 1e-9)),
      (SIMD2(0, 89.999_999), SIMD2(170, 89.999_9)), (SIMD2(500, 10), SIMD2(-300, 12)),
      (SIMD2(0, 0.1), SIMD2(179.9, -0.1)), (SIMD2(-90, 30), SIMD2(90, 30)),
    ]
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      func location() -> SIMD2<Double> {
        SIMD2(
          .random(in: -180...180, using: &generator), .random(in: -89...89, using: &generator))
      }
      result.append((location(), location()))
    }
    return result
  }()

  static func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    geodesic.distance(from: a, to: b)
  }

  @Test(arguments: curves) func endsAreExactAndPointsFinite(_ curve: GeodesicCurve) {
    for (a, b) in Self.ends {
      let edge = Self.edge(a, b, curve)
      #expect(edge.point(at: 0) == a)
      let last = edge.point(at: 1)
      #expect(last.y == b.y)
      if (a.x - b.x).magnitude < 180 { #expect(last.x == b.x) }
      #expect((last.x - b.x).remainder(dividingBy: 360) == 0)
      #expect(edge.length.isFinite && edge.length >= 0)
      var before = a
      for step in 1...64 {
        let point = edge.point(at: Double(step) / 64)
        #expect(point.x.isFinite && point.y.magnitude <= 90, "\(a) \(b) \(step): \(point)")
        // Continuous: no step along the curve is much longer than another.
        #expect(
          Self.distance(before, point) <= edge.length / 64 * 1.1 + 1e-6, "\(a) \(b) \(step)")
        if before.y.magnitude < 90, point.y.magnitude < 90 {
          #expect((point.x - before.x).magnitude <= 180.000_001, "\(a) \(b) \(step)")
        }
        before = point
      }
    }
  }

  /// The sum of many short geodesics approximates the length, and distances and fractions are each
  /// other's inverse.
  @Test(arguments: curves) func lengthIsThatOfManyShortGeodesics(_ curve: GeodesicCurve) {
    for (a, b) in Self.ends {
      let edge = Self.edge(a, b, curve)
      var (coarse, fine) = (0.0, 0.0)
      for (count, isFine) in [(500, false), (1000, true)] {
        var before = a
        for step in 1...count {
          let point = edge.point(at: Double(step) / Double(count))
          if isFine {
            fine += Self.distance(before, point)
          } else {
            coarse += Self.distance(before, point)
          }
          before = point
        }
      }
      // The lengths of chords have an error proportional to the square of the length: one step of
      // Richardson's extrapolation removes it.
      let sum = fine + (fine - coarse) / 3
      #expect((sum - edge.length).magnitude < 1e-5 + 3e-9 * edge.length, "\(curve) \(a) \(b)")
      for fraction in [0.1, 0.5, 0.9] where edge.length > 1 {
        let there = edge.fraction(atDistance: edge.distance(atFraction: fraction))
        #expect((there - fraction).magnitude * edge.length < 1e-6)
      }
    }
  }

  /// Meridians are the same for all curves; this also holds on the equator, as long as the geodesic
  /// stays on it.
  @Test(arguments: curves) func curvesCoincideOnMeridiansAndTheEquator(_ curve: GeodesicCurve) {
    let meridian = Self.edge(SIMD2(20, -70), SIMD2(20, 40), curve)
    let equator = Self.edge(SIMD2(-30, 0), SIMD2(70, 0), curve)
    let isPlane = curve == .greatElliptic || curve == .normalSection
    for step in 0...50 {
      let fraction = Double(step) / 50
      // The geodesic's longitude is converted to radians and back.
      let x = meridian.point(at: fraction).x
      #expect(curve == .geodesic ? (x - 20).magnitude < 1e-13 : x == 20)
      #expect(equator.point(at: fraction).y == 0)
      #expect((equator.point(at: fraction).x - (-30 + 100 * fraction)).magnitude < 1e-12)
      if !isPlane {
        let there = Self.geodesic.direct(
          from: SIMD2(20, -70), azimuth: 0, distance: fraction * meridian.length)
        #expect(Self.distance(there, meridian.point(at: fraction)) < 1e-7)
      }
    }
    #expect((meridian.length - Self.distance(meridian.start, meridian.end)).magnitude < 1e-7)
    #expect((equator.length - Self.distance(equator.start, equator.end)).magnitude < 1e-7)
  }

  /// Every point of a great ellipse is in the plane of the ends and the centre, every point of a
  /// normal section in that of the first end's normal and the second end.
  @Test func pointsOfPlaneSectionsLieInTheirPlanes() {
    func cartesian(_ point: SIMD2<Double>) -> SIMD3<Double> {
      let (x, y) = (point.x * .pi / 180, point.y * .pi / 180)
      let (a, f) = (6_378_137.0, 1 / 298.257_223_563)
      let e2 = f * (2 - f)
      let n = a / (1 - e2 * sin(y) * sin(y)).squareRoot()
      return SIMD3(n * cos(y) * cos(x), n * cos(y) * sin(x), n * (1 - e2) * sin(y))
    }
    for (a, b) in Self.ends {
      let (p, q) = (cartesian(a), cartesian(b))
      let up = SIMD3(
        cos(a.y * .pi / 180) * cos(a.x * .pi / 180), cos(a.y * .pi / 180) * sin(a.x * .pi / 180),
        sin(a.y * .pi / 180))
      for (curve, normal) in [
        (GeodesicCurve.greatElliptic, p.cross(q) / 6_378_137), (.normalSection, up.cross(q - p)),
      ] {
        let edge = Self.edge(a, b, curve)
        for step in 0...20 {
          // The volume divided by the base: the height above the plane, multiplied by a length of
          // up to one radius.
          let height = (cartesian(edge.point(at: Double(step) / 20)) - p).dot(normal)
          #expect(height.magnitude <= 0.02 + 1e-8 * normal.length, "\(curve) \(a) \(b)")
        }
      }
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/RhumbSolve"),
      "GeographicLib's RhumbSolve is not installed"))
  func loxodromesAgreeWithGeographicLib() throws {
    // RhumbSolve's pole is a parallel very near to it; a longitude difference of 180° has two
    // solutions.
    let ends = Self.ends.filter {
      $0.y.magnitude < 90 && $1.y.magnitude < 90
        && ($0.x - $1.x).remainder(dividingBy: 360).magnitude < 179.999
    }
    let questions = ends.map { "\($0.y) \($0.x) \($1.y) \($1.x)" }.joined(separator: "\n")
    let inverse = try ProgramRun(
      "/usr/bin/RhumbSolve", ["-i", "-p", "10"], input: questions + "\n")
    let results = inverse.output.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    try #require(results.count == ends.count)
    var steps = ""
    for ((a, b), geodResult) in zip(ends, results) {
      let edge = Self.edge(a, b, .loxodrome)
      #expect((edge.length - geodResult[1]).magnitude < 1e-6, "\(a) \(b)")
      steps += "\(a.y) \(a.x) \(geodResult[0]) \(0.3 * geodResult[1])\n"
    }
    let direct = try ProgramRun("/usr/bin/RhumbSolve", ["-p", "10"], input: steps)
    let points = direct.output.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    try #require(points.count == ends.count)
    for ((a, b), point) in zip(ends, points) {
      let edge = Self.edge(a, b, .loxodrome)
      let there = edge.point(at: 0.3)
      #expect(Self.distance(there, SIMD2(point[1], point[0])) < 1e-6, "\(a) \(b) \(there)")
    }
  }

  @Test func edgesContinueBeyondTheAntimeridian() {
    for curve in Self.curves {
      let edge = Self.edge(SIMD2(179, 10), SIMD2(-179, 11), curve)
      #expect(edge.end == SIMD2(181, 11))
      #expect((179...181).contains(edge.point(at: 0.5).x))
    }
  }

  /// Geodesics between neighbouring points are within the deviation: checked at points between
  /// them.
  @Test(arguments: curves) func verticesKeepToTheCurve(_ curve: GeodesicCurve) {
    for (a, b) in Self.ends.prefix(60) where Self.distance(a, b) > 1 {
      let edge = Self.edge(a, b, curve)
      let points = edge.points(maxDeviation: 100)
      #expect(points.first == a && points.last == edge.end)
      for (near, far) in zip(points, points.dropFirst()) {
        // The fractions are unknown here, so the curve's point nearest to the middle of the chord
        // is searched.
        let way = Self.geodesic.inverse(from: near, to: far)
        let middle = Self.geodesic.direct(
          from: near, azimuth: way.startAzimuth, distance: way.distance / 2)
        var (low, high) = (0.0, 1.0)
        for _ in 0..<60 {
          let third = (high - low) / 3
          if Self.distance(middle, edge.point(at: low + third))
            < Self.distance(middle, edge.point(at: high - third))
          {
            high -= third
          } else {
            low += third
          }
        }
        #expect(Self.distance(middle, edge.point(at: low)) <= 100, "\(curve) \(a) \(b)")
      }
    }
    let even = Self.edge(SIMD2(0, 10), SIMD2(60, 50), curve)
    let points = even.points(maxSegmentLength: 100_000)
    #expect(points.count == Int((even.length / 100_000).rounded(.up)) + 1)
    for (near, far) in zip(points, points.dropFirst()) {
      #expect(Self.distance(near, far) <= 100_000 + 1e-6)
      #expect(Self.distance(near, far) > 90_000)
    }
  }
}
