import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// The first known CRS is used and the other geometries are projected to it; errors name the
/// invalid geometry.
@Suite struct MixedReferenceTests {
  private let utm: SpatialReference

  init() throws { utm = try SpatialReference("EPSG:32633") }

  /// Far from the zone's meridian a window in degrees is rotated by some degrees in UTM: the bounding
  /// box of its corners there contains points outside of the window.
  private let degrees = Envelope(
    xMin: 10, yMin: 45, xMax: 11, yMax: 45.2, spatialReference: .wgs84)

  /// Each point of a grid around the window is inside in UTM if it is inside in degrees, except
  /// near the sides, which are straight in both.
  @Test func aRotatedWindowContainsTheSamePoints() throws {
    let window = Geometry.envelope(degrees)
    var (inside, outside) = (0, 0)
    for step in 0..<400 {
      let x = 9.9 + 1.2 * (Double(step % 20) + 0.5) / 20
      let y = 44.95 + 0.3 * (Double(step / 20) + 0.5) / 20
      let isInside = x > 10 && x < 11 && y > 45 && y < 45.2
      let point = Geometry.point(Point(x: x, y: y, spatialReference: .wgs84))
      let there = try GeometryEngine.project(point, to: utm)
      #expect(try GeometryEngine.within(there, window) == isInside, "\(x) \(y)")
      #expect(try (GeometryEngine.distance(from: there, to: window) == 0) == isInside)
      #expect(try (GeometryEngine.clip(there, to: degrees) != nil) == isInside)
      if isInside { inside += 1 } else { outside += 1 }
    }
    #expect(inside > 100 && outside > 100)
  }

  @Test func clipsKeepToATurnedWindow() throws {
    let wide = try GeometryEngine.project(
      MeasureTests.polygon([SIMD2(9, 44), SIMD2(9, 46), SIMD2(12, 46), SIMD2(12, 44)]), to: utm)
    let clipped = try #require(try GeometryEngine.clip(wide, to: degrees))
    #expect(clipped.spatialReference == utm)
    let corners = try GeometryEngine.project(.polygon(degrees.polygon), to: utm)
    let (area, expected) = try (GeometryEngine.area(of: clipped), GeometryEngine.area(of: corners))
    #expect((area - expected).magnitude < 1e-9 * expected)
    // Completely inside, and therefore unchanged; points keep their heights.
    let small = try GeometryEngine.project(
      .polyline(
        Polyline(VertexList([[10.2, 45.1], [10.8, 45.1]], z: [1, 2]), spatialReference: .wgs84)),
      to: utm)
    #expect(try GeometryEngine.clip(small, to: degrees) == small)
    let points = try GeometryEngine.project(
      .multipoint(
        Multipoint(VertexList([[10.2, 45.1], [12, 45]], z: [1, 2]), spatialReference: .wgs84)),
      to: utm)
    #expect(try GeometryEngine.clip(points, to: degrees)?.vertices.z == [1])
  }

  /// From degrees to Mercator a window remains a window, with its ranges.
  @Test func windowsThatStayWindows() throws {
    let mercator = try SpatialReference("EPSG:3857")
    var window = degrees
    window.zRange = 1...2
    let (geometries, _) = try GeometryEngine.inCommonReference([
      .point(Point(x: 0, y: 0, spatialReference: mercator)), .envelope(window),
    ])
    guard case .envelope(let there) = geometries[1] else {
      Issue.record("not a window")
      return
    }
    #expect(there.zRange == 1...2)
    #expect(try .envelope(there) == GeometryEngine.project(.envelope(window), to: mercator))
  }

