import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct ShapeOperationTests {
  private let oracle = GEOSOracle()

  /// All turns of a hull are to one side, and it contains every vertex.
  @Test(arguments: 0..<20)
  func hulls(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed)
    let input = [shapes.polyline(), .polygon(shapes.tangle()), shapes.point()]
    guard case .polygon(let hull) = try GeometryEngine.convexHull(of: input) else {
      Issue.record("a hull is a polygon")
      return
    }
    let ring = hull.vertices.xy
    for point in input.flatMap(\.vertices.xy) {
      for (a, b) in zip(ring, ring.dropFirst()) {
        // Clockwise: inside is to the right.
        #expect((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) <= 1e-9)
      }
    }
    #expect(Set(ring).isSubset(of: Set(input.flatMap(\.vertices.xy))))
  }

  @Test func hullsWithoutArea() throws {
    let point = Geometry.point(Point(x: 1, y: 2))
    #expect(try GeometryEngine.convexHull(of: [point, point]) == point)
    #expect(
      try GeometryEngine.convexHull(of: [point, .point(Point(x: 3, y: 4))])?.dimension == 1)
    #expect(try GeometryEngine.convexHull(of: [Geometry.polygon(.empty())]) == nil)
    #expect(try GeometryEngine.convexHull(of: [Geometry]()) == nil)
    let error = #expect(throws: GeometryError.self) {
      try GeometryEngine.convexHull(of: [point, .point(Point(x: 3, y: .infinity))])
    }
    #expect(error?.member == 1)
  }

  /// The result of `simplify` is simple, has the same dimension, and is unchanged by a second call.
  @Test(arguments: 0..<300)
  func simplifiedIsSimple(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed)
    let geometry = seed % 3 == 0 ? .polygon(shapes.tangle()) : shapes.lattice()
    let simple = try GeometryEngine.simplify(geometry)
    #expect(simple.dimension == geometry.dimension)
    #expect(try GeometryEngine.isSimple(simple))
    #expect(try GeometryEngine.simplify(simple) == simple)
    if try GeometryEngine.isSimple(geometry) { #expect(simple == geometry) }
  }

  @Test func whatIsSimple() throws {
    for (text, expected) in [
      ("POLYGON ((0 0, 0 2, 2 2, 2 0, 0 0))", true),
      ("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", false),
      ("POLYGON ((0 0, 0 9, 9 9, 9 0, 0 0), (20 20, 30 20, 30 30, 20 20))", false),
      ("LINESTRING (0 0, 2 2, 2 0, 0 2)", false), ("LINESTRING (0 0, 2 2, 2 0, 0 0)", true),
      ("MULTIPOINT (0 0, 1 1)", true), ("MULTIPOINT (0 0, 1 1, 0 0)", false),
    ] {
      let geometry = try oracle.geometry(text)
      #expect(try GeometryEngine.isSimple(geometry) == expected, "\(text)")
    }
    #expect(try !GeometryEngine.isSimple(.envelope(flat)))
  }

  @Test func eightsAndOverlaps() throws {
    let eight = try oracle.geometry("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))")
    #expect(try oracle.area(GeometryEngine.simplify(eight)) == 2)
    let overlap = try oracle.geometry(
      "MULTIPOLYGON (((0 0, 0 2, 2 2, 2 0, 0 0)), ((1 1, 1 3, 3 3, 3 1, 1 1)))")
    #expect(try oracle.area(GeometryEngine.simplify(overlap)) == 6)
    #expect(try GeometryEngine.simplify(.envelope(flat)).isEmpty)
    let back = try oracle.geometry("LINESTRING (0 0, 4 0, 2 0)")
    #expect(try oracle.length(GeometryEngine.simplify(back)) == 4)
  }

  @Test func boundaries() throws {
    let square = try oracle.geometry(
      "POLYGON ((0 0, 0 9, 9 9, 9 0, 0 0), (2 2, 3 2, 3 3, 2 3, 2 2))")
    let rings = try #require(try GeometryEngine.boundary(of: square))
    #expect(try oracle.length(rings) == 40)
    guard case .polyline(let line) = rings else {
      Issue.record("an area's boundary is a line")
      return
    }
    #expect(line.parts.count == 2)
    #expect(try GeometryEngine.boundary(of: rings) == nil)
    let ends = try GeometryEngine.boundary(of: oracle.geometry("LINESTRING (0 0, 5 5, 9 0)"))
    #expect(ends?.vertices.xy == [SIMD2(0, 0), SIMD2(9, 0)])
    #expect(try GeometryEngine.boundary(of: .point(Point(x: 0, y: 0))) == nil)
  }

  /// The clipped shape is inside the window, and the pieces of all windows together are the whole
  /// shape.
  @Test(arguments: 0..<40)
  func clipsAreExact(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed + 31)
    let geometry = seed % 2 == 0 ? Geometry.polygon(shapes.tangle()) : shapes.polyline()
    var measure = 0.0
    for row in 0..<3 {
      for column in 0..<3 {
        let window = Envelope(
          xMin: Double(column) * 35, yMin: Double(row) * 35, xMax: Double(column + 1) * 35,
          yMax: Double(row + 1) * 35)
        guard let clip = try GeometryEngine.clip(geometry, to: window) else { continue }
        #expect(clip.dimension == geometry.dimension)
        #expect(try oracle.isValid(clip))
        let bounds = clip.envelope
        #expect(bounds.xMin >= window.xMin && bounds.xMax <= window.xMax)
        #expect(bounds.yMin >= window.yMin && bounds.yMax <= window.yMax)
        measure += try clip.dimension == 2 ? oracle.area(clip) : oracle.length(clip)
      }
    }
    let whole = try GeometryEngine.simplify(geometry)
    let expected = try geometry.dimension == 2 ? oracle.area(whole) : oracle.length(whole)
    #expect(abs(measure - expected) <= 1e-9 * expected)
  }

  @Test func clipsOfWholesAndPoints() throws {
    let window = Envelope(xMin: 0, yMin: 0, xMax: 10, yMax: 10)
    let points = Multipoint(
      VertexList(
        [SIMD2(0, 0), SIMD2(11, 0), SIMD2(5, 10)], z: [1, 2, 3], m: [4, 5, 6]))
    let kept = try GeometryEngine.clip(.multipoint(points), to: window)
    #expect(
      kept
        == .multipoint(
          Multipoint(VertexList([SIMD2(0, 0), SIMD2(5, 10)], z: [1, 3], m: [4, 6]))))
    let high = Geometry.polyline(
      Polyline(VertexList([SIMD2(1, 1), SIMD2(2, 5)], z: [7, 8])))
    #expect(try GeometryEngine.clip(high, to: window) == high)
    #expect(try GeometryEngine.clip(high, to: .empty()) == nil)
    #expect(try GeometryEngine.clip(.point(Point(x: 11, y: 0)), to: window) == nil)
    // Next to the window, with a shared side.
    let beside = Geometry.envelope(Envelope(xMin: 10, yMin: 0, xMax: 20, yMax: 10))
    #expect(try GeometryEngine.clip(beside, to: window) == nil)
    #expect(throws: GeometryError.self) {
      try GeometryEngine.clip(.point(Point(x: .nan, y: 0)), to: window)
    }
  }

  @Test func heightsAndMeasuresGo() {
    let vertices = VertexList(
      [SIMD2(0, 0), SIMD2(0, 1), SIMD2(1, 0), SIMD2(0, 0)], z: [1, 2, 3, 1], m: [5, 6, 7, 5])
    let all: [Geometry] = [
      .point(Point(x: 1, y: 2, z: 3, m: 4)), .multipoint(Multipoint(vertices)),
      .polyline(Polyline(vertices)), .polygon(Polygon(vertices)),
    ]
    for geometry in all {
      let flat = GeometryEngine.removingZ(from: geometry)
      #expect(flat.vertices.z == nil && flat.vertices.m == geometry.vertices.m)
      let plain = GeometryEngine.removingM(from: geometry)
      #expect(plain.vertices.m == nil && plain.vertices.z == geometry.vertices.z)
      #expect(flat.vertices.xy == geometry.vertices.xy)
    }
    let window = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1, zRange: 0...1, mRange: 2...3)
    guard case .envelope(let flat) = GeometryEngine.removingZ(from: .envelope(window)) else {
      Issue.record("an envelope stays one")
      return
    }
    #expect(flat.zRange == nil && flat.mRange == 2...3)
  }

  private var flat: Envelope { Envelope(xMin: 0, yMin: 1, xMax: 4, yMax: 1) }
}
