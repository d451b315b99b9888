import PlumbCore
import PlumbGeotriggers
import Testing

/// Areas that are used although their interior may not be the intended one.
@Suite struct FenceShapeTests {
  private func area(_ rings: [(Double, Double)]...) -> Geometry {
    var ends: [Int] = []
    for ring in rings { ends.append((ends.last ?? 0) + ring.count) }
    return .polygon(
      Polygon(
        VertexList(rings.joined().map { SIMD2($0.0, $0.1) }), ringEnds: ends,
        spatialReference: .wgs84))
  }

  private func warnings(_ geometry: Geometry, buffer: Double = 0) throws -> [String] {
    let set = try FenceSet(
      [Fence(id: "4", name: "Yard", geometry: geometry)], bufferDistance: buffer)
    #expect(set.hasUsableFence)
    return set.shapeWarnings().map(\.description)
  }

  @Test("Bow-ties, rings without area and holes outside are reported") func flawed() throws {
    let bow = try warnings(area([(0, 0), (1, 1), (1, 0), (0, 1), (0, 0)]))
    #expect(bow.count == 1)
    #expect(bow.first?.hasPrefix("fence 4 (Yard): its area is not well formed: self-inter") == true)
    #expect(bow.first?.hasSuffix("at 0.5, 0.5") == true)
    for flat in [
      area([(0, 0), (1, 1), (2, 2), (0, 0)]), area([(0, 0), (0, 5), (0, 2), (0, 0)]),
      area([(3, 3), (3, 3), (3, 3), (3, 3)]), area([(0, 0), (0.1, 0.3), (0.2, 0.6), (0, 0)]),
    ] {
      let found = try warnings(flat)
      #expect(found.count == 1 && found[0].contains("a ring with zero area at"), "\(found)")
    }
    let square = [(0.0, 0.0), (0, 4), (4, 4), (4, 0), (0, 0)]
    let outside = try warnings(area(square, [(5, 5), (6, 5), (6, 6), (5, 6), (5, 5)]))
    #expect(outside.count == 1 && outside[0].contains("hole lies outside"), "\(outside)")
    let crossing = try warnings(area(square, [(2, 2), (6, 2), (6, 3), (2, 3), (2, 2)]))
    #expect(crossing.count == 1, "\(crossing)")
  }

  @Test("Rings that take the long way around are reported") func long() throws {
    let found = try warnings(area([(179, 0), (-179, 0), (-179, 1), (179, 1), (179, 0)]))
    #expect(found.count == 1 && found[0].hasPrefix("fence 4 (Yard): a ring has an edge over 358"))
    #expect(try warnings(area([(179, 0), (181, 0), (181, 1), (179, 1), (179, 0)])) == [])
  }

  @Test("Valid areas, touching rings and omitted areas are not reported")
  func sound() throws {
    let square = [(0.0, 0.0), (0, 4), (4, 4), (4, 0), (0, 0)]
    #expect(try warnings(area(square)) == [])
    #expect(try warnings(area(square, [(1, 1), (2, 1), (2, 2), (1, 1)])) == [])
    #expect(
      try warnings(area(square, [(0, 0), (2, 1), (2, 2), (0, 0)])) == [], "a hole that touches")
    #expect(try warnings(area([(0, 0), (0, 1e-9), (1e-9, 1e-9), (1e-9, 0), (0, 0)])) == [])
    #expect(
      try warnings(area([(0, 0), (1000, 1e-6), (1000, 0), (0, 0)].map { ($0.0 / 10, $0.1) })) == [])
    #expect(try warnings(.point(Point(x: 1, y: 2, spatialReference: .wgs84)), buffer: 5) == [])
    let empty = try FenceSet(
      [
        Fence(
          id: "1",
          geometry: .polygon(Polygon(VertexList([]), ringEnds: [], spatialReference: .wgs84)))
      ])
    #expect(empty.warnings.count == 1 && empty.shapeWarnings() == [])
  }
}
