import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Compares circles on the ground and in other planes with dense samples of each edge.
@Suite struct DistanceCalculatorTests {
  /// The largest error of distances, and the number of hits.
  private struct Outcome {
    var hits = 0
    var misses = 0
    var worst = 0.0
  }

  private func check(
    _ geometries: [Geometry?], _ meter: DistanceCalculator, _ point: SIMD2<Double>,
    searchRadius: Double,
    period: Double?, _ oracle: DistanceSampling, _ outcome: inout Outcome, _ label: String,
    tolerance: Double = 1e-7
  ) throws {
    let locator = GeometryLocator(geometries, period: period)
    let containing = Set(locator.items(at: point))
    let hits = try meter.hits(of: locator, near: point, within: searchRadius)
    #expect(hits.map(\.item) == hits.map(\.item).sorted())
    let tolerance = tolerance + 1e-10 * searchRadius
    for (item, geometry) in geometries.enumerated() {
      guard let geometry else { continue }
      let expected = containing.contains(item) ? 0 : oracle.minimum(geometry)
      let hit = hits.first { $0.item == item }
      if let hit {
        outcome.hits += 1
        let error = (hit.distance - expected).magnitude
        outcome.worst = max(outcome.worst, error / (1 + 1e-3 * searchRadius))
        #expect(error <= tolerance, "\(label) \(hit) is at \(expected)")
        #expect(hit.distance <= searchRadius && (hit.distance == 0) == containing.contains(item))
        if !containing.contains(item) {
          // The nearest point is on the geometry, and its distance is the returned distance.
          #expect((oracle.distance(hit.nearest) - hit.distance).magnitude <= tolerance, "\(label)")
          let gap = try GeometryEngine.nearestCoordinate(
            in: geometry, to: Point(x: hit.nearest.x, y: hit.nearest.y)
          ).distance
          #expect(gap <= 1e-12 * (1 + hit.nearest.planarLength), "\(label)")
        }
      } else {
        outcome.misses += 1
        #expect(
          expected > searchRadius - tolerance, "\(label): item \(item) at \(expected) is missed")
      }
      let measured = meter.distance(of: locator, item: item, from: point)
      if expected.isFinite {
        #expect(
          (measured - expected).magnitude <= tolerance + 1e-10 * expected,
          "\(label): item \(item) \(measured) \(expected)")
      } else {
        #expect(measured.isNaN)
      }
    }
  }

  /// A CRS, its geographic base, a point, and half the side lengths of a box of one kilometre
  /// there.
  struct Case: Sendable, CustomTestStringConvertible {
    var code: String
    var degrees: String
    var x: Double
    var y: Double
    var kilometre: SIMD2<Double>

    var testDescription: String { "\(code) \(x) \(y)" }
  }

  private static let cases = [
    Case(code: "EPSG:4326", degrees: "EPSG:4326", x: 18.4, y: -33.9, kilometre: [0.0108, 0.009]),
    Case(code: "EPSG:4258", degrees: "EPSG:4258", x: 10.1, y: 63.4, kilometre: [0.02, 0.009]),
    Case(
      code: "EPSG:32734", degrees: "EPSG:4326", x: 261_000, y: 6_243_000, kilometre: [1000, 1000]),
    Case(
      code: "EPSG:3857", degrees: "EPSG:4326", x: 1_200_000, y: 8_400_000, kilometre: [2000, 2000]),
    Case(
      code: "EPSG:2193", degrees: "EPSG:4167", x: 1_750_000, y: 5_920_000, kilometre: [1000, 1000]),
    Case(
      code: "EPSG:2277", degrees: "EPSG:4269", x: 3_100_000, y: 10_070_000,
      kilometre: [3281, 3281]),
  ]

  /// Radii from 0.1 m to 300 km.
  @Test(arguments: cases)
  func groundAgreesWithSamples(_ one: Case) throws {
    let reference = try SpatialReference(one.code)
    let point = SIMD2(one.x, one.y)
    let oracle = try DistanceSampling.ground(
      reference, SpatialReference(one.degrees), from: point)
    let meter = try DistanceCalculator(reference, measure: .ground)
    var outcome = Outcome()
    var surroundings = Surroundings(seed: 7)
    for searchRadius in [0.1, 12, 1000, 30_000, 300_000] {
      let geometries = surroundings.geometries(
        24, round: point, one.kilometre * (searchRadius / 1000))
      try check(
        geometries, meter, point, searchRadius: searchRadius,
        period: reference.isGeographic ? 360 : nil, oracle,
        &outcome, "\(one.code) \(searchRadius)")
    }
    #expect(outcome.hits > 30 && outcome.misses > 15, "\(outcome)")
  }

  /// A thousand kilometres, where local forms do not apply.
  @Test(arguments: cases)
  func wideCircles(_ one: Case) throws {
    let reference = try SpatialReference(one.code)
    let point = SIMD2(one.x, one.y)
    let oracle = try DistanceSampling.ground(
      reference, SpatialReference(one.degrees), from: point)
    let meter = try DistanceCalculator(reference, measure: .ground)
    var outcome = Outcome()
    var surroundings = Surroundings(seed: 8)
    let geometries = surroundings.geometries(24, round: point, one.kilometre * 800)
    try check(
      geometries, meter, point, searchRadius: 1e6, period: reference.isGeographic ? 360 : nil,
      oracle,
      &outcome, one.code)
    #expect(outcome.hits > 5, "\(outcome)")
  }

  /// Circles that contain a pole or are near a pole, and edges across many longitudes.
  @Test func poles() throws {
    let meter = try DistanceCalculator(.wgs84, measure: .ground)
    var surroundings = Surroundings(seed: 9)
    var outcome = Outcome()
    let points: [SIMD2<Double>] = [
      SIMD2(30, 89.999), SIMD2(0, 90), SIMD2(-120, -89.5), SIMD2(17, 88), SIMD2(200, -90),
    ]
    for point in points {
      let oracle = try DistanceSampling.ground(.wgs84, .wgs84, from: point)
      for searchRadius in [200.0, 60_000, 500_000] {
        let depth = 2.5 * searchRadius / 111_000
        let pole: Double = point.y < 0 ? -90 : 90
        let geometries: [Geometry?] = (0..<18).map { index in
          func vertex() -> SIMD2<Double> {
            SIMD2(
              surroundings.shapes.number(-180...180),
              pole - (pole / 90) * surroundings.shapes.number(0...depth))
          }
          switch index % 3 {
          case 0: return .polyline(Polyline(VertexList([vertex(), vertex(), vertex()])))
          case 1: return .polygon(Polygon(VertexList([vertex(), vertex(), vertex()])))
          default:
            let one = vertex()
            return .point(Point(x: one.x, y: one.y))
          }
        }
        try check(
          geometries, meter, point, searchRadius: searchRadius, period: 360, oracle, &outcome,
          "\(point) \(searchRadius)")
      }
    }
    #expect(outcome.hits > 100 && outcome.misses > 20, "\(outcome)")
  }

  /// Geometries beyond 180° are found like all others, with a period and without.
  @Test(arguments: [360, nil] as [Double?])
  func antimeridian(_ period: Double?) throws {
    let meter = try DistanceCalculator(.wgs84, measure: .ground)
    let point = SIMD2(179.9999, -17.0)
    let other = SIMD2(-180.0001, -17.0)
    let oracle = try DistanceSampling.ground(.wgs84, .wgs84, from: point)
    var outcome = Outcome()
    var surroundings = Surroundings(seed: 10)
    for searchRadius in [50.0, 5000, 90_000, 900_000] {
      let half = SIMD2(0.0095, 0.009) * (searchRadius / 1000)
      var geometries = surroundings.geometries(12, round: point, half)
      geometries += surroundings.geometries(12, round: other, half)
      // An area that contains the point shifted by a period has the distance 0 only if a period is
      // given.
      if period == nil { geometries.removeAll { $0?.dimension == 2 } }
      try check(
        geometries, meter, point, searchRadius: searchRadius, period: period, oracle, &outcome,
        "\(searchRadius)")
    }
    #expect(outcome.hits > 20, "\(outcome)")
  }

  /// A point exactly at the radius is found; it is not found if the radius is a micrometre smaller.
  @Test func rims() throws {
    let geodesic = Geodesic(.wgs84)
    let meter = try DistanceCalculator(.wgs84, measure: .ground)
    var numbers = SeededGenerator(seed: 3)
    for step in 0..<300 {
      let point = SIMD2(
        Double.random(in: -180...180, using: &numbers),
        Double.random(in: -90...90, using: &numbers))
      let searchRadius = [0.5, 10, 1000, 100_000, 1_500_000][step % 5]
      let azimuth = Double.random(in: 0...360, using: &numbers)
      let there = geodesic.direct(from: point, azimuth: azimuth, distance: searchRadius)
      let exact = geodesic.distance(from: point, to: there)
      #expect((exact - searchRadius).magnitude < 2e-8)
      let locator = GeometryLocator([nil, .point(Point(x: there.x, y: there.y))], period: 360)
      #expect(try meter.hits(of: locator, near: point, within: exact).map(\.item) == [1])
      #expect(
        try meter.hits(of: locator, near: point, within: searchRadius + 1e-6).map(\.item) == [1])
      #expect(try meter.hits(of: locator, near: point, within: searchRadius - 1e-6).isEmpty)
      #expect(meter.distance(of: locator, item: 1, from: point) == exact)
      #expect(meter.distance(from: point, to: there) == exact)
    }
  }

  /// Edges are straight in the plane in which a map is drawn.
  @Test func planesAgreeWithSamples() throws {
    let turn = 2 * Double.pi * 6_378_137
    let cases: [(String, String, Double?, SIMD2<Double>, SIMD2<Double>)] = [
      ("EPSG:4326", "EPSG:3857", turn, [18.4, -33.9], [0.009, 0.0075]),
      ("EPSG:4326", "EPSG:3857", turn, [179.9999, 65], [0.009, 0.0038]),
      ("EPSG:4326", "EPSG:32734", nil, [20.3, -33.9], [0.0108, 0.009]),
      ("EPSG:32734", "EPSG:3857", turn, [261_000, 6_243_000], [830, 830]),
      ("EPSG:4326", "EPSG:3413", nil, [40, 89.98], [3, 0.009]),
      ("EPSG:3857", "EPSG:3035", nil, [1_200_000, 7_400_000], [1700, 1700]),
    ]
    for (code, other, turn, point, kilometre) in cases {
      let reference = try SpatialReference(code)
      let plane = try SpatialReference(other)
      var oracle = try DistanceSampling.plane(reference, plane, turn: turn, from: point)
      if point.y > 89 { oracle.pieces = 3000 }
      let meter = try DistanceCalculator(reference, measure: .plane(of: plane))
      var surroundings = Surroundings(seed: 21)
      var outcome = Outcome()
      for searchRadius in [2.0, 700, 40_000] {
        var half = kilometre * (searchRadius / 1000)
        if half.x > 90 { half = SIMD2(90, half.y) }
        var geometries = surroundings.geometries(18, round: point, half)
        if point.x > 179 {
          geometries += surroundings.geometries(12, round: point - SIMD2(360, 0), half)
        }
        try check(
          geometries, meter, point, searchRadius: searchRadius,
          period: reference.isGeographic ? 360 : nil,
          oracle, &outcome, "\(code) \(other) \(searchRadius)")
      }
      #expect(outcome.hits > 12, "\(code) \(other) \(outcome)")
    }
  }

  /// No item is found for a point that cannot be transformed; an item with one such vertex does not
  /// hide other items.
  @Test func outsideTheDomain() throws {
    let mercator = try SpatialReference("EPSG:3857")
    let meter = try DistanceCalculator(.wgs84, measure: .plane(of: mercator))
    let line = Polyline(VertexList([SIMD2(0, 0), SIMD2(0, 95)]))
    let far = Polyline(VertexList([SIMD2(10, 100), SIMD2(20, 120)]))
    let locator = GeometryLocator(
      [.polyline(line), .point(Point(x: 1e-3, y: 10)), .polyline(far)], period: 360)
    let found = try meter.hits(of: locator, near: SIMD2(5e-4, 10), within: 100)
    #expect(found.map(\.item) == [0, 1])
    #expect(found.allSatisfy { ($0.distance - 55.66).magnitude < 0.01 })
    for point in [SIMD2(0, 95), SIMD2(.nan, 1), SIMD2(1, Double.infinity)] {
      #expect(try meter.hits(of: locator, near: point, within: 1e9).isEmpty)
      #expect(meter.distance(of: locator, item: 0, from: point).isNaN)
    }
    #expect(meter.distance(from: SIMD2(0, 0), to: SIMD2(0, 95)).isNaN)
    #expect(meter.distance(of: locator, item: 2, from: SIMD2(0, 0)).isNaN)
    let ground = try DistanceCalculator(.wgs84, measure: .ground)
    #expect(try ground.hits(of: locator, near: SIMD2(5e-4, 10), within: 100).map(\.item) == [0, 1])
    // All items are found, and none beyond the pole.
    #expect(try ground.hits(of: locator, near: SIMD2(5e-4, 10), within: 3e7).map(\.item) == [0, 1])
    for searchRadius in [-1, Double.nan] {
      #expect(try ground.hits(of: locator, near: SIMD2(0, 10), within: searchRadius).isEmpty)
    }
    #expect(try ground.hits(of: locator, near: SIMD2(0, 10), within: 0).map(\.item) == [0])
    #expect(ground.distance(of: locator, item: 7, from: .zero).isNaN)
  }

  /// Around the pole, in a plane whose centre is the pole.
  @Test func polarPlane() throws {
    let reference = try SpatialReference("EPSG:3413")
    let meter = try DistanceCalculator(reference, measure: .ground)
    var surroundings = Surroundings(seed: 40)
    var outcome = Outcome()
    for point in [SIMD2(0.0, 0), SIMD2(3, -7), SIMD2(300_000, 0)] {
      let oracle = try DistanceSampling.ground(reference, .wgs84, from: point)
      for searchRadius in [5.0, 400_000] {
        let geometries = surroundings.geometries(6, round: point, SIMD2(searchRadius, searchRadius))
        try check(
          geometries, meter, point, searchRadius: searchRadius, period: nil, oracle, &outcome,
          "\(point) \(searchRadius)")
      }
    }
    #expect(outcome.hits > 5 && outcome.misses > 5, "\(outcome)")
  }

  /// Across the meridian at which a world map is cut, at the line that represents a pole, and
  /// beyond the map's edge.
  @Test(arguments: [
    ("EPSG:8857", 179.9995, 0.0), ("EPSG:8857", -179.99, 62), ("EPSG:8857", 20, 89.995),
    ("EPSG:8857", 179.9999, -89.99), ("EPSG:8859", -30.0002, 41), ("ESRI:54009", 179.999999, -20),
    ("ESRI:54052", -40.0005, 50), ("ESRI:54052", 179.999, 30),
  ])
  func edgesOfWorldMaps(_ code: String, _ longitude: Double, _ latitude: Double) throws {
    let reference = try SpatialReference(code)
    let base = try GeographicBase(reference)
    let location = try base.fromDegrees(SIMD2(longitude, latitude))
    let oracle = try DistanceSampling.ground(reference, .wgs84, from: location)
    let meter = try DistanceCalculator(reference, measure: .ground)
    let geodesic = Geodesic(.wgs84)
    var surroundings = Surroundings(seed: 17)
    var outcome = Outcome()
    // There is nothing beyond the line that represents the pole.
    let pole = try base.fromDegrees(SIMD2(longitude, 90)).y
    let width = try base.fromDegrees(SIMD2(longitude, 0)).x.magnitude
    for searchRadius in [5.0, 150_000, 300_000] {
      var geometries: [Geometry?] = []
      for azimuth in [10, 100, 190, 280.0] {
        for share in [0.5, 1.3] {
          let there = geodesic.direct(
            from: SIMD2(longitude, latitude), azimuth: azimuth, distance: share * searchRadius)
          var points = [base.fromDegreesOrNaN(there)]
          // Geometries beyond the edge are searched if the circle reaches the edge.
          for turns in [-1, 1] where searchRadius > 1e5 {
            let beyond = base.fromDegreesOrNaN(there, shifts: turns)
            if beyond.x.magnitude < 1.2 * width { points.append(beyond) }
          }
          for point in points where !point.x.isNaN {
            let half = SIMD2(searchRadius, min(searchRadius, pole - point.y.magnitude)) * 0.2
            geometries += surroundings.geometries(6, round: point, half)
          }
        }
      }
      geometries.removeAll { geometry in
        geometry?.vertices.xy.contains { $0.y.magnitude > pole } ?? true
      }
      try check(
        geometries, meter, location, searchRadius: searchRadius, period: nil, oracle, &outcome,
        "\(code) \(searchRadius)",
        tolerance: 1e-4)
    }
    #expect(outcome.hits > 5 && outcome.misses > 20, "\(outcome)")
  }

  /// The search region is known at every edge, so that only a part of a layer is searched. Some of
  /// these circles extend so far beyond the edge that PROJ cannot transform all of it.
  @Test(arguments: [
    (-119.129898, 89.997484), (109.320999, 89.994558), (98.274261, 89.996904), (135, -89.9),
    (143.268434, -89.999432), (179.9999, 0), (-179.9, 70), (180, 89.9999),
  ])
  func edgesOfWorldMapsAreKnown(_ longitude: Double, _ latitude: Double) throws {
    let measure = try DistanceMeasure(SpatialReference("EPSG:8857"), measure: .ground)
    let extent = SIMD4(-17_243_959.0, -8_392_927, -17_243_959, -8_392_927)
    for radius in [1000.0, 300_000, 1_500_000] {
      let region = SearchRegion(
        measure, round: SIMD2(longitude, latitude), radius: radius, extent: extent)
      #expect(region != nil, "\(radius)")
    }
  }

  /// A point exactly on the edge of a plane, which is beyond the edge according to PROJ.
  @Test func veryEdge() throws {
    let reference = try SpatialReference("ESRI:54009")
    let base = try GeographicBase(reference)
    let point = try base.fromDegrees(SIMD2(180, -20))
    let meter = try DistanceCalculator(reference, measure: .ground)
    let points = [SIMD2(179.9999, -20), SIMD2(-179.9999, -20), SIMD2(179.99, -20)]
    let locator = GeometryLocator(
      try base.fromDegrees(points).map { Geometry.point(Point(x: $0.x, y: $0.y)) })
    #expect(try meter.hits(of: locator, near: point, within: 20).map(\.item) == [0, 1])
  }

  /// A ring of many vertices that is far away and equally near everywhere: boxes of its chains are
  /// skipped, except those that affect the result.
  @Test(arguments: [18, 240] as [Double])
  func manyVertices(_ centre: Double) throws {
    let meter = try DistanceCalculator(.wgs84, measure: .ground)
    var shapes = RandomShapes(seed: 50)
    let geodesic = Geodesic(.wgs84)
    let middle = SIMD2(centre, 62.0)
    let ring = (0..<3000).map { step in
      geodesic.direct(
        from: middle, azimuth: Double(step) * 0.12,
        distance: 900_000 + (step % 7 == 3 ? shapes.number(0...50) : 0))
    }
    let line = Polyline(VertexList(ring))
    let locator = GeometryLocator([.polyline(line)], period: 360)
    for point in [middle, middle + SIMD2(0.5, -1), middle + SIMD2(1, 20), SIMD2(0, -40)] {
      let expected = try DistanceSampling.ground(.wgs84, .wgs84, from: point)
        .nearVertices(.polyline(line))
      let found = meter.distance(of: locator, item: 0, from: point)
      #expect((found - expected).magnitude < 1e-6, "\(point) \(found) \(expected)")
      let hits = try meter.hits(of: locator, near: point, within: found * (1 + 1e-12))
      #expect(hits.count == 1)
      #expect(try meter.hits(of: locator, near: point, within: found - 1e-4).isEmpty)
    }
  }

  /// 400 grads are 360°.
  @Test func grads() throws {
    let reference = try SpatialReference("EPSG:4807")
    let geodesic = Geodesic(try #require(reference.ellipsoid))
    let meter = try DistanceCalculator(reference, measure: .ground)
    let point = SIMD2(199.9999, 54.0)
    let line = Polyline(VertexList([SIMD2(-199.999, 53), SIMD2(-199.999, 55)]))
    let locator = GeometryLocator([.polyline(line), .point(Point(x: -200, y: 54))], period: 400)
    let expected = geodesic.distance(from: point * 0.9, to: SIMD2(-180, 54 * 0.9))
    let hits = try meter.hits(of: locator, near: point, within: 100)
    #expect(hits.map(\.item) == [0, 1])
    // The authority's grad has fifteen digits.
    #expect((hits[1].distance - expected).magnitude < 1e-6 && expected < 10)
    // The meridian is 0.0011 grads away.
    #expect((hits[0].distance / expected - 11).magnitude < 1e-4)
    #expect(try meter.hits(of: locator, near: point, within: 50).map(\.item) == [1])
  }

  /// The fast form and the exact search give the same results.
  @Test func bothWaysAgree() throws {
    let reference = try SpatialReference("EPSG:32734")
    let point = SIMD2(261_000.0, 6_243_000)
    let measure = try DistanceMeasure(reference, measure: .ground)
    let meter = try DistanceCalculator(reference, measure: .ground)
    var surroundings = Surroundings(seed: 30)
    for searchRadius in [5.0, 2000, 80_000] {
      let locator = GeometryLocator(
        surroundings.geometries(60, round: point, SIMD2(searchRadius, searchRadius)))
      let fast = try meter.hits(of: locator, near: point, within: searchRadius)
      let careful = measure.carefulHits(
        of: locator, near: point, measure.image(point), within: searchRadius)
      #expect(fast.map(\.item) == careful.map(\.item) && fast.count > 10)
      for (a, b) in zip(fast, careful) {
        #expect((a.distance - b.distance).magnitude <= 1e-7 + 1e-11 * searchRadius, "\(a) \(b)")
      }
    }
  }
}
