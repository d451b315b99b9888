import PlumbCore
import PlumbGeometry
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Rule: a prepared geometry has the same results as the predicates of `GeometryEngine`, and a GEOS
/// call ends when its work is cancelled.
@Suite struct PreparedGeometryTests {
  private static let relations:
    [(
      name: String, prepared: @Sendable (PreparedGeometry, Geometry) throws -> Bool,
      plain: @Sendable (Geometry, Geometry) throws -> Bool
    )] = [
      ("intersects", { try $0.intersects($1) }, { try GeometryEngine.intersects($0, $1) }),
      ("contains", { try $0.contains($1) }, { try GeometryEngine.contains($0, $1) }),
      ("within", { try $0.isWithin($1) }, { try GeometryEngine.within($0, $1) }),
      ("touches", { try $0.touches($1) }, { try GeometryEngine.touches($0, $1) }),
      ("crosses", { try $0.crosses($1) }, { try GeometryEngine.crosses($0, $1) }),
      ("overlaps", { try $0.overlaps($1) }, { try GeometryEngine.overlaps($0, $1) }),
      (
        "relates", { try $0.relates(to: $1, pattern: "t********") },
        { try GeometryEngine.relate($0, $1, pattern: "T********") }
      ),
    ]

  /// A shape on a coarse grid, so that edges and vertices often coincide; some intersect themselves.
  private static func shape(_ generator: inout SeededGenerator) -> Geometry {
    func point() -> SIMD2<Double> {
      SIMD2(
        Double(Int.random(in: 0...6, using: &generator)),
        Double(Int.random(in: 0...6, using: &generator)))
    }
    let points = (0..<Int.random(in: 3...7, using: &generator)).map { _ in point() }
    switch Int.random(in: 0...4, using: &generator) {
    case 0: return .point(Point(x: points[0].x, y: points[0].y))
    case 1: return .multipoint(Multipoint(VertexList(points)))
    case 2: return .polyline(Polyline(VertexList(points), partEnds: [points.count]))
    case 3:
      let (a, b) = (points[0], points[1])
      return .envelope(
        Envelope(
          xMin: min(a.x, b.x), yMin: min(a.y, b.y), xMax: max(a.x, b.x) + 1,
          yMax: max(a.y, b.y) + 1))
    default:
      return .polygon(
        Polygon(VertexList(points + [points[0]]), ringEnds: [points.count + 1], partEnds: [1]))
    }
  }

  @Test func `results are those of the predicates`() throws {
    var generator = SeededGenerator(seed: 11)
    var positives: [String: Int] = [:]
    for _ in 0..<400 {
      let preparedShape = Self.shape(&generator)
      let prepared = try PreparedGeometry(preparedShape)
      for _ in 0..<10 {
        let other = Self.shape(&generator)
        for relation in Self.relations {
          let expected = try relation.plain(preparedShape, other)
          #expect(
            try relation.prepared(prepared, other) == expected,
            "\(relation.name): \(preparedShape) \(other)")
          if expected { positives[relation.name, default: 0] += 1 }
        }
      }
    }
    for relation in Self.relations {
      #expect(positives[relation.name, default: 0] >= 5, "\(relation.name): \(positives)")
    }
  }

  @Test func `invalid patterns`() throws {
    let point = Geometry.point(Point(x: 0, y: 0))
    let prepared = try PreparedGeometry(point)
    for pattern in ["", "T", "T*F**FFF**", "X********"] {
      #expect(throws: GeometryError.self) { try prepared.relates(to: point, pattern: pattern) }
    }
  }

  /// Repairing such a polygon takes minutes.
  @Test func `a call that is cancelled ends`() throws {
    var generator = SeededGenerator(seed: 12)
    let points = (0..<800).map { _ in
      SIMD2(
        Double.random(in: 0...1000, using: &generator),
        Double.random(in: 0...1000, using: &generator))
    }
    let wild = Geometry.polygon(
      Polygon(VertexList(points + [points[0]]), ringEnds: [points.count + 1], partEnds: [1]))
    for delay in [20_000, 200_000, 700_000] as [UInt32] {
      let cancellation = WorkCancellation()
      Workers.detach {
        usleep(delay)
        cancellation.cancel()
      }
      #expect(throws: CancellationError.self) {
        try WorkCancellation.run(cancellation) { _ = try GeometryEngine.simplify(wild) }
      }
    }
    // Other work on the same thread continues.
    let square = Geometry.envelope(Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1))
    #expect(try GeometryEngine.intersects(square, .point(Point(x: 1, y: 1))))
  }
}
