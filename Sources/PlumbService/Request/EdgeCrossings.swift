import Plumb
import PlumbCore

/// Keeps shapes from GEOS whose edges cross so often that it would take too much memory: it holds every
/// crossing, some 2 to 9 kB each.
struct EdgeCrossings {
  /// Of one call of GEOS.
  static let limit = 20_000
  /// The ends of each edge.
  private let edges: [(SIMD2<Double>, SIMD2<Double>)]
  private let index: SpatialIndex

  /// The edges of shapes.
  init(_ shapes: [Geometry]) {
    let edges = shapes.flatMap(Self.edges)
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

  /// - Parameter name: the parameter's.
  /// - Throws: where the edges of shapes cross too often, one another or themselves.
  static func check(_ shapes: [Geometry], _ name: String) throws(ServiceError) {
    let own = EdgeCrossings(shapes.filter { $0.dimension > 0 })
    guard own.canCross(own.edges.count / 2) else { return }
    var count = 0
    for (number, edge) in own.edges.enumerated() {
      try own.count(edge, after: number, &count)
      if count > limit { throw Self.refusal(name) }
    }
  }

  /// - Parameter name: the parameter's of the shapes that this was made of.
  /// - Throws: where their edges and another's cross too often.
  func check(with other: Geometry, _ name: String) throws(ServiceError) {
    guard canCross(other.vertices.count) else { return }
    var count = 0
    for edge in Self.edges(of: other) {
      try self.count(edge, after: -1, &count)
      if count > Self.limit { throw Self.refusal(name) }
    }
  }

  /// Whether so many edges can cross these too often.
  private func canCross(_ others: Int) -> Bool {
    Double(edges.count) * Double(others) > Double(Self.limit)
  }

  private static func refusal(_ name: String) -> ServiceError {
    ServiceError(
      "'\(name)' parameter is invalid: edges cross more than \(limit) times; send parts, or fewer "
        + "vertices", kind: .limit)
  }

  /// Adds how many of the edges behind one cross it. Neighbours, which share an end, do not.
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

  /// Whether two edges have a point in common, but for neighbours that share an end and go apart there.
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

  /// On which side of the line through two points a third one lies: -1, 0 or 1.
  private static func side(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ point: SIMD2<Double>
  ) -> Double {
    let (way, step) = (b - a, point - a)
    let area = way.x * step.y - way.y * step.x
    return area > 0 ? 1 : area < 0 ? -1 : 0
  }
}
