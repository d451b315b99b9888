import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct UnionTests {
  private let oracle = GEOSOracle()

  /// Sparse and dense circles of equal and different sizes, against GEOS's union of all at once.
  @Test(arguments: [
    (1500, 100.0, 1.0...1.0), (3000, 40, 1...1), (2500, 60, 0.01...12), (700, 1, 1...1),
  ])
  func circles(count: Int, side: Double, radii: ClosedRange<Double>) throws {
    var shapes = RandomShapes(seed: UInt64(count))
    let points = (0..<count).map { _ in shapes.point(0...side) }
    let distances = points.map { _ in shapes.number(radii) }
    let method = BufferMethod.planar(PlanarBufferOptions(segmentsPerQuarter: 8))
    func union(threads: Int) throws -> Polygon {
      try #require(
        GeometryEngine.buffer(
          around: points, distances: distances, union: true, method: method,
          workers: Workers(count: threads)
        ).first)
    }
    let one = try union(threads: 1)
    #expect(try one == union(threads: 2))
    #expect(try one == union(threads: 5))
    let circles = try GeometryEngine.buffer(around: points, distances: distances, method: method)
    try expectEqual(one, oracle.union(circles))
    #expect(
      try joined(circles, workers: Workers(count: 3)) == one)
  }

  /// Rings that intersect themselves, in several tiles and in one.
  @Test(arguments: [3, 40, 900])
  func tangles(count: Int) throws {
    var shapes = RandomShapes(seed: UInt64(count) + 50)
    let areas = (0..<count).map { _ in shapes.tangle(vertices: 6) }.map { tangle in
      let shift = shapes.location(0...900)
      return Polygon(VertexList(tangle.vertices.xy.map { $0 / 3 + shift }))
    }
    let union = try joined(areas)
    let valid = try areas.map { area -> Polygon in
      guard case .polygon(let simple) = try GeometryEngine.simplify(.polygon(area)) else {
        return .empty()
      }
      return simple
    }
    try expectEqual(union, oracle.union(valid))
  }

  @Test func whatTouchesNothingKeepsItsVertices() throws {
    let areas = (0..<2000).map { index -> Polygon in
      let (x, y) = (Double(index % 50) * 3, Double(index / 50) * 3)
      return Envelope(xMin: x, yMin: y, xMax: x + 1, yMax: y + 2).polygon
    }
    let union = try joined(areas)
    #expect(union.partEnds.count == areas.count)
    let rings = union.rings.map { Array(union.vertices.xy[$0]) }
    #expect(Set(rings) == Set(areas.map { $0.vertices.xy }))
  }

  /// The cells of a checkerboard touch only at corners; all cells merge to one square.
  @Test func coverages() throws {
    func cells(_ isFilled: (Int, Int) -> Bool) -> [Polygon] {
      var cells: [Polygon] = []
      for row in 0..<60 {
        for column in 0..<60 where isFilled(row, column) {
          let (x, y) = (Double(column), Double(row))
          cells.append(Envelope(xMin: x, yMin: y, xMax: x + 1, yMax: y + 1).polygon)
        }
      }
      return cells
    }
    let whole = try joined(cells { _, _ in true })
    #expect(whole.partEnds == [1] && whole.ringEnds.count == 1)
    #expect(try oracle.area(.polygon(whole)) == 3600)
    let board = try joined(cells { ($0 + $1) % 2 == 0 })
    #expect(try oracle.isValid(.polygon(board)))
    #expect(try oracle.area(.polygon(board)) == 1800)
  }

  @Test func largeAmongSmallAndHolesWithIslands() throws {
    var shapes = RandomShapes(seed: 9)
    let frame = try oracle.geometry(
      "POLYGON ((0 0, 0 100, 100 100, 100 0, 0 0), (10 10, 90 10, 90 90, 10 90, 10 10))")
    let small = (0..<1200).map { _ -> Geometry in
      let point = shapes.location(15...85)
      return .envelope(
        Envelope(xMin: point.x, yMin: point.y, xMax: point.x + 0.4, yMax: point.y + 0.3))
    }
    let all = [frame] + small
    let union = try #require(try GeometryEngine.union(all))
    let areas = all.map { geometry -> Polygon in
      if case .polygon(let polygon) = geometry { return polygon }
      return geometry.envelope.polygon
    }
    guard case .polygon(let polygon) = union else {
      Issue.record("areas merge to a polygon")
      return
    }
    try expectEqual(polygon, oracle.union(areas))
  }

  @Test func linesAndPoints() throws {
    let crossing = try [
      oracle.geometry("LINESTRING (0 0, 2 2)"), oracle.geometry("LINESTRING (0 2, 2 0)"),
      oracle.geometry("LINESTRING (1 1, 2 2)"),
    ]
    let lines = try #require(try GeometryEngine.union(crossing))
    #expect(try abs(oracle.length(lines) - 4 * 2.0.squareRoot()) < 1e-12)
    #expect(try GeometryEngine.isSimple(lines))
    let point = Geometry.point(Point(x: 1, y: 2))
    #expect(try GeometryEngine.union(point, point) == point)
    let two = try GeometryEngine.union([point, .point(Point(x: 3, y: 2)), point])
    #expect(two?.vertices.count == 2)
  }

  @Test func nothingAndMixedDimensions() throws {
    #expect(try GeometryEngine.union([]) == nil)
    #expect(try GeometryEngine.union([.polygon(.empty()), .envelope(.empty())]) == nil)
    let flat = try oracle.geometry("LINESTRING (0 0, 4 4)").envelope
    #expect(try GeometryEngine.union(.envelope(flat), .polygon(.empty())) != nil)
    let error = #expect(throws: GeometryError.self) {
      try GeometryEngine.union([
        .envelope(flat), .envelope(flat), .point(Point(x: 0, y: 0)),
      ])
    }
    #expect(error?.member == 2)
  }

  @Test func theFirstKnownReferenceWins() throws {
    let mercator = try SpatialReference("EPSG:3857")
    let degrees = Geometry.envelope(
      Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1, spatialReference: .wgs84))
    let metres = Geometry.envelope(
      Envelope(xMin: 0, yMin: 0, xMax: 1000, yMax: 1000, spatialReference: mercator))
    let union = try #require(try GeometryEngine.union(degrees, metres))
    #expect(union.spatialReference == .wgs84)
    #expect(try abs(oracle.area(union) - 1) < 1e-9)
    #expect(try GeometryEngine.union(metres, degrees)?.spatialReference == mercator)
  }

  /// Members with so many vertices that the vertices of one tile are not all in memory at once.
  @Test func membersOfManyVertices() throws {
    var shapes = RandomShapes(seed: 360)
    let points = (0..<40).map { _ in
      Geometry.point(
        Point(x: shapes.number(10...13), y: shapes.number(40...43), spatialReference: .wgs84))
    }
    let distances = points.map { _ in shapes.number(20_000...50_000) }
    var options = GeodesicBufferOptions(maxDeviation: 0.005)
    func union(threads: Int) throws -> Polygon {
      try #require(
        GeometryEngine.buffer(
          around: points, distances: distances, unit: .metre, union: true,
          method: .geodesic(options), workers: Workers(count: threads)
        ).first)
    }
    let circles = try GeometryEngine.buffer(
      around: points, distances: distances, unit: .metre, method: .geodesic(options))
    #expect(circles.reduce(0) { $0 + $1.vertices.count } > 1 << 17)
    let joined = try union(threads: 2)
    #expect(try union(threads: 1) == joined)
    try expectEqual(joined, oracle.union(circles))
    options.joinedVertexLimit = joined.vertices.count / 2
    let error = #expect(throws: GeometryError.self) { try union(threads: 2) }
    #expect(error?.code == .limit)
  }

  /// Buffers of equal points, and of points so close together that the outlines cross at nearly
  /// every vertex.
  @Test(arguments: [0, 1e-12, 1e-9, 1e-6, 1e-3], [false, true])
  func membersAtOnePlace(jitter: Double, withLarger: Bool) throws {
    var shapes = RandomShapes(seed: 36)
    let points = (0..<60).map { index in
      // The first of every 16 members is larger.
      if withLarger, index % 16 == 0 {
        return Geometry.polyline(
          Polyline(
            VertexList([SIMD2(17.8, 40), SIMD2(18.2, 40)]), partEnds: [2], spatialReference: .wgs84)
        )
      }
      return Geometry.point(
        Point(
          x: 18 + shapes.number(0...1) * jitter, y: 40 + shapes.number(0...1) * jitter,
          spatialReference: .wgs84))
    }
    let method = BufferMethod.geodesic(GeodesicBufferOptions(maxDeviation: 0.05))
    func buffers(_ points: [Geometry], union: Bool) throws -> [Polygon] {
      try GeometryEngine.buffer(
        around: points, distances: [20_000], unit: .metre, union: union, method: method)
    }
    let union = try #require(try buffers(points, union: true).first)
    try expectEqual(union, oracle.union(buffers(points, union: false)))
    if jitter == 0, !withLarger { #expect(try union == buffers([points[0]], union: true)[0]) }
  }

  private func joined(_ areas: [Polygon], workers: Workers = Workers()) throws -> Polygon {
    let joined = try GeometryEngine.union(areas.map { .polygon($0) }, workers: workers)
    guard case .polygon(let polygon)? = joined else { return .empty() }
    return polygon
  }

  private func expectEqual(
    _ polygon: Polygon, _ expected: consuming GEOSShape
  ) throws {
    #expect(try oracle.isValid(.polygon(polygon)))
    let actual = try oracle.context.shape(of: .polygon(polygon))
    let area = try oracle.area(expected)
    #expect(area > 0)
    #expect(try oracle.areaApart(actual, expected) <= 1e-9 * area)
    #expect(try ShapeParts(expected).polygon(nil).partEnds.count == polygon.partEnds.count)
  }
}
