#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import PlumbCore

@testable import PlumbGeometry

/// The smallest distance at which a buffer contains a point, by the definition of its strips, joins
/// and ends; no outline is constructed.
///
/// A join fills the points beyond the end of one edge and before the start of the next: up to the
/// corner's circle (round), the straight line between the strips' corners (bevel), or the border
/// lines of both strips (mitre), up to a perpendicular line at the limit.
struct BufferGauge {
  private struct Edge {
    var start, end, way: SIMD2<Double>
    var length: Double
    /// The turn at each end: above 0 to the left, below 0 to the right, 0 straight
    /// on.
    var startTurn = 0.0
    var endTurn = 0.0
    /// Whether the end of the strip is an end of the buffer.
    var isStart = false
    var isEnd = false
    var startsLine = false
    var endsLine = false
  }

  private struct Corner {
    var point, arriving, leaving: SIMD2<Double>
    /// The difference of the directions: its length, and its direction, halfway between the strips.
    var opening: Double
    var middle: SIMD2<Double>
    /// The outward normals of the two edges.
    var normals: (SIMD2<Double>, SIMD2<Double>)

    init(point: SIMD2<Double>, arriving u: SIMD2<Double>, leaving v: SIMD2<Double>) {
      (self.point, arriving, leaving) = (point, u, v)
      opening = hypot(u.x - v.x, u.y - v.y)
      middle = (u - v) / opening
      let outer: Double = u.x * v.y - u.y * v.x > 0 ? -1 : 1
      normals = (SIMD2(-u.y, u.x) * outer, SIMD2(-v.y, v.x) * outer)
    }
  }

  /// The length of the sum of two edges' unit directions below which the edges run back along each
  /// other.
  private static let straightBack = 1e-6

  private var edges: [Edge] = []
  private var corners: [Corner] = []
  private let options: PlanarBufferOptions
  /// 1: only left of the edges; −1: right; 0: both.
  private let side: Double

  /// - Parameter side: the side, for rings; lines have both sides.
  init(_ geometry: Geometry, _ options: PlanarBufferOptions, side: Double = 0) {
    (self.options, self.side) = (options, side)
    for part in Self.parts(of: geometry) {
      var points: [SIMD2<Double>] = []
      for point in part where point != points.last { points.append(point) }
      guard points.count > 1 else { continue }
      let isClosed = points.count > 3 && points.first == points.last
      let first = edges.count
      for (a, b) in zip(points, points.dropFirst()) {
        let length = hypot(b.x - a.x, b.y - a.y)
        edges.append(Edge(start: a, end: b, way: (b - a) / length, length: length))
      }
      let last = edges.count - 1
      for index in first..<last { join(index, index + 1) }
      if isClosed {
        join(last, first)
      } else {
        edges[first].startsLine = true
        edges[last].endsLine = true
        edges[first].isStart = options.cap == .flat
        edges[last].isEnd = options.cap == .flat
      }
    }
  }

  private mutating func join(_ before: Int, _ after: Int) {
    let (u, v) = (edges[before].way, edges[after].way)
    let turn = cross(u, v)
    edges[before].endTurn = turn
    edges[after].startTurn = turn
    // A bevel has almost no area there, and its size depends on rounding.
    let isBack =
      options.join == .bevel
      ? hypot(u.x + v.x, u.y + v.y) < Self.straightBack
      : turn == 0 && (u * v).sum() < 0 && options.join != .round
    edges[before].isEnd = isBack
    edges[after].isStart = isBack
    corners.append(Corner(point: edges[after].start, arriving: u, leaving: v))
  }

  private static func parts(of geometry: Geometry) -> [ArraySlice<SIMD2<Double>>] {
    switch geometry {
    case .polyline(let line): line.parts.map { line.vertices.xy[$0] }
    case .polygon(let area): area.rings.map { area.vertices.xy[$0] }
    default: []
    }
  }

  /// The smallest distance whose buffer contains a point; infinite if there is none.
  ///
  /// - Parameter slack: the length added to strips at ends without an equally wide continuation: at
  ///   flat ends, and on the inner side of corners.
  func extent(_ point: SIMD2<Double>, slack: Double) -> Double {
    min(
      edges.lazy.map { extent(point, $0, slack) }.min() ?? .infinity,
      corners.lazy.map { extent(point, $0) }.min() ?? .infinity)
  }

  private func extent(_ point: SIMD2<Double>, _ edge: Edge, _ slack: Double) -> Double {
    let offset = point - edge.start
    let along = (offset * edge.way).sum()
    let across = cross(edge.way, offset)
    guard across * side >= 0 else { return .infinity }
    // Rounding must not leave a gap between a strip and the next piece.
    let seam = 1e-9 * max(edge.length, across.magnitude)
    let isInner = (
      edge.isStart || edge.startTurn * across > 0, edge.isEnd || edge.endTurn * across > 0
    )
    if along >= (isInner.0 ? -slack : -seam), along <= edge.length + (isInner.1 ? slack : seam) {
      return across.magnitude
    }
    let beyond = max(-along, along - edge.length)
    let isBeyondLine = along < 0 && edge.startsLine || along > edge.length && edge.endsLine
    guard options.cap != .flat, isBeyondLine else { return .infinity }
    return options.cap == .round ? hypot(beyond, across) : max(beyond, across.magnitude)
  }

