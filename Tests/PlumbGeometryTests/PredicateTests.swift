import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGeometry

@Suite struct PredicateTests {
  private let oracle = GEOSOracle()

  /// Each named predicate corresponds to its pattern of the OGC's simple features (06-103r4,
  /// 6.1.15.3) on the matrix, and they are consistent, on shapes that touch, coincide, intersect
  /// themselves and collapse.
  @Test(arguments: 0..<400)
  func predicatesAreTheirPatterns(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed)
    let (a, b) = (shapes.lattice(), shapes.lattice())
    let matrix = try GeometryEngine.relation(of: a, to: b)
    let intersects = try GeometryEngine.intersects(a, b)
    let disjoint = try GeometryEngine.disjoint(a, b)
    #expect(disjoint == matches(matrix, "FF*FF****"))
    #expect(intersects == !disjoint)
    #expect(try GeometryEngine.contains(a, b) == matches(matrix, "T*****FF*"))
    #expect(try GeometryEngine.within(a, b) == matches(matrix, "T*F**F***"))
    #expect(try GeometryEngine.contains(a, b) == GeometryEngine.within(b, a))
    let touches =
      ["FT*******", "F**T*****", "F***T****"].contains { matches(matrix, $0) }
    #expect(try GeometryEngine.touches(a, b) == touches)
    // The dimensions are those of the repaired shapes.
    let (dimensionA, dimensionB) = try (dimension(a), dimension(b))
    let crosses =
      if dimensionA < dimensionB {
        matches(matrix, "T*T******")
      } else if dimensionA > dimensionB {
        matches(matrix, "T*****T**")
      } else { dimensionA == 1 && matches(matrix, "0********") }
    #expect(try GeometryEngine.crosses(a, b) == crosses)
    let overlaps =
      dimensionA == dimensionB
      && matches(matrix, dimensionA == 1 ? "1*T***T**" : "T*T***T**")
    #expect(try GeometryEngine.overlaps(a, b) == overlaps)
    for pattern in ["T*****FF*", "FF*FF****", "T*T***T**", "T*F**FFF*", matrix] {
      #expect(try GeometryEngine.relate(a, b, pattern: pattern) == matches(matrix, pattern))
    }
    let transposed = String([0, 3, 6, 1, 4, 7, 2, 5, 8].map { Array(matrix)[$0] })
    #expect(try GeometryEngine.relation(of: b, to: a) == transposed)
    #expect(try intersects == (GeometryEngine.intersection(a, b) != nil))
  }

  /// Points and a ring: brute force by crossings of a ray.
  @Test(arguments: 0..<20)
  func pointsInCrossingRings(seed: UInt64) throws {
    var shapes = RandomShapes(seed: seed + 77)
    let tangle = shapes.tangle()
    for _ in 0..<50 {
      let point = shapes.location()
      var isInside = false
      for (a, b) in zip(tangle.vertices.xy, tangle.vertices.xy.dropFirst())
      where (a.y > point.y) != (b.y > point.y) {
        if point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) { isInside.toggle() }
      }
      #expect(
        try GeometryEngine.contains(.polygon(tangle), .point(Point(x: point.x, y: point.y)))
          == isInside)
    }
  }

  @Test func emptyGeometriesAreDisjoint() throws {
    let square = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 2, yMax: 2))
    let empties: [Geometry] = [.point(.empty()), .polygon(.empty()), .envelope(.empty())]
    for empty in empties {
      #expect(try GeometryEngine.disjoint(square, empty))
      #expect(try !GeometryEngine.intersects(empty, square))
      #expect(try !GeometryEngine.contains(square, empty))
      #expect(try !GeometryEngine.touches(square, empty))
    }
  }

  @Test(arguments: ["", "T*F", "T*****FF*T", "T*****FX*", "3********", "T*****FF\n"])
  func patternsThatAreNone(pattern: String) {
    let point = Geometry.point(Point(x: 1, y: 1))
    #expect(throws: GeometryError.self) {
      try GeometryEngine.relate(point, point, pattern: pattern)
    }
  }

  @Test func referencesAreJoined() throws {
    let mercator = try SpatialReference("EPSG:3857")
    let window = Geometry.envelope(
      Envelope(xMin: 0, yMin: 0, xMax: 200_000, yMax: 200_000, spatialReference: mercator))
    let point = Geometry.point(Point(x: 1, y: 1, spatialReference: .wgs84))
    #expect(try GeometryEngine.contains(window, point))
    #expect(try GeometryEngine.within(point, window))
  }

  private func matches(_ matrix: String, _ pattern: String) -> Bool {
    zip(matrix, pattern).allSatisfy { cell, wanted in
      wanted == "*" || cell == wanted || wanted == "T" && cell != "F"
    }
  }

  private func dimension(_ geometry: Geometry) throws -> Int {
    try ShapeParts(oracle.context.validShape(of: geometry)).dimension ?? geometry.dimension
  }
}
