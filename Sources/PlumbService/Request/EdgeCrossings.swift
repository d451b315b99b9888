import Plumb
import PlumbCore

/// Rejects shapes with too many edge crossings for GEOS, which stores each crossing in memory
/// (about 2 to 9 kB).
struct EdgeCrossings {
  /// The maximum number of crossings in one call of GEOS.
  static let limit = 20_000
  /// The end points of each edge.
  private let edges: [(SIMD2<Double>, SIMD2<Double>)]
  private let index: SpatialIndex

  /// Collects the edges of shapes.
  init(_ shapes: [Geometry]) { self.init(edges: shapes.flatMap(Self.edges)) }

  private init(edges: [(SIMD2<Double>, SIMD2<Double>)]) {
    self.edges = edges
    index = SpatialIndex(
      low: edges.map { pointwiseMin($0.0, $0.1) }, high: edges.map { pointwiseMax($0.0, $0.1) },
      workers: Workers(count: 1))
  }

  private static func edges(of shape: Geometry) -> [(SIMD2<Double>, SIMD2<Double>)] {
    let parts: [Range<Int>]
    let vertices: [SIMD2<Double>]
    switch shape {
    case .polyline(let line): (parts, vertices) = (line.parts, line.vertices.xy)
    case .polygon(let area): (parts, vertices) = (area.rings, area.vertices.xy)
    case .envelope(let box): return edges(of: .polygon(box.polygon))
    case .point, .multipoint: return []
    }
    return parts.flatMap { part in
      part.dropLast().map { (vertices[$0], vertices[$0 + 1]) }
    }
  }

  /// - Parameter name: the name of the parameter.
  /// - Throws: if the edges of the shapes have too many crossings, including crossings within one
  ///   shape.
  static func check(_ shapes: [Geometry], _ name: String) throws(ServiceError) {
    let edges = shapes.flatMap(Self.edges)
    guard canCross(edges.count, edges.count / 2) else { return }
    let crossings = EdgeCrossings(edges: edges)
    var count = 0
    for (number, edge) in crossings.edges.enumerated() {
      try crossings.count(edge, after: number, &count)
      if count > limit { throw Self.refusal(name) }
    }
  }

  /// - Parameter name: the name of the parameter of these shapes.
  /// - Throws: if these edges have too many crossings with the edges of another shape.
  func check(with other: Geometry, _ name: String) throws(ServiceError) {
    guard Self.canCross(edges.count, other.vertices.count) else { return }
    var count = 0
    for edge in Self.edges(of: other) {
      try self.count(edge, after: -1, &count)
      if count > Self.limit { throw Self.refusal(name) }
    }
  }

  /// Whether `edges` edges can cross `others` other edges more than `limit` times.
  private static func canCross(_ edges: Int, _ others: Int) -> Bool {
    Double(edges) * Double(others) > Double(limit)
  }

  private static func refusal(_ name: String) -> ServiceError {
    ServiceError(
      "'\(name)' parameter is invalid: edges cross more than \(limit) times; send parts, or fewer "
        + "vertices", kind: .limit)
  }

  /// Adds to `count` the number of edges with an index above `number` that cross an edge.
  /// Neighbouring edges that share an end point do not count.
  private func count(
    _ edge: (SIMD2<Double>, SIMD2<Double>), after number: Int, _ count: inout Int
  ) throws(ServiceError) {
    if WorkCancellation.isCurrentCancelled { throw ServiceError("the work was cancelled") }
    let (a, b) = edge
    var found = count
    index.visit(intersecting: pointwiseMin(a, b), pointwiseMax(a, b)) { item in
      if item > number, Self.cross(a, b, edges[item].0, edges[item].1) { found += 1 }
      return found <= Self.limit
    }
    count = found
  }

  /// Whether two edges intersect. Neighbouring edges that only share an end point do not count as
  /// intersecting.
  private static func cross(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, _ d: SIMD2<Double>
  ) -> Bool {
    let (first, second) = (side(a, b, c) * side(a, b, d), side(c, d, a) * side(c, d, b))
    guard first <= 0, second <= 0 else { return false }
    if first < 0 || second < 0 { return true }
    let (common, one, other): (SIMD2<Double>, SIMD2<Double>, SIMD2<Double>)
    if a == c {
      (common, one, other) = (a, b, d)
    } else if a == d {
      (common, one, other) = (a, b, c)
    } else if b == c {
      (common, one, other) = (b, a, d)
    } else if b == d {
      (common, one, other) = (b, a, c)
    } else {
      return true
    }
    return side(common, one, other) == 0 && ((one - common) * (other - common)).sum() > 0
  }

  /// Returns the side of the line through `a` and `b` on which a point is. The result is −1, 0 or
  /// 1.
  private static func side(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>
  ) -> Double {
    let (way, step) = (b - a, point - a)
    let area = way.x * step.y - way.y * step.x
    return area > 0 ? 1 : area < 0 ? -1 : 0
  }
}
