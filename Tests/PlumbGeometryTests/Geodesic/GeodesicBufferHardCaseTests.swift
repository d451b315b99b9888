import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Geodesic buffers for which a simple construction fails: bends that change sides, lines that wind
/// around a pole, rings that intersect themselves at ±180°, islands.
@Suite struct GeodesicBufferHardCaseTests {
  private let oracle = DistanceOracle()

  private func buffer(
    _ geometry: Geometry, _ distance: Double, _ options: GeodesicBufferOptions = .init()
  ) throws -> Polygon {
    try GeometryEngine.buffer(
      around: [geometry], distances: [distance], method: .geodesic(options),
      workers: Workers(count: 1))[0]
  }

  private func line(_ points: [SIMD2<Double>]) -> Geometry {
    .polyline(Polyline(VertexList(points), spatialReference: .wgs84))
  }

  /// The largest difference from the distance along all edges, in metres.
  private func worst(
    _ area: DegreeArea, _ distance: Double, _ edges: [DistanceOracle.Edge], stride: Int = 1
  ) -> Double {
    var worst = 0.0
    let boundary = area.boundaryEdges
    for index in Swift.stride(from: 0, to: boundary.count, by: stride) {
      let (start, end) = boundary[index]
      for share in [0, 0.21, 0.5, 0.79] {
        let point = start + (end - start) * share
        // There is no boundary at the cut along ±180° or at a pole.
        guard point.x.magnitude < 180, point.y.magnitude < 90 else { continue }
        worst = max(worst, (oracle.distance(from: point, to: edges) - distance).magnitude)
      }
    }
    return worst
  }

  /// Across the equator a geodesic bends one way and then the other in degrees, and crosses a
  /// straight edge in the middle.
  @Test(arguments: [1000.0, 46598.979546, 4e5])
  func edgesKeepTheirDeviationAcrossTheEquator(distance: Double) throws {
    let points = [SIMD2(-116.17057850100363, 6.768708858815028), SIMD2(-156.16, -25.3)]
    for points in [points, [SIMD2(10.0, -4), SIMD2(40, 4)]] {
      let area = DegreeArea(polygon: try buffer(line(points), distance))
      #expect(worst(area, distance, oracle.edges(of: points), stride: 4) <= 0.01)
    }
  }

  /// A straight line of a transverse projection bends the other way across the central meridian.
  @Test func straightEdgesKeepTheirDeviationAcrossTheCentralMeridian() throws {
    let reference = try SpatialReference("EPSG:32633")
    let ends = [SIMD2(200_000.0, 5_000_000), SIMD2(800_000, 5_400_000)]
    let edge = Geometry.polyline(Polyline(VertexList(ends), spatialReference: reference))
    var options = GeodesicBufferOptions(curve: .shapePreserving, maxDeviation: 0.1)
    options.outputReference = .wgs84
    let area = DegreeArea(polygon: try buffer(edge, 1000, options))
    let base = try GeographicBase(reference)
    let points = try base.toDegrees(
      (0...200).map { ends[0] + (ends[1] - ends[0]) * (Double($0) / 200) })
    #expect(worst(area, 1000, oracle.edges(of: points), stride: 13) <= 0.1)
  }

