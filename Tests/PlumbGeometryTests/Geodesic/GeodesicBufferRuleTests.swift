import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Individual rules of geodesic buffers: areas, poles, ±180°, curves, unions, errors.
@Suite struct GeodesicBufferRuleTests {
  private let geodesic = Geodesic(.wgs84)

  private func buffers(
    _ geometries: [Geometry], _ distances: [Double], unit: LengthUnit? = nil, union: Bool = false,
    _ options: GeodesicBufferOptions = .init(), threads: Int = 2
  ) throws -> [Polygon] {
    try GeometryEngine.buffer(
      around: geometries, distances: distances, unit: unit, union: union,
      method: .geodesic(options), workers: Workers(count: threads))
  }

  private func point(_ x: Double, _ y: Double) -> Geometry {
    .point(Point(x: x, y: y, spatialReference: .wgs84))
  }

  private func line(_ points: [SIMD2<Double>]) -> Geometry {
    .polyline(Polyline(VertexList(points), spatialReference: .wgs84))
  }

  /// The square metres of a polygon whose edges are straight in degrees, by Green's theorem with
  /// the closed form of the area between the equator and an edge.
  private func area(_ polygon: Polygon, radius: Double) -> Double {
    let xy = polygon.vertices.xy
    var sum = 0.0
    for ring in polygon.rings {
      for index in ring.dropLast() {
        let (a, b) = (xy[index], xy[index + 1])
        let (from, to) = (a.y * .pi / 180, b.y * .pi / 180)
        // The mean of sin φ over an edge along which φ is linear.
        let mean =
          (to - from).magnitude < 1e-6
          ? TestMath.sine((from + to) / 2)
          : (TestMath.cosine(from) - TestMath.cosine(to)) / (to - from)
        sum += (b.x - a.x) * .pi / 180 * mean
      }
    }
    return sum * radius * radius
  }

  /// The area of a disc on a sphere is 2πR²(1 − cos d/R).
  @Test func areaOfADiscIsTheClosedForm() throws {
    let radius = 6_371_000.0
    let sphere = try SpatialReference("+proj=longlat +R=6371000 +type=crs")
    var generator = SeededGenerator(seed: 31)
    for index in 0..<200 {
      let center = generator.globalPosition()
      let distance = TestMath.power(10, generator.number(1...7.25))
      let disc = try buffers(
        [.point(Point(x: center.x, y: center.y, spatialReference: sphere))], [distance])[0]
      let expected =
        4 * .pi * radius * radius * TestMath.power(TestMath.sine(distance / radius / 2), 2)
      let circumference = 2 * .pi * radius * TestMath.sine(distance / radius)
      // An inscribed polygon lacks two thirds of the deviation along its boundary.
      let allowed = circumference * min(0.002 * distance, 0.01) + expected * 1e-9
      let found = area(disc, radius: radius)
      #expect((found - expected).magnitude <= allowed, "\(index) \(center) \(distance)")
    }
  }