  private func extent(_ point: SIMD2<Double>, _ corner: Corner) -> Double {
    let offset = point - corner.point
    let (u, v) = (corner.arriving, corner.leaving)
    let seam = 1e-9 * hypot(offset.x, offset.y)
    let turn = cross(u, v)
    guard (offset * u).sum() >= -seam, (offset * v).sum() <= seam, turn * side <= 0,
      corner.opening > 1e-6
    else { return .infinity }
    let isBack = turn == 0
    if options.join == .round { return hypot(offset.x, offset.y) }
    // A line that turns straight back has no corners to connect by a line, and no borders that
    // intersect: a bevel or a mitre has no meaning there, and GEOS fills nothing.
    if isBack { return .infinity }
    let middle = corner.middle
    let cosine = (corner.normals.0 * middle).sum()
    let bevel = (offset * middle).sum() / cosine
    guard case .mitre(let limit) = options.join, cosine < limit else {
      return 2 * cosine < Self.straightBack ? .infinity : bevel
    }
    let mitre = max((offset * corner.normals.0).sum(), (offset * corner.normals.1).sum())
    return cosine * limit >= 1 ? mitre : max(mitre, (offset * middle).sum() / limit)
  }

  /// Points around every edge, corner and end, at multiples of the distance.
  func points(_ distance: Double, _ factors: [Double]) -> [SIMD2<Double>] {
    var points: [SIMD2<Double>] = []
    for edge in edges {
      let normal = SIMD2(-edge.way.y, edge.way.x)
      for fraction in [0.02, 0.3, 0.5, 0.77, 0.98] {
        for factor in factors {
          let foot = edge.start + edge.way * (edge.length * fraction)
          if side >= 0 { points.append(foot + normal * (factor * distance)) }
          if side <= 0 { points.append(foot - normal * (factor * distance)) }
        }
      }
      for (end, way) in [(edge.start, -edge.way), (edge.end, edge.way)] where side == 0 {
        for across in [-1, -0.6, 0, 0.6, 1] {
          for factor in factors {
            points.append(end + (way + normal * across) * (factor * distance))
            points.append(end + (way * 0.06 + normal * across) * (factor * distance))
          }
        }
      }
    }
    for corner in corners {
      let ways = [
        corner.arriving - corner.leaving, corner.arriving * 0.99 - corner.leaving * 0.01,
        corner.arriving * 0.7 - corner.leaving * 0.3, corner.arriving * 0.4 - corner.leaving * 0.6,
      ]
      for way in ways {
        // The size of a join grows with the distance, equally in all directions.
        let unit = extent(corner.point + way, corner)
        guard unit.isFinite, unit > 1e-6 else { continue }
        for factor in factors {
          points.append(corner.point + way * (factor * distance / unit))
        }
      }
    }
    return points
  }

  private func cross(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { a.x * b.y - a.y * b.x }
}

extension BufferGauge {
  /// The fault of a buffer of lines or of a valid area; nil if there is none.
  ///
  /// The tested points are those around the pieces of the definition, and those of the
  /// buffer's boundary. GEOS may be off by a fiftieth of the distance.
  static func fault(
    of buffer: Polygon, _ geometry: Geometry, _ distance: Double, _ options: PlanarBufferOptions
  ) throws -> String? {
    var area: PolygonLocator?
    if case .polygon(let polygon) = geometry {
      area = try PolygonLocator([polygon], workers: Workers(count: 1))
    }
    let grows = distance > 0
    // Exterior rings are clockwise.
    let gauge = BufferGauge(geometry, options, side: area == nil ? 0 : grows ? 1 : -1)
    let size = distance.magnitude
    /// Whether a point is certainly inside the pieces or certainly outside; nil if this is
    /// uncertain.
    func isCovered(_ point: SIMD2<Double>) -> Bool? {
      if gauge.extent(point, slack: -0.02 * size) < 0.98 * size { return true }
      return gauge.extent(point, slack: 0.02 * size) > 1.02 * size ? false : nil
    }
    func isWanted(_ point: SIMD2<Double>) -> Bool? {
      guard let area else { return isCovered(point) }
      // A bevel at the tip of a needle leaves the tip on the border.
      let isInside = area.location(of: point, inPolygon: 0) == .interior
      if grows { return isInside ? true : isCovered(point) }
      return isInside ? isCovered(point).map { !$0 } : false
    }
    let result = try PolygonLocator([buffer], workers: Workers(count: 1))
    for point in gauge.points(size, [0.2, 0.6, 0.96, 1.04]) {
      switch (isWanted(point), result.location(of: point, inPolygon: 0)) {
      case (true, .exterior): return "\(point) is missing"
      case (false, .interior): return "\(point) is too much"
      default: break
      }
    }
    for ring in buffer.rings {
      let vertices = buffer.vertices.xy[ring]
      for (a, b) in zip(vertices, vertices.dropFirst()) {
        for point in [a, (a + b) / 2] {
          if let isWanted = isWanted(point) {
            return "the boundary is at \(point), " + (isWanted ? "within" : "outside")
          }
        }
      }
    }
    return nil
  }
}
