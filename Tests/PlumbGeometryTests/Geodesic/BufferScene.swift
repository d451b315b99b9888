import PlumbCore
import PlumbTestSupport

@testable import PlumbGeometry

/// A polygon in degrees with tests of its boundary and its interior.
struct DegreeArea {
  let polygon: Polygon

  /// The edges that are part of the boundary on the ellipsoid: not those along ±180° or a pole.
  var boundaryEdges: [(start: SIMD2<Double>, end: SIMD2<Double>)] {
    let xy = polygon.vertices.xy
    return polygon.rings.flatMap { ring in
      ring.dropLast().map { (xy[$0], xy[$0 + 1]) }.filter { start, end in
        let isSeam = start.x == end.x && start.x.magnitude == 180
        let isPole = start.y == end.y && start.y.magnitude == 90
        return !isSeam && !isPole && start != end
      }.map { (start: $0, end: $1) }
    }
  }

  /// Counts the crossings of a ray to the north; the result for a point on the boundary is
  /// arbitrary.
  func contains(_ point: SIMD2<Double>) -> Bool {
    var isInside = false
    let xy = polygon.vertices.xy
    for ring in polygon.rings {
      for index in ring.dropLast() {
        let (a, b) = (xy[index], xy[index + 1])
        guard (a.x > point.x) != (b.x > point.x) else { continue }
        let y = a.y + (b.y - a.y) * ((point.x - a.x) / (b.x - a.x))
        if y > point.y { isInside.toggle() }
      }
    }
    return isInside
  }
}

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// A point on the globe. One in eight is near a pole, and one in eight is near ±180°.
  mutating func globalPosition() -> SIMD2<Double> {
    let kind = Int.random(in: 0..<8, using: &self)
    var point = SIMD2(number(-180...180), TestMath.arcSine(number(-1...1)) * 180 / .pi)
    if kind == 0 { point.y = (Bool.random(using: &self) ? 1 : -1) * (90 - number(0...0.5)) }
    if kind == 1 { point.x = (Bool.random(using: &self) ? 1 : -1) * (180 - number(0...0.1)) }
    return point
  }
}