  /// The vertices of discs in projected CRSs are on the boundary, and the edges within the deviation
  /// of it, on the ground and in the plane.
  @Test(
    arguments: [
      ("EPSG:32734", 16.0...26, -60.0...(-20)), ("EPSG:3857", -175...175, -80...80),
      ("EPSG:2154", -5...10, 42...51), ("EPSG:3413", -175...175, 60...89.9),
      ("+proj=sinu +R=6371007.181 +type=crs", -175...175, -80...80),
      ("+proj=utm +zone=34 +south +units=us-ft +type=crs", 16...26, -60...(-20)),
    ])
  func discsInProjectedSystems(
    _ name: String, _ longitudes: ClosedRange<Double>, _ latitudes: ClosedRange<Double>
  ) throws {
    let target = try SpatialReference(name)
    let base = try GeographicBase(target)
    let geodesic = Geodesic(base.ellipsoid)
    var generator = SeededGenerator(seed: 413)
    for _ in 0..<60 {
      let center = SIMD2(
        Double.random(in: longitudes, using: &generator),
        Double.random(in: latitudes, using: &generator))
      let radius = TestMath.power(10, generator.number(0...4.5))
      let deviation = radius * TestMath.power(10, generator.number(-4...(-2)))
      var options = GeodesicBufferOptions()
      options.maxDeviation = deviation
      let placed = try base.fromDegrees([center])[0]
      let disc = try buffers(
        [.point(Point(x: placed.x, y: placed.y, spatialReference: target))], [radius], options)[0]
      let vertices = disc.vertices.xy
      #expect(disc.rings.count == 1)
      let middles = zip(vertices, vertices.dropFirst()).map { ($0 + $1) / 2 }
      for (points, allowed) in [(vertices, 1e-5), (middles, deviation)] {
        for point in try base.toDegrees(points) {
          let distance = geodesic.distance(from: center, to: point)
          #expect(
            distance < radius + 1e-5 + deviation && distance > radius - 1e-5 - allowed,
            "\(name) \(center) \(radius) \(deviation): \(distance)")
        }
      }
    }
  }

  /// Discs of usual sizes in projected CRSs are series, also near a pole.
  @Test(arguments: ["EPSG:32734", "EPSG:3857", "EPSG:3035", "+proj=sinu +R=6371007.181 +type=crs"])
  func seriesInProjectedSystems(_ name: String) throws {
    let target = try SpatialReference(name)
    let base = try GeographicBase(target)
    for latitude in [0.5, 20, 35, 50, 60, 70, 80] {
      for radius in [5.0, 50, 500, 2000] {
        let disc = GeodesicDisc(
          center: SIMD2(21, latitude), radius: radius, geodesic: Geodesic(base.ellipsoid))
        let series = try DiscSeries(
          disc, error: 1e-6, metresPerUnit: 1, placed: base.fromDegrees)
        #expect(series != nil, "\(name) \(latitude) \(radius)")
      }
    }
  }

  /// A buffer that a projection cuts apart is an error, not the rest of the map.
  @Test(
    arguments: [
      ("EPSG:8858", SIMD2(90.2, 23.8), 50_000.0), ("EPSG:3832", SIMD2(-30, 20), 500),
      ("+proj=igh +type=crs", SIMD2(-40, 30), 5000),
    ])
  func buffersAcrossTheEdgeOfAProjection(
    _ name: String, _ center: SIMD2<Double>, _ radius: Double
  ) throws {
    let target = try SpatialReference(name)
    let options = GeodesicBufferOptions(outputReference: target)
    let error = #expect(throws: (any Error).self) {
      try buffers([point(center.x, center.y)], [radius], options)
    }
    #expect("\(error.map(String.init(describing:)) ?? "")".contains("crosses the edge"))
    // The same disc on the other side of the globe is whole.
    #expect(
      try buffers([point(center.x > 0 ? -90 : 150, center.y)], [radius], options)[0].rings.count
        == 1)
  }

  @Test func aPoleInsideIsHandled() throws {
    let disc = try buffers([point(20, 89)], [300_000])[0]
    let area = DegreeArea(polygon: disc)
    #expect(area.contains(SIMD2(-160, 89.9)))
    #expect(area.contains(SIMD2(100, 89.99)))
    #expect(!area.contains(SIMD2(-160, 87)))
    #expect(Geometry.polygon(disc).envelope.yMax == 90)
    #expect(disc.partEnds.count == 1)
    // The pole as the centre, and on the boundary.
    let round = try buffers([point(0, -90)], [1000])[0]
    #expect(Geometry.polygon(round).envelope.yMin == -90)
    #expect(DegreeArea(polygon: round).contains(SIMD2(123, -89.995)))
    let way = geodesic.distance(from: SIMD2(30, 80), to: SIMD2(0, 90))
    let touching = DegreeArea(polygon: try buffers([point(30, 80)], [way])[0])
    #expect(touching.contains(SIMD2(30, 89.9)))
    #expect(!touching.contains(SIMD2(-150, 89.9)))
  }

  @Test func acrossTheAntimeridianItIsCutIntoParts() throws {
    let disc = try buffers([point(179.99, 10)], [50_000])[0]
    #expect(disc.partEnds.count == 2)
    let envelope = Geometry.polygon(disc).envelope
    #expect(envelope.xMin == -180 && envelope.xMax == 180)
    let area = DegreeArea(polygon: disc)
    #expect(area.contains(SIMD2(-179.9, 10)) && area.contains(SIMD2(179.9, 10)))
    #expect(!area.contains(SIMD2(0, 10)))
    let both = try buffers([point(179.99, 10), point(-179.99, 10)], [50_000], union: true)
    #expect(both.count == 1 && both[0].partEnds.count == 2)
  }

  /// A polygon that is cut at ±180° has no boundary there.
  @Test func aSeamIsNoBoundary() throws {
    let halves = Polygon(
      VertexList([
        SIMD2(170, -10), SIMD2(170, 10), SIMD2(180, 10), SIMD2(180, -10), SIMD2(170, -10),
        SIMD2(-180, -10), SIMD2(-180, 10), SIMD2(-170, 10), SIMD2(-170, -10), SIMD2(-180, -10),
      ]), ringEnds: [5, 10], partEnds: [1, 2], spatialReference: .wgs84)
    let shrunk = DegreeArea(polygon: try buffers([.polygon(halves)], [-100_000])[0])
    #expect(shrunk.contains(SIMD2(179.999, 0)) && shrunk.contains(SIMD2(-179.999, 0)))
    #expect(!shrunk.contains(SIMD2(170.5, 0)) && !shrunk.contains(SIMD2(-170.5, 0)))
    // The same area as one ring that crosses ±180°.
    let ring = Polygon(
      VertexList([SIMD2(170, -10), SIMD2(170, 10), SIMD2(-170, 10), SIMD2(-170, -10)]),
      spatialReference: .wgs84)
    let other = DegreeArea(polygon: try buffers([.polygon(ring)], [-100_000])[0])
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<500 {
      var point = SIMD2(generator.number(168...192), generator.number(-12...12))
      if point.x > 180 { point.x -= 360 }
      #expect(shrunk.contains(point) == other.contains(point), "\(point)")
    }
  }

  /// A ring along the edge of the map and the pole, as maps draw Antarctica.
  @Test func aPolygonDrawnAlongThePole() throws {
    var points = stride(from: -180.0, through: 180, by: 10).map { SIMD2($0, -70.0) }
    points += [SIMD2(180, -90), SIMD2(-180, -90), SIMD2(-180, -70)]
    let cap = Geometry.polygon(Polygon(VertexList(points), spatialReference: .wgs84))
    let wide = DegreeArea(polygon: try buffers([cap], [200_000])[0])
    let narrow = DegreeArea(polygon: try buffers([cap], [-200_000])[0])
    for longitude in stride(from: -179.0, to: 180, by: 7) {
      #expect(wide.contains(SIMD2(longitude, -89.9)) && narrow.contains(SIMD2(longitude, -89.9)))
      #expect(wide.contains(SIMD2(longitude, -69)) && !narrow.contains(SIMD2(longitude, -70.5)))
      #expect(!wide.contains(SIMD2(longitude, -67)))
    }
    // The whole map does not have a boundary.
    let world = Geometry.envelope(
      Envelope(xMin: -180, yMin: -90, xMax: 180, yMax: 90, spatialReference: .wgs84))
    for distance in [1000.0, -1000] {
      let all = DegreeArea(
        polygon: try buffers([world], [distance], .init(curve: .shapePreserving))[0])
      #expect(all.contains(SIMD2(0, 89)) && all.contains(SIMD2(-179.9, -89)))
    }
  }

  @Test func zeroAndLess() throws {
    let square = Polygon(
      VertexList([SIMD2(0, 0), SIMD2(0, 1), SIMD2(1, 1), SIMD2(1, 0), SIMD2(0, 0)]),
      spatialReference: .wgs84)
    #expect(try buffers([.polygon(square)], [0]) == [square])
    #expect(try buffers([.polygon(square)], [-200_000])[0].isEmpty)
    #expect(
      try buffers([point(1, 1), line([SIMD2(0, 0), SIMD2(1, 1)])], [0, -5]).allSatisfy(\.isEmpty))
    #expect(try buffers([.point(.empty(.wgs84)), point(1, 1)], [5])[0].isEmpty)
    #expect(try buffers([], [5]).isEmpty)
  }

  @Test func unionContainsEachAndKeepsOrderOtherwise() throws {
    var generator = SeededGenerator(seed: 77)
    let points = (0..<40).map { _ in
      point(generator.number(10...11), generator.number(50...51))
    }
    let distances = points.map { _ in generator.number(1000...30_000) }
    let each = try buffers(points, distances, threads: 1)
    #expect(try buffers(points, distances, threads: 3) == each)
    for (index, geometry) in points.enumerated() {
      guard case .point(let point) = geometry else { continue }
      #expect(DegreeArea(polygon: each[index]).contains(SIMD2(point.x, point.y)))
    }
    let union = try buffers(points, distances, union: true, threads: 2)
    #expect(union.count == 1)
    #expect(try buffers(points, distances, union: true, threads: 1) == union)
    let joined = DegreeArea(polygon: union[0])
    for _ in 0..<4000 {
      let location = SIMD2(generator.number(9.5...11.5), generator.number(49.5...51.5))
      let isInOne = each.contains { DegreeArea(polygon: $0).contains(location) }
      #expect(joined.contains(location) == isInOne, "\(location)")
    }
  }

  /// The curve defines the course of an input edge, so that a point near the loxodrome's middle, far
  /// north or south of the geodesic's, is in the buffer of only one of them.
  @Test func curveTypesDifferAsTheyShould() throws {
    let ends = [SIMD2(0.0, 50), SIMD2(90.0, 50)]
    let edge = line(ends)
    let middles: [(GeodesicCurve, SIMD2<Double>)] = [
      (.geodesic, SIMD2(45, geodesicMiddle(ends))), (.loxodrome, SIMD2(45, 50)),
      (.shapePreserving, SIMD2(45, 50)),
    ]
    for (curve, middle) in middles {
      let area = DegreeArea(
        polygon: try buffers([edge], [1000], .init(curve: curve, maxDeviation: 1))[0])
      #expect(area.contains(middle), "\(curve)")
      #expect(!area.contains(SIMD2(45, middle.y + 0.02)), "\(curve)")
      #expect(area.contains(SIMD2(45, middle.y + 0.008)), "\(curve)")
    }
    // A great ellipse and a normal section differ from the geodesic by little, but more than a metre.
    let long = line([SIMD2(-60, 10), SIMD2(100, 35)])
    let areas = try [GeodesicCurve.geodesic, .greatElliptic, .normalSection].map {
      try buffers([long], [1000], .init(curve: $0, maxDeviation: 1))[0]
    }
    #expect(Set(areas.map(\.vertices.xy)).count == 3)
    // Points have no edges.
    let discs = try GeodesicCurve.allCases.map {
      try buffers([point(7, 8)], [1000], .init(curve: $0))[0]
    }
    #expect(Set(discs).count == 1)
  }

  private func geodesicMiddle(_ ends: [SIMD2<Double>]) -> Double {
    let way = geodesic.inverse(from: ends[0], to: ends[1])
    return geodesic.direct(
      from: ends[0], azimuth: way.startAzimuth, distance: way.distance / 2
    ).y
  }

  /// A projected CRS: the distance is on the ellipsoid, edges are straight in the projection.
  @Test(arguments: ["EPSG:32634", "EPSG:3857", "EPSG:32038", "EPSG:3035"])
  func inAProjectedReference(code: String) throws {
    let reference = try SpatialReference(code)
    let base = try GeographicBase(reference)
    let center = code == "EPSG:32038" ? SIMD2(-98.5, 33.0) : SIMD2(21.0, 55.0)
    let point = try base.fromDegrees([center])[0]
    let targetGeodesic = Geodesic(base.ellipsoid)
    let disc = try buffers(
      [.point(Point(x: point.x, y: point.y, spatialReference: reference))], [20], unit: .kilometre)[
        0]
    #expect(disc.spatialReference == reference)
    let xy = disc.vertices.xy
    let start = try base.toDegrees([point])[0]
    var worst = 0.0
    for index in xy.indices.dropLast() {
      for point in try base.toDegrees([(xy[index] + xy[index + 1]) / 2, xy[index]]) {
        worst = max(worst, (targetGeodesic.distance(from: start, to: point) - 20_000).magnitude)
      }
    }
    #expect(worst <= 0.01)
  }

  /// Edges are straight in the requested CRS, regardless of the input's CRS.
  @Test(arguments: [
    ("EPSG:32634", "EPSG:4326"), ("EPSG:4326", "EPSG:3035"), ("EPSG:3857", "EPSG:32634"),
  ])
  func edgesAreStraightInTheOutput(codes: (String, String)) throws {
    let (input, output) = (try SpatialReference(codes.0), try SpatialReference(codes.1))
    let toInput = try GeographicBase(input)
    let ends = [SIMD2(18.0, 52.0), SIMD2(23.0, 52.0), SIMD2(23.5, 54.0)]
    let line = Polyline(
      VertexList(try toInput.fromDegrees(ends)), spatialReference: input)
    let found = try buffers([.polyline(line)], [5000], .init(outputReference: output))[0]
    #expect(found.spatialReference == output)
    let oracle = DistanceOracle()
    let edges = oracle.edges(of: try toInput.toDegrees(line.vertices.xy))
    let base = try GeographicBase(output)
    let xy = found.vertices.xy
    var worst = 0.0
    for ring in found.rings {
      for index in ring.dropLast() {
        for share in [0, 0.25, 0.5, 0.8] {
          let point = try base.toDegrees(xy[index] + (xy[index + 1] - xy[index]) * share)
          worst = max(worst, (oracle.distance(from: point, to: edges) - 5000).magnitude)
        }
      }
    }
    #expect(worst <= 0.01)
  }

  @Test func aPoleInAPolarProjectionIsAWholeRowInDegrees() throws {
    let polar = try SpatialReference("EPSG:3413")
    let point = Geometry.point(Point(x: 100_000, y: -50_000, spatialReference: polar))
    let disc = try buffers([point], [300_000], .init(outputReference: .wgs84))[0]
    let envelope = Geometry.polygon(disc).envelope
    #expect(envelope.yMax == 90 && envelope.xMin == -180 && envelope.xMax == 180)
    #expect(DegreeArea(polygon: disc).contains(SIMD2(-120, 89.9)))
    // In the projection itself there is neither pole nor ±180°.
    let unprojected = try buffers([point], [300_000])[0]
    #expect(
      unprojected.partEnds.count == 1 && unprojected.ringEnds.count == 1, "\(unprojected.ringEnds)")
    #expect(try GeometryEngine.isSimple(.polygon(unprojected)))
    // The pole is no longer a vertex.
    #expect(unprojected.vertices.xy.allSatisfy { ($0 * $0).sum().squareRoot() > 100_000 })
    let utm = try SpatialReference("EPSG:32660")
    let east = try buffers([self.point(179.95, 10)], [20_000], .init(outputReference: utm))[0]
    #expect(east.partEnds.count == 1 && east.ringEnds.count == 1)
    #expect(try GeometryEngine.isSimple(.polygon(east)))
    let mercator = try SpatialReference("EPSG:3857")
    let split = try buffers([self.point(179.95, 10)], [20_000], .init(outputReference: mercator))[0]
    #expect(split.partEnds.count == 2)
    let extent = Geometry.polygon(unprojected).envelope
    #expect((extent.xMax - extent.xMin - 600_000).magnitude < 25_000)
  }

  /// Both sides of the cut at ±180° are the same points in the projection, regardless of the rounding of
  /// longitudes relative to its central meridian.
  @Test(arguments: [-163.7, -100, -45.1, -0.3, 10, 33.3, 77.77, 123.4, 170.1])
  func discsAtTheCutHaveNoSeam(meridian: Double) throws {
    for projection in ["stere", "laea"] {
      let polar = try SpatialReference(
        "+proj=\(projection) +lat_0=90 +lon_0=\(meridian) +ellps=WGS84 +type=crs")
      for (longitude, latitude, radius) in [
        (180.0, 80.0, 5e5), (-179.3, 71.7, 1e5), (179.9, 60, 30_000), (12, 89, 3e5),
      ] {
        let options = GeodesicBufferOptions(outputReference: polar)
        let disc = try buffers([point(longitude, latitude)], [radius], options)[0]
        #expect(disc.partEnds.count == 1 && disc.ringEnds.count == 1, "\(disc.ringEnds)")
        #expect(try GeometryEngine.isSimple(.polygon(disc)))
      }
    }
  }

  @Test func mistakesAreErrorsThatNameTheMember() throws {
    func failure(
      _ geometries: [Geometry], _ distances: [Double], unit: LengthUnit? = nil,
      _ options: GeodesicBufferOptions = .init()
    ) -> GeometryError? {
      do {
        _ = try buffers(geometries, distances, unit: unit, options)
        return nil
      } catch {
        return error as? GeometryError
      }
    }
    let fine = point(1, 1)
    #expect(failure([fine, point(0, 91)], [5])?.member == 1)
    #expect(failure([fine, fine, point(.infinity, 0)], [5])?.member == 2)
    #expect(failure([fine, line([SIMD2(0, 0), SIMD2(.nan, 1)])], [5])?.member == 1)
    #expect(failure([fine, fine], [5, .nan])?.member == 1)
    #expect(failure([fine], [5, 6]) != nil)
    #expect(failure([fine], [5], unit: .degree) != nil)
    #expect(failure([.point(Point(x: 1, y: 1))], [5]) != nil)
    #expect(failure([fine], [5], .init(maxDeviation: -1)) != nil)
    #expect(failure([fine], [1e6], .init(maxDeviation: 1e-3, vertexLimit: 1000))?.member == 0)
    #expect(failure([fine, line([SIMD2(0, 0), SIMD2(1, 1)])], [1.2e7])?.member == 1)
    // CRSs that are not equivalent are an error, because an empty list would not show that nothing
    // was drawn.
    let other = Geometry.point(
      Point(x: 0, y: 0, spatialReference: try SpatialReference("EPSG:32634")))
    #expect(failure([fine, other], [5])?.member == 1)
    #expect(failure([fine, other], [5])?.message.contains("one spatial reference") == true)
  }

  @Test("ellipsoids of absurd sizes are errors", arguments: ["1e30", "1e12", "1e-9", "1e300"])
  func absurdEllipsoids(axis: String) throws {
    let reference = try SpatialReference("+proj=longlat +a=\(axis) +rf=298 +type=crs")
    let far = Geometry.polyline(
      Polyline(VertexList([SIMD2(0, 0), SIMD2(90, 10)]), spatialReference: reference))
    for distance in [1.0, 1e7, 1e29] {
      for geometry in [far, .point(Point(x: 3, y: 4, spatialReference: reference))] {
        #expect(throws: GeometryError.self) {
          try GeometryEngine.buffer(around: [geometry], distances: [distance], method: .geodesic())
        }
      }
    }
    #expect(throws: GeometryError.self) {
      try GeometryEngine.length(of: far, measure: .geodesic())
    }
  }

  @Test func selfCrossingRingsGiveTheBufferOfTheirValidForm() throws {
    let bow = Polygon(
      VertexList([SIMD2(0, 0), SIMD2(1, 1), SIMD2(1, 0), SIMD2(0, 1)]), spatialReference: .wgs84)
    let area = DegreeArea(polygon: try buffers([.polygon(bow)], [1000])[0])
    #expect(area.contains(SIMD2(0.1, 0.5)) && area.contains(SIMD2(0.9, 0.5)))
    #expect(!area.contains(SIMD2(0.5, 0.9)) && !area.contains(SIMD2(0.5, 0.1)))
    let shrunk = DegreeArea(polygon: try buffers([.polygon(bow)], [-1000])[0])
    #expect(shrunk.contains(SIMD2(0.1, 0.5)) && !shrunk.contains(SIMD2(0.5, 0.5)))
  }
}
