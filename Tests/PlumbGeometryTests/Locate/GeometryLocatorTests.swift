import CGEOS
import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Compares the results of `GeometryLocator` with GEOS, for every item and every point.
@Suite struct GeometryLocatorTests {
  /// GEOS's relation and distance between a point and each of several geometries.
  private struct Oracle {
    private let context = try! GEOSContext()
    private let geometries: [Geometry?]

    init(_ geometries: [Geometry?]) { self.geometries = geometries }

    /// The points by item; nil for items without points.
    func results(
      _ location: SIMD2<Double>
    ) throws -> [(holds: Bool, distance: Double)?] {
      let point = try context.shape(of: .point(Point(x: location.x, y: location.y)))
      return try geometries.map { geometry in
        guard let geometry, !geometry.isEmpty else { return nil }
        let shape = try context.shape(of: geometry)
        let prepared = GEOSPrepare_r(context.handle, shape.pointer)
        defer { GEOSPreparedGeom_destroy_r(context.handle, prepared) }
        var distance = 0.0
        guard GEOSDistance_r(context.handle, point.pointer, shape.pointer, &distance) == 1 else {
          throw context.failure("a distance")
        }
        return (
          GEOSPreparedIntersects_r(context.handle, prepared, point.pointer) == 1, distance
        )
      }
    }
  }

  private func isValid(_ geometry: Geometry) throws -> Bool {
    if case .envelope(let box) = geometry, box.xMin == box.xMax || box.yMin == box.yMax {
      return false
    }
    return try GEOSOracle().isValid(geometry)
  }

  private func check(
    _ geometries: [Geometry?], _ points: [SIMD2<Double>], radii: [Double],
    minimumContained: Int, minimumNear: Int
  ) throws {
    let oracle = Oracle(geometries)
    let locator = GeometryLocator(geometries)
    var (contained, near) = (0, 0)
    var all: [[Int]] = []
    for point in points {
      let results = try oracle.results(point)
      let expected = results.indices.filter { results[$0]?.holds ?? false }
      all.append(expected)
      contained += expected.count
      #expect(locator.items(at: point) == expected, "\(point)")
      let exact = locator.hits(near: point, within: 0)
      #expect(exact.map(\.item) == expected)
      #expect(exact.allSatisfy { $0.distance == 0 && $0.nearest == point })
      for searchRadius in radii {
        var hits = locator.hits(near: point, within: searchRadius)[...]
        for (item, result) in results.enumerated() {
          guard let result else {
            #expect(hits.first?.item != item)
            continue
          }
          let isRim = (result.distance - searchRadius).magnitude <= 1e-12 * searchRadius
          if let hit = hits.first, hit.item == item {
            hits = hits.dropFirst()
            #expect(result.distance <= searchRadius || isRim)
            #expect(
              // GEOS's cross product is rounded to the unit of coordinates of 100.
              (hit.distance - result.distance).magnitude <= 1e-12 * result.distance + 4e-15,
              "\(hit) \(result.distance) \(point)")
            #expect((hit.distance == 0) == result.holds)
            // The nearest point is on the item, and its distance is the returned distance.
            let way = (hit.nearest - point).planarLength
            #expect((way - hit.distance).magnitude <= 1e-13 * (100 + hit.distance))
            near += 1
          } else {
            #expect(result.distance > searchRadius || isRim, "\(item) \(point) \(result.distance)")
          }
        }
        #expect(hits.isEmpty)
      }
    }
    #expect(contained >= minimumContained && near >= minimumNear, "\(contained) \(near)")
    for threads in [1, 3] {
      let lists = locator.items(
        atEach: points.map(\.x), points.map(\.y), workers: Workers(count: threads))
      #expect(lists.count == points.count)
      for query in points.indices { #expect(lists[query].map(Int.init) == all[query]) }
    }
  }