  /// The parallel of 60° is a circle around the pole. A window computed only from its corners would
  /// have no width.
  @Test func aProjectedWindowContainsItsSides() throws {
    let polar = try SpatialReference("EPSG:3413")
    let cap = Envelope(xMin: -180, yMin: 60, xMax: 180, yMax: 90, spatialReference: .wgs84)
    let window = try GeometryEngine.project(.envelope(cap), to: polar).envelope
    let side = try GeometryEngine.project(
      .point(Point(x: 45, y: 60, spatialReference: .wgs84)), to: polar
    ).vertices.xy[0]
    let radius = side.planarLength
    for bound in [-window.xMin, -window.yMin, window.xMax, window.yMax] {
      #expect((bound - radius).magnitude < 0.01 * radius)
    }
  }

  @Test func aLineTakesThePointsReference() throws {
    let line = Polyline(VertexList([[0, 0], [0, 10]]))
    let point = Point(x: 1, y: 4, spatialReference: .wgs84)
    let part = try GeometryEngine.fraction(along: line, nearestTo: point, measure: .geodesic())
    #expect((part - 0.4).magnitude < 0.01)
  }

  @Test func distancesNameTheGeometryAtFault() throws {
    let good = Geometry.point(Point(x: 1, y: 2, spatialReference: .wgs84))
    let bad = Geometry.point(Point(x: .nan, y: 2, spatialReference: .wgs84))
    let far = Geometry.point(Point(x: 1, y: 95, spatialReference: .wgs84))
    for (pair, measure, member) in [
      ((good, bad), Measure.planar, 1), ((bad, good), .planar, 0), ((good, far), .geodesic(), 1),
      ((far, good), .geodesic(), 0),
    ] {
      let error = #expect(throws: GeometryError.self) {
        try GeometryEngine.distance(from: pair.0, to: pair.1, measure: measure)
      }
      #expect(error?.member == member)
    }
    // A hole without an exterior ring, for which GEOS would return 0.
    let hollow = Geometry.polygon(
      Polygon(
        VertexList([[0, 0], [1, 0], [0, 1]]), ringEnds: [0, 3], partEnds: [2],
        spatialReference: .wgs84))
    #expect(throws: GeometryError.self) { try GeometryEngine.distance(from: hollow, to: good) }
  }

  /// Both lobes of a figure eight are area: 4 around (1, 0) and 1 around (−0.5, 0), not 4 − 1.
  @Test func theCentreOfAnEightIsBetweenItsLobes() throws {
    let eight = MeasureTests.polygon([[-1, -1], [-1, 1], [2, -2], [2, 2]], nil)
    let centre = try GeometryEngine.centroid(of: eight)
    let expected = (4 * (2 * 2.0 / 3) - 1 * (2 * 1.0 / 3)) / 5
    #expect((centre.x - expected).magnitude < 1e-12 && centre.y.magnitude < 1e-12)
  }

  /// The result overflows: it is an error, not 0, infinity or a crash.
  @Test func beyondTheNumbers() throws {
    let huge = MeasureTests.polygon([[-1e308, -1e308], [1e308, -1e308], [1e308, 1e308]], nil)
    #expect(throws: GeometryError.self) { try GeometryEngine.area(of: huge) }
    #expect(throws: GeometryError.self) { try GeometryEngine.length(of: huge) }
    #expect(throws: GeometryError.self) { try GeometryEngine.centroid(of: huge) }
    for shape in [huge, MeasureTests.line([[0, 0], [1, 1]], nil)] {
      #expect(throws: GeometryError.self) {
        try GeometryEngine.buffer(around: [shape], distances: [1e308])
      }
    }
  }

  /// A geodesic crosses a sliver, whose ring is then reversed.
  @Test func densifiedSliversRunTheRightWay() throws {
    for vertex in [50.001, 49.999] {
      let sliver = MeasureTests.polygon([[0, 50], [10, 50], [5, vertex]])
      let dense = try GeometryEngine.densify(
        sliver, maxSegmentLength: 10_000, measure: .geodesic())
      guard case .polygon(let polygon) = dense else { continue }
      #expect(polygon.vertices.orientation(ofRing: polygon.rings[0]) == -1)
    }
  }
}
