import CGDAL
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

@testable import PlumbExpressions

/// Geometries created by programs. OGR measures and relates them from their well-known text.
@Suite struct ArcadeGeometryOracleTests {
  private struct Shape {
    var definition: ArcadeValue
    var text: String
  }

  private func list(_ points: [SIMD2<Double>]) -> ArcadeValue {
    .array(ArcadeArray(points.map { [.number($0.x), .number($0.y)] }))
  }

  private func text(_ points: [SIMD2<Double>]) -> String {
    "(" + points.map { "\($0.x) \($0.y)" }.joined(separator: ",") + ")"
  }

  /// A star around a centre, possibly with a hole; a path; or a point.
  private func shape(_ random: inout SeededGenerator) -> Shape {
    let centre = SIMD2(
      Double.random(in: 0...20, using: &random), Double.random(in: 0...20, using: &random))
    func star(_ radius: Double) -> [SIMD2<Double>] {
      // Clockwise.
      let arms = [
        SIMD2(-1.0, 0), SIMD2(-0.7, 0.7), SIMD2(0, 1), SIMD2(0.7, 0.7), SIMD2(1, 0), SIMD2(0, -1),
      ]
      let points = arms.map { centre + $0 * radius * Double.random(in: 0.6...1, using: &random) }
      return points + [points[0]]
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return Shape(
        definition: ["x": .number(centre.x), "y": .number(centre.y)],
        text: "POINT(\(centre.x) \(centre.y))")
    case 1:
      let way = (0..<4).map { _ in
        SIMD2(Double.random(in: 0...20, using: &random), Double.random(in: 0...20, using: &random))
      }
      return Shape(definition: ["paths": [list(way)]], text: "LINESTRING" + text(way))
    case 2:
      let ring = star(6)
      return Shape(definition: ["rings": [list(ring)]], text: "POLYGON(" + text(ring) + ")")
    default:
      let (ring, hole) = (star(8), Array(star(2).reversed()))
      return Shape(
        definition: ["rings": [list(hole), list(ring)]],
        text: "POLYGON(\(text(ring)),\(text(hole)))")
    }
  }

  @Test("Measures, relations and overlays are OGR's", arguments: [1, 2] as [UInt64])
  func ogr(seed: UInt64) throws {
    GDALLibrary.start()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let shapes = [shape(&random), shape(&random)]
      let made = try shapes.map { try arcade("Geometry", $0.definition) }
      let theirs = try shapes.map { shape in
        var geometry: OGRGeometryH?
        var text: UnsafeMutablePointer<CChar>? = strdup(shape.text)
        let start = text
        defer { free(start) }
        try #require(OGR_G_CreateFromWkt(&text, nil, &geometry) == OGRERR_NONE)
        return try #require(geometry)
      }
      defer { theirs.forEach { OGR_G_DestroyGeometry($0) } }
      let (a, b) = (theirs[0], theirs[1])
      func agrees(_ name: String, _ values: [ArcadeValue], _ expected: Double) throws {
        let found = try arcade(name, values, CallContext()).asNumber
        #expect(
          abs(found - expected) <= 1e-9 * max(1, abs(expected)), "\(name) of \(shapes.map(\.text))")
      }
      try agrees("Distance", made, OGR_G_Distance(a, b))
      for (value, geometry) in zip(made, theirs) {
        let isArea = OGR_G_GetDimension(geometry) == 2
        try agrees("Area", [value], isArea ? OGR_G_Area(geometry) : 0)
        if OGR_G_GetDimension(geometry) == 1 {
          try agrees("Length", [value], OGR_G_Length(geometry))
        }
      }
      let relations: [(String, Bool)] = [
        ("Contains", OGR_G_Contains(a, b) != 0), ("Within", OGR_G_Within(a, b) != 0),
        ("Crosses", OGR_G_Crosses(a, b) != 0), ("Overlaps", OGR_G_Overlaps(a, b) != 0),
        ("Touches", OGR_G_Touches(a, b) != 0), ("Intersects", OGR_G_Intersects(a, b) != 0),
        ("Disjoint", OGR_G_Disjoint(a, b) != 0), ("Equals", OGR_G_Equals(a, b) != 0),
      ]
      for (name, answer) in relations {
        #expect(
          same(try arcade(name, made, CallContext()), .boolean(answer)),
          "\(name) of \(shapes.map(\.text))")
      }
      guard OGR_G_GetDimension(a) == 2, OGR_G_GetDimension(b) == 2 else { continue }
      for (name, result) in [
        ("Intersection", OGR_G_Intersection(a, b)), ("Union", OGR_G_Union(a, b)),
        ("Difference", OGR_G_Difference(a, b)),
        ("SymmetricDifference", OGR_G_SymDifference(a, b)),
      ] {
        defer { OGR_G_DestroyGeometry(result) }
        let area = OGR_G_IsEmpty(result) != 0 ? 0 : OGR_G_Area(result)
        let joined = try arcade(name, made, CallContext())
        try agrees("Area", [joined], area)
      }
      let centre = OGR_G_CreateGeometry(wkbPoint)
      defer { OGR_G_DestroyGeometry(centre) }
      OGR_G_Centroid(a, centre)
      guard case .geometry(let centroid) = try arcade("Centroid", made[0]) else { continue }
      #expect(abs(centroid.vertices.xy[0].x - OGR_G_GetX(centre, 0)) < 1e-9)
      #expect(abs(centroid.vertices.xy[0].y - OGR_G_GetY(centre, 0)) < 1e-9)
    }
  }
}