  /// Integers: points on vertices, on edges, on shared edges and inside.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithGEOSOnALattice(_ seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed)
    var geometries: [Geometry?] = [nil, .point(.empty()), .polygon(.empty())]
    while geometries.count < 120 {
      let geometry = shapes.lattice()
      if try isValid(geometry) { geometries.append(geometry) }
    }
    let points = (0..<100).map { (index: Int) -> SIMD2<Double> in
      SIMD2(Double(index % 10), Double(index / 10)) / 2
    }
    try check(
      geometries, points, radii: [0.5, 1, 2.0.squareRoot(), 7], minimumContained: 500,
      minimumNear: 5000)
  }

  /// Stars with holes, shared edges, large lines and rings with chains.
  @Test func agreesWithGEOSOnStarsAndLines() throws {
    var shapes = RandomShapes(seed: 11)
    var geometries: [Geometry?] = []
    for index in 0..<60 {
      switch index % 6 {
      case 0: geometries.append(shapes.point())
      case 1: geometries.append(shapes.polyline(vertices: index % 12 == 1 ? 600 : 7))
      case 2: geometries.append(.polygon(shapes.star(vertices: index % 12 == 2 ? 900 : 12)))
      case 3:
        // A hole that touches its ring in one point.
        let low = shapes.location()
        let x: [Double] = [0, 0, 30, 30, 0, 0, 20, 10, 0]
        let y: [Double] = [0, 30, 30, 0, 0, 0, 10, 20, 0]
        let ring = zip(x, y).map { low + SIMD2<Double>($0, $1) }
        geometries.append(.polygon(Polygon(VertexList(ring), ringEnds: [5, 9])))
      case 4:
        let points = (0..<200).map { _ in shapes.location() }
        geometries.append(.multipoint(Multipoint(VertexList(points))))
      default:
        let (a, b) = (shapes.location(), shapes.location())
        geometries.append(
          .envelope(
            Envelope(
              xMin: min(a.x, b.x), yMin: min(a.y, b.y), xMax: max(a.x, b.x), yMax: max(a.y, b.y))))
      }
    }
    geometries.append(
      .polyline(
        Polyline(VertexList((0..<10).map { _ in shapes.location() }), partEnds: [3, 3, 5, 10])))
    for geometry in geometries { #expect(try isValid(#require(geometry))) }
    var points = (0..<120).map { _ in shapes.location(-20...120) }
    for geometry in geometries {
      let vertices = geometry?.vertices.xy ?? []
      points.append(vertices[vertices.count / 2])
      if vertices.count > 1 { points.append((vertices[0] + vertices[1]) / 2) }
    }
    try check(
      geometries, points, radii: [1e-3, 2, 25, 1000], minimumContained: 500, minimumNear: 10_000)
  }

  /// Only lines, and only areas with gaps between them: the fast paths of a batch.
  @Test func oneKindWithGaps() throws {
    var shapes = RandomShapes(seed: 5)
    let areas: [Geometry?] = (0..<30).map { $0 % 4 == 0 ? nil : .polygon(shapes.star()) }
    let lines: [Geometry?] = (0..<30).map { $0 % 5 == 0 ? nil : shapes.polyline() }
    for geometries in [areas, lines] {
      var points = (0..<60).map { _ in shapes.location() }
      points += geometries.compactMap { $0?.vertices.xy[1] }
      try check(geometries, points, radii: [3], minimumContained: 20, minimumNear: 50)
    }
  }

  /// Items with coordinates that are not finite are reported and never found; invalid points and
  /// radii find nothing.
  @Test func whatIsNoNumber() {
    let line = Polyline(VertexList([SIMD2(0, 0), SIMD2(.nan, 1), SIMD2(5, 5)]))
    let geometries: [Geometry?] = [
      .polyline(line), .point(Point(x: 1, y: 1)), .point(Point(x: .infinity, y: 1)),
      .envelope(Envelope(xMin: -.infinity, yMin: 0, xMax: 1, yMax: 1)),
      .polygon(Polygon(VertexList([SIMD2(0, 0), SIMD2(0, 9), SIMD2(9, .infinity)]))),
      .point(Point(x: .nan, y: 3)), .multipoint(Multipoint(VertexList())),
    ]
    let locator = GeometryLocator(geometries, period: .nan)
    #expect(locator.count == 7 && locator.unusable == [0, 2, 3, 4, 5])
    #expect(locator.items(at: SIMD2(1, 1)) == [1] && locator.period == nil)
    #expect(locator.envelope.xMin == 1 && locator.envelope.xMax == 1)
    let endless = Double.infinity
    #expect(locator.hits(near: SIMD2(0, 1), within: endless).map(\.item) == [1])
    let nowhere: [SIMD2<Double>] = [
      SIMD2(.nan, 1), SIMD2(1, .nan), SIMD2(endless, 1), SIMD2(-endless, .nan),
    ]
    for point in nowhere {
      #expect(locator.items(at: point) == [])
      #expect(locator.hits(near: point, within: 5) == [])
    }
    for searchRadius in [-1, -endless, Double.nan] {
      #expect(locator.hits(near: SIMD2(1, 1), within: searchRadius) == [])
    }
    let lists = locator.items(atEach: [.nan, 1, .infinity], [1, 1, .nan])
    #expect(lists.offsets == [0, 0, 1, 1] && lists.items == [1])
    let none = GeometryLocator([])
    #expect(none.envelope.isEmpty && none.items(at: .zero) == [] && none.count == 0)
    #expect(none.hits(near: .zero, within: endless) == [])
    #expect(none.items(atEach: [0, 1], [0, 1]).offsets == [0, 0, 0])
    #expect(none.items(atEach: [], []).offsets == [0])
  }

  /// The squares of these numbers overflow; their distances do not.
  @Test func veryLargeAndVerySmallNumbers() {
    let geometries: [Geometry?] = [
      .polyline(Polyline(VertexList([SIMD2(-1e200, 1e199), SIMD2(1e200, 1e199)]))),
      .point(Point(x: 3e200, y: 4e200)),
    ]
    let hits = GeometryLocator(geometries).hits(near: SIMD2(0, 0), within: 1e201)
    #expect(hits.map(\.item) == [0, 1])
    #expect((hits[0].distance / 1e199 - 1).magnitude < 1e-14)
    #expect((hits[1].distance / 5e200 - 1).magnitude < 1e-14)
    // The distance of the point from the line is less than half a unit in the last place.
    let line = Polyline(VertexList([SIMD2(0, 0), SIMD2(3, 1)]))
    let beside = SIMD2(1.5, 0.5.nextUp)
    let near = GeometryLocator([.polyline(line)])
    #expect(near.items(at: SIMD2(1.5, 0.5)) == [0] && near.items(at: beside) == [])
    let hit = near.hits(near: beside, within: 1e-10)
    #expect(hit.count == 1 && hit[0].distance > 0 && hit[0].distance < 1.2e-16)
  }

  /// With a period, a point is equivalent to the point shifted by a period, and each item is found
  /// once.
  @Test func turns() {
    let box = Envelope(xMin: 170, yMin: -10, xMax: 180, yMax: 10)
    let ring: [SIMD2<Double>] = [
      SIMD2(-180, -10), SIMD2(-180, 10), SIMD2(-170, 10), SIMD2(-170, -10),
    ]
    let geometries: [Geometry?] = [
      .envelope(box), .polygon(Polygon(VertexList(ring))), .point(Point(x: 180, y: 0)),
      .polyline(Polyline(VertexList([SIMD2(175, 0), SIMD2(185, 0)]))), .point(Point(x: 0, y: 0)),
      .multipoint(Multipoint(VertexList([SIMD2(-180, 0), SIMD2(180, 0), SIMD2(180, 0)]))),
    ]
    let locator = GeometryLocator(geometries, period: 360)
    let expected: [(Double, [Int])] = [
      (180, [0, 1, 2, 3, 5]), (-180, [0, 1, 2, 3, 5]), (540, [0, 1, 2, 3, 5]),
      (-175, [1, 3]), (185, [1, 3]), (-535, [1, 3]), (-174, [1]), (0, [4]), (360, [4]),
      (-720, [4]), (175, [0, 3]), (90, []),
    ]
    for (x, items) in expected {
      #expect(locator.items(at: SIMD2(x, 0)) == items, "\(x)")
      #expect(locator.hits(near: SIMD2(x, 0), within: 0).map(\.item) == items, "\(x)")
    }
    for threads in [1, 3] {
      let lists = locator.items(
        atEach: expected.map(\.0), expected.map { _ in 0 }, workers: Workers(count: threads))
      #expect(expected.indices.map { lists[$0].map(Int.init) } == expected.map(\.1))
    }
    let hits = locator.hits(near: SIMD2(-178, 0), within: 3)
    #expect(hits.map(\.item) == [0, 1, 2, 3, 5] && hits.map(\.distance) == [2, 0, 2, 0, 2])
    #expect(hits[0].nearest == SIMD2(180, 0) && hits[3].nearest == SIMD2(182, 0))
    // A radius of more than a period: the shorter way is used.
    let far = locator.hits(near: SIMD2(-170, 0), within: 1000)
    #expect(far.map(\.item) == [0, 1, 2, 3, 4, 5] && far[4].distance == 170)
    let plain = GeometryLocator(geometries)
    #expect(plain.items(at: SIMD2(-180, 0)) == [1, 5])
  }
}
