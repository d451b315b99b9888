import PlumbCore
import PlumbTestSupport
import Testing

/// How `Polygon` closes and orients rings.
@Suite struct RingTests {
  private static func orientation(_ ring: [SIMD2<Double>]) -> Int {
    VertexList(ring).orientation(ofRing: 0..<ring.count)
  }

  /// Rings of integers, most of them with almost no area: the sign is that of 128-bit integers, at
  /// every magnitude.
  @Test func orientationIsTheSignOfTheExactArea() {
    var random = SeededGenerator(seed: 5)
    var counts = [0, 0, 0]
    for round in 0..<6000 {
      let bound: Int64 = 1 << Int64.random(in: 2...50, using: &random)
      var ring = (0..<Int.random(in: 3...9, using: &random)).map { _ in
        SIMD2(
          Int64.random(in: -bound...bound, using: &random),
          Int64.random(in: -bound...bound, using: &random))
      }
      if round % 3 != 0 {
        // Back and forth: no area, or the area of one step to the side.
        ring += ring.reversed()
        if round % 3 == 1 { ring[1].x += 1 }
      }
      ring.append(ring[0])
      let area = zip(ring, ring.dropFirst()).reduce(Int128(0)) {
        $0 + Int128($1.0.x) * Int128($1.1.y) - Int128($1.0.y) * Int128($1.1.x)
      }
      let expected = Int(area.signum())
      counts[expected + 1] += 1
      for unit in [0x1p-1074, 0x1p-600, 1, 0x1p960] {
        let points = ring.map { SIMD2(Double($0.x) * unit, Double($0.y) * unit) }
        #expect(Self.orientation(points) == expected, "\(ring) by \(unit)")
      }
    }
    #expect(counts.allSatisfy { $0 > 1000 }, "\(counts)")
  }

  /// Numbers with any exponent: a reversed ring has the opposite orientation, and a ring with a
  /// different first vertex has the same orientation.
  @Test func orientationKnowsNoStart() {
    var random = RandomGeometry(seed: 41)
    for _ in 0..<3000 {
      let count = Int.random(in: 3...7, using: &random.random)
      let ring = random.vertices(count, z: false, m: false).xy
      let start = Int.random(in: 0..<count, using: &random.random)
      let elsewhere = Array(ring[start...] + ring[..<start])
      let whole = Self.orientation(ring + [ring[0]])
      #expect(Self.orientation([ring[0]] + ring.reversed()) == -whole)
      #expect(Self.orientation(elsewhere + [elsewhere[0]]) == whole)
    }
    // The squares of these overflow.
    let large = [SIMD2(-1e308, -1e308), [1e308, -1e308], [1e308, 1e308], [-1e308, -1e308]]
    #expect(Self.orientation(large) == 1 && Self.orientation(large.reversed()) == -1)
  }

  /// A polygon made of another polygon's rings equals that polygon, with any coordinates.
  @Test func makingItAgainChangesNothing() {
    var random = RandomGeometry(seed: 42)
    for round in 0..<2000 {
      var polygon = random.tangle()
      if round % 5 == 0, !polygon.isEmpty {
        var xy = polygon.vertices.xy
        let value = [Double.nan, .infinity, -.infinity].randomElement(using: &random.random) ?? 0
        xy[Int.random(in: 0..<xy.count, using: &random.random)].x = value
        xy[0].y = value
        polygon = Polygon(
          VertexList(xy, z: polygon.vertices.z, m: polygon.vertices.m),
          ringEnds: polygon.ringEnds, partEnds: polygon.partEnds)
      }
      let again = Polygon(
        polygon.vertices, ringEnds: polygon.ringEnds, partEnds: polygon.partEnds)
      #expect(bits(.polygon(again)) == bits(.polygon(polygon)))
    }
  }

  /// Open rings among closed, short and empty rings end with a copy of their first vertex,
  /// including its height and measure; the other rings are unchanged.
  @Test func openRingsAreClosed() {
    let vertices = VertexList(
      [[0, 0], [0, 1], [1, 0], [5, 5], [9, 9], [2, 2], [3, 3], [2, 2]],
      z: [1, 2, 3, 4, 5, 6, 7, 8], m: [8, 7, 6, 5, 4, 3, 2, 1])
    let polygon = Polygon(vertices, ringEnds: [3, 4, 4, 5, 8], partEnds: [1, 4, 5])
    #expect(polygon.ringEnds == [4, 5, 5, 6, 9] && polygon.partEnds == [1, 4, 5])
    #expect(
      polygon.vertices.xy == [
        [0, 0], [0, 1], [1, 0], [0, 0], [5, 5], [9, 9], [2, 2], [3, 3], [2, 2],
      ])
    #expect(polygon.vertices.z == [1, 2, 3, 1, 4, 5, 6, 7, 8])
    #expect(polygon.vertices.m == [8, 7, 6, 8, 5, 4, 3, 2, 1])
  }
}