  /// Paths that pass a pole on different sides cross each other in degrees.
  @Test func linesBesideAPoleHaveNeitherFaultsNorSlits() throws {
    let beside = [
      SIMD2(-123.87313719385244, 89.99666997404381), SIMD2(-125.47128963755948, 89.99662709286824),
      SIMD2(-129.40431351191853, 89.99652697978071), SIMD2(-130.7504583319486, 89.99649389555496),
      SIMD2(-134.68319077755982, 89.99633542034046), SIMD2(-138.70416518614107, 89.99617363946915),
    ]
    let area = DegreeArea(polygon: try buffer(line(beside), 579.589731476833))
    #expect(worst(area, 579.589731476833, oracle.edges(of: beside)) <= 0.01)
    var generator = SeededGenerator(seed: 90)
    for index in 0..<12 {
      let count = Int.random(in: 60..<140, using: &generator)
      let size = TestMath.power(10, generator.number(2...4))
      let distance = size * generator.number(0.3...1.2)
      let pole = index % 2 == 0 ? 90.0 : -90.0
      let center = oracle.geodesic.direct(
        from: SIMD2(0, pole), azimuth: generator.number(-180...180),
        distance: size * generator.number(0...1))
      let turns = generator.number(1...5)
      let spiral = (0...count).map { step in
        let share = Double(step) / Double(count)
        return oracle.geodesic.direct(
          from: center, azimuth: 360 * turns * share, distance: size * (share + 0.01))
      }
      let area = DegreeArea(polygon: try buffer(line(spiral), distance))
      let allowed = min(0.002 * distance, 0.01)
      let found = worst(area, distance, oracle.edges(of: spiral), stride: 23)
      #expect(found <= allowed, "\(index) \(center) \(size) \(distance)")
      for vertex in spiral where vertex.x.magnitude < 180 { #expect(area.contains(vertex)) }
      // A slit that is open to ±180° has vertices there that are nearer to the line than the distance.
      let seam = area.polygon.vertices.xy.filter { $0.x == 180 && $0.y.magnitude < 90 }
      let covered = seam.filter {
        oracle.distance(from: $0, to: oracle.edges(of: spiral)) < distance * 0.9
      }.map(\.y).sorted()
      for (low, high) in zip(covered, covered.dropFirst()) where high - low > 1e-9 {
        #expect(area.contains(SIMD2(180 - 1e-9, (low + high) / 2)), "\(index) \(low)")
      }
    }
  }

  /// A ring that intersects itself gives the same buffer at ±180° as elsewhere.
  @Test(arguments: [1000.0, -1000]) func crossingRingsMayLieAcrossTheAntimeridian(
    distance: Double
  ) throws {
    // The ring is so small that geodesics and straight lines in degrees cross at nearly the same point.
    let bow = [SIMD2(-0.05, 9.95), SIMD2(0.05, 10.05), SIMD2(0.05, 9.95), SIMD2(-0.05, 10.05)]
    func area(_ turn: Double) throws -> DegreeArea {
      let points = bow.map { DegreePlane.normal(SIMD2($0.x + turn, $0.y)) }
      return DegreeArea(
        polygon: try buffer(
          .polygon(Polygon(VertexList(points), spatialReference: .wgs84)), distance))
    }
    let centredArea = try area(0)
    for turn in [180.0, 179.96, -179.98] {
      let there = try area(turn)
      var generator = SeededGenerator(seed: 180)
      for _ in 0..<1000 {
        let point = SIMD2(generator.number(-0.07...0.07), generator.number(9.93...10.07))
        let moved = DegreePlane.normal(SIMD2(point.x + turn, point.y))
        #expect(centredArea.contains(point) == there.contains(moved), "\(turn) \(point)")
      }
    }
  }

  /// A corner just below a long edge. It crosses neither the edge nor the buffer, although it is
  /// beyond the straight line in degrees and beyond a coarse approximation of the edge.
  @Test(arguments: [0.2, 0.3, 0.45], [6e5, -6e5]) func cornersBesideLongEdgesDoNotCross(
    share: Double, distance: Double
  ) throws {
    let (start, end) = (SIMD2(0.0, 50), SIMD2(90.0, 50))
    let way = oracle.geodesic.inverse(from: start, to: end)
    let tip =
      oracle.geodesic.direct(
        from: start, azimuth: way.startAzimuth, distance: way.distance * share) - SIMD2(0, 0.12)
    let ring = [
      start, SIMD2(10, 30), tip - SIMD2(1, 2), tip, tip + SIMD2(1, -2), SIMD2(80, 30), end, start,
    ]
    let polygon = Polygon(VertexList(ring), spatialReference: .wgs84)
    let area = DegreeArea(polygon: try buffer(.polygon(polygon), distance))
    let found = worst(area, distance.magnitude, oracle.edges(of: ring), stride: 199)
    #expect(!area.boundaryEdges.isEmpty && found <= 0.01)
  }

  /// An area in a hole of another area also shrinks, regardless of the length of the hole's
  /// boundary.
  @Test func islandsInLakesShrinkToo() throws {
    func square(_ half: Double) -> [SIMD2<Double>] {
      let corners = [SIMD2(-1.0, -1), SIMD2(1, -1), SIMD2(1, 1), SIMD2(-1, 1), SIMD2(-1, -1)]
      return (0..<160).map { step in
        let (from, to) = (corners[step / 40], corners[step / 40 + 1])
        return SIMD2(10, 40) + (from + (to - from) * (Double(step % 40) / 40)) * half
      }
    }
    let rings = [square(1), square(0.5), square(0.3)].map { $0 + [$0[0]] }
    let land = Polygon(
      VertexList(rings[0] + rings[1].reversed() + rings[2]), ringEnds: [161, 322, 483],
      partEnds: [2, 3], spatialReference: .wgs84)
    let edges = rings.flatMap { oracle.edges(of: $0) }
    for distance in [-1000.0, -20_000] {
      let shrunk = try buffer(.polygon(land), distance)
      #expect(shrunk.partEnds == [2, 3])
      let area = DegreeArea(polygon: shrunk)
      #expect(worst(area, -distance, edges, stride: 97) <= 0.01)
      #expect(area.contains(SIMD2(10, 40)) && !area.contains(SIMD2(10, 40.4)))
    }
  }

  /// A slit whose sides differ only by rounding is removed. Vertices at a pole do not form a slit.
  @Test func slitsOfRoundingAreClosed() throws {
    let square = [SIMD2(0.0, 0), SIMD2(1, 0), SIMD2(1, 1), SIMD2(0, 1)]
    let slit = [SIMD2(0.5, 1), SIMD2(0.5, 0.75), SIMD2(0.5, 0.5), SIMD2(0.5, 0.75 + 1e-12)]
    let back = SIMD2(0.5 - 1e-12, 1)
    let whole = square[0..<3] + slit + [back, square[3]]
    for start in whole.indices {
      let ring = Array(whole[start...] + whole[..<start])
      let closed = DegreePlane.withoutSlivers(Polygon(VertexList(ring)))
      let points = closed.vertices.xy
      #expect(!points.contains { $0.x > 0.4 && $0.x < 0.6 && $0.y < 1 }, "\(start)")
      #expect(points.first == points.last && Set(points).isSuperset(of: square))
    }
    let notch = [SIMD2(0.0, 89), SIMD2(60, 89), SIMD2(60, 90), SIMD2(30, 89.5), SIMD2(0, 90)]
    #expect(DegreePlane.withoutSlivers(Polygon(VertexList(notch))).vertices.count == 6)
    let needle = [SIMD2(0.0, 0), SIMD2(1, 0), SIMD2(1, 1e-6)]
    #expect(DegreePlane.withoutSlivers(Polygon(VertexList(needle))).vertices.count == 4)
  }

  /// The limit applies to the result: nested pieces do not count.
  @Test func manyPointsOfOneAreaStayBelowTheLimit() throws {
    var generator = SeededGenerator(seed: 5000)
    let points = (0..<1000).map { _ in SIMD2(generator.number(5...5.2), generator.number(50...50.1))
    }
    let cloud = Geometry.multipoint(Multipoint(VertexList(points), spatialReference: .wgs84))
    let options = GeodesicBufferOptions(vertexLimit: 10_000)
    let area = DegreeArea(polygon: try buffer(cloud, 5000, options))
    #expect(area.polygon.partEnds.count == 1)
    for (start, _) in area.boundaryEdges.enumerated().filter({ $0.offset % 8 == 0 }).map(\.element)
    {
      let nearest = points.map { oracle.geodesic.distance(from: start, to: $0) }.min() ?? 0
      #expect((nearest - 5000).magnitude <= 0.01)
    }
    // The message contains the limit that was given.
    let apart = Geometry.multipoint(
      Multipoint(VertexList((0..<20).map { SIMD2(Double($0), 50) }), spatialReference: .wgs84))
    let error = #expect(throws: GeometryError.self) { try buffer(apart, 5000, options) }
    #expect(error?.message.contains(" 10000 ") == true)
  }

  @Test func whatCannotBeDrawnIsAnError() throws {
    let point = Geometry.point(Point(x: 1, y: 2, spatialReference: .wgs84))
    #expect(throws: GeometryError.self) { try buffer(point, 1e-9) }
    #expect(throws: GeometryError.self) { try buffer(point, 1000, .init(maxDeviation: 1e-9)) }
    #expect(try buffer(point, 1e-5).vertices.count > 8)
  }
}
