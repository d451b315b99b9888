import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

/// Buffers of geometries whose edges are so close that GEOS does not receive all of them at once.
@Suite struct CrowdedBufferTests {
  /// A ring with random vertices between two circles.
  private func jagged(_ count: Int, inner: Double, outer: Double, seed: UInt64) -> [SIMD2<Double>] {
    var shapes = RandomShapes(seed: seed)
    var ring = (0..<count).map { step in
      let (sine, cosine) = sineAndCosine(ofDegrees: -360 * Double(step) / Double(count))
      return SIMD2(cosine, sine) * shapes.number(inner...outer)
    }
    ring.append(ring[0])
    return ring
  }

  private static let joins: [PlanarBufferOptions] = [
    PlanarBufferOptions(segmentsPerQuarter: 8),
    PlanarBufferOptions(cap: .flat, segmentsPerQuarter: 8),
    PlanarBufferOptions(cap: .square, join: .mitre(limit: 3), segmentsPerQuarter: 8),
    PlanarBufferOptions(cap: .flat, join: .bevel, segmentsPerQuarter: 8),
  ]

  /// The area equals the area computed by GEOS, which can still buffer a ring of this size.
  @Test(arguments: [100.0, -100])
  func polygonsAreThoseOfGEOS(_ distance: Double) throws {
    let polygon = Polygon(VertexList(jagged(4000, inner: 800, outer: 1000, seed: 1)))
    let geometry = Geometry.polygon(polygon)
    let edges = BufferEdges(geometry)
    #expect(edges.areCrowded(within: distance))
    let options = Self.joins[0]
    let context = try GEOSContext()
    let expected = try ShapeParts(
      context.buffer(context.shape(of: geometry), distance: distance, options)
    ).polygon(nil)
    let found = try GeometryEngine.buffer(
      around: [geometry], distances: [distance], method: .planar(options))[0]
    try expectSame(expected, found, distance, options)
    #expect(found.vertices.count < 2 * expected.vertices.count)
  }

  /// Holes that the distance does not fill remain, with their islands, even where parts overlap.
  @Test(arguments: [70.0, 300, -70])
  func lakesAndIslands(_ distance: Double) throws {
    let shore = jagged(1200, inner: 900, outer: 1000, seed: 5)
    let lake = Array(jagged(1200, inner: 400, outer: 450, seed: 6).reversed())
    let island = jagged(1200, inner: 100, outer: 150, seed: 7)
    let other = jagged(1200, inner: 300, outer: 500, seed: 8).map { $0 + SIMD2(1200, 0) }
    let (rings, parts) =
      distance > 0 ? ([shore, lake, island, other], [2, 3, 4]) : ([shore, lake, island], [2, 3])
    let polygon = Polygon(
      VertexList(rings.flatMap { $0 }),
      ringEnds: rings.indices.map { rings[...$0].reduce(0) { $0 + $1.count } }, partEnds: parts)
    let geometry = Geometry.polygon(polygon)
    #expect(BufferEdges(geometry).areCrowded(within: distance))
    let options = Self.joins[0]
    let context = try GEOSContext()
    let valid = try context.madeValidByParts(context.shape(of: geometry))
    let expected = try ShapeParts(context.buffer(valid, distance: distance, options)).polygon(nil)
    let found = try GeometryEngine.buffer(
      around: [geometry], distances: [distance], method: .planar(options))[0]
    try expectSame(expected, found, distance, options)
    #expect(found.partEnds.count == (distance == 300 ? 1 : 2))
    #expect(found.ringEnds.count == (distance == 300 ? 1 : 3))
  }

  private func expectSame(
    _ expected: Polygon, _ found: Polygon, _ distance: Double, _ options: PlanarBufferOptions
  ) throws {
    let between = try GeometryEngine.symmetricDifference(.polygon(expected), .polygon(found))
    let angle = 45 / Double(options.segmentsPerQuarter)
    let deviation = distance.magnitude * (1 - sineAndCosine(ofDegrees: angle).cosine)
    let area = try between.map { (shape) throws in try GeometryEngine.area(of: shape) } ?? 0
    let outline = try GeometryEngine.length(of: .polygon(expected))
    #expect(area <= 2 * deviation * outline, "\(area) m², \(outline) m of outline")
  }

  /// A zigzag with ends and joins of any kind: its buffer is a strip with a short outline.
  @Test(arguments: joins)
  func linesFillTheirStrip(_ options: PlanarBufferOptions) throws {
    let zigzag = (0..<5000).map { SIMD2(Double($0) * 0.04, $0 % 2 == 0 ? 0.0 : 10) }
    let geometry = Geometry.polyline(Polyline(VertexList(zigzag)))
    #expect(BufferEdges(geometry).areCrowded(within: 4))
    let found = try GeometryEngine.buffer(
      around: [geometry], distances: [4], method: .planar(options))[0]
    let locator = try PolygonLocator([found])
    func holds(_ x: Double, _ y: Double) -> Bool {
      locator.location(of: SIMD2(x, y), inPolygon: 0) == .interior
    }
    for x in stride(from: 1.0, to: 199, by: 7.3) {
      #expect(holds(x, 5) && holds(x, -3.9) == (options.join != .bevel))
      #expect(!holds(x, -13) && !holds(x, 23))
    }
    #expect(holds(-3.9, 5) && !holds(-6, 5))
  }

  @Test func fewOrFarEdgesAreNotCrowded() {
    let far = BufferEdges(
      .polygon(Polygon(VertexList(jagged(50_000, inner: 999.9, outer: 1000, seed: 2)))))
    #expect(!far.areCrowded(within: 0.05))
    #expect(far.areCrowded(within: 30))
    // An almost circular ring keeps few edges.
    #expect(far.thinned(within: 0.2).xy.count < 200)
    let few = BufferEdges(.polygon(Polygon(VertexList(jagged(500, inner: 1, outer: 9, seed: 3)))))
    #expect(!few.areCrowded(within: 1e6))
  }

  /// No removed vertex is farther than the slack from the edge that replaces it.
  @Test func thinnedEdgesPassBy() {
    var shapes = RandomShapes(seed: 4)
    for step in 0..<200 {
      var point = SIMD2(0.0, 0)
      let size = [0.01, 0.3, 2, 50][step % 4]
      let xy = (0..<60).map { _ in
        point += shapes.location(-1...1) * size + SIMD2(step % 3 == 0 ? size : 0, 0)
        return point
      }
      let chain = BufferEdges.Chain(vertices: 0..<xy.count, isClosed: false)
      let thinned = BufferEdges(xy: xy, chains: [chain]).thinned(within: 1)
      #expect(thinned.xy.first == xy.first && thinned.xy.last == xy.last)
      var next = 0
      for point in xy {
        // The edges are in the order of the vertices that they replace.
        if next + 1 < thinned.xy.count, point == thinned.xy[next + 1] { next += 1 }
        let (a, b) = (thinned.xy[next], thinned.xy[min(next + 1, thinned.xy.count - 1)])
        let square = ((b - a) * (b - a)).sum()
        let share = square > 0 ? min(1, max(0, ((point - a) * (b - a)).sum() / square)) : 0
        #expect((point - a - (b - a) * share).planarLength <= 1 + 1e-12)
      }
    }
  }
}
