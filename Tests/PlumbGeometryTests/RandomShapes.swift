import PlumbCore
import PlumbTestSupport

/// Seeded shapes.
struct RandomShapes {
  var numbers: SeededGenerator

  init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &numbers)
  }

  mutating func location(_ range: ClosedRange<Double> = 0...100) -> SIMD2<Double> {
    SIMD2(number(range), number(range))
  }

  mutating func point(_ range: ClosedRange<Double> = 0...100) -> Geometry {
    let point = location(range)
    return .point(Point(x: point.x, y: point.y))
  }

  mutating func polyline(vertices count: Int = 5) -> Geometry {
    .polyline(Polyline(VertexList((0..<count).map { _ in location() })))
  }

  /// A ring through random points in random order: it usually intersects itself.
  mutating func tangle(vertices count: Int = 8) -> Polygon {
    Polygon(VertexList((0..<count).map { _ in location() }))
  }

  /// A ring without self-intersections, around a random point.
  mutating func star(vertices count: Int = 12, size: Double = 30) -> Polygon {
    let centre = location()
    return Polygon(
      VertexList(
        (0..<count).map { index in
          let angle = (Double(index) + number(0...0.9)) / Double(count) * 2 * Double.pi
          return centre + number(size / 4...size) * SIMD2(cosine(angle), cosine(angle - .pi / 2))
        }))
  }

  /// Integers in a small window: shapes that touch, coincide and collapse.
  mutating func lattice() -> Geometry {
    let count = Int.random(in: 1...6, using: &numbers)
    let points = (0..<count).map { _ in
      SIMD2(
        Double(Int.random(in: 0...4, using: &numbers)),
        Double(Int.random(in: 0...4, using: &numbers)))
    }
    switch Int.random(in: 0...4, using: &numbers) {
    case 0: return .point(Point(x: points[0].x, y: points[0].y))
    case 1: return .multipoint(Multipoint(VertexList(points)))
    case 2: return .polyline(Polyline(VertexList(points)))
    case 3: return .polygon(Polygon(VertexList(points)))
    default:
      let last = points[count - 1]
      return .envelope(
        Envelope(
          xMin: min(points[0].x, last.x), yMin: min(points[0].y, last.y),
          xMax: max(points[0].x, last.x), yMax: max(points[0].y, last.y)))
    }
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

func cosine(_ angle: Double) -> Double { cos(angle) }
