import PlumbCore

/// The point of a geometry that is nearest to another point.
public struct NearestPoint: Sendable, Hashable {
  /// The point, with z and m interpolated between the edge's vertices if the geometry has them.
  public var point: Point
  /// The distance from the query point: in the unit of the CRS if planar; in metres if geodesic.
  public var distance: Double
  /// If the point is a vertex, the vertex's index among all vertices of the geometry; otherwise, the index of
  /// its edge's first vertex.
  public var vertexIndex: Int
  /// The index of the line's part or of the polygon's ring; for points, the index of the vertex.
  public var partIndex: Int
}

extension GeometryEngine {
  /// The point of a geometry's vertices and edges that is nearest to another point. For a point
  /// inside an area, the result is the nearest point of the boundary. If several points are at the
  /// same distance, the first of them is returned.
  ///
  /// - Parameters:
  ///   - geometry: the shape, in its own CRS.
  ///   - point: the query point, which is projected to the geometry's CRS if it has another CRS.
  ///   - measure: in the plane of the CRS, or along its ellipsoid.
  /// - Throws: for an empty geometry or point, and in the same cases as
  ///   `distance(from:to:measure:)`.
  public static func nearestCoordinate(
    in geometry: Geometry, to point: Point, measure: Measure = .planar
  ) throws(GeometryError) -> NearestPoint {
    let (geometry, point) = try prepared(geometry, point)
    switch measure {
    case .planar:
      let spot = try planarNearest(in: geometry, to: point.xy)
      return nearest(spot, in: geometry, xy: nil)
    case .geodesic(let curve):
      let set = try CurveSet(geometry, curve: curve)
      let (spot, there) = try set.nearest(to: point)
      let isVertex = spot.fraction == 0 || spot.fraction == 1
      let xy =
        isVertex
        ? nil
        : try set.shape.sourceCoordinates([there], between: spot.vertex, spot.vertex + 1).first
      return nearest(spot, in: geometry, xy: xy)
    }
  }

  /// The vertex of a geometry that is nearest to a point; if several vertices are at the same
  /// distance, the first of them.
  ///
  /// - Throws: in the same cases as `nearestCoordinate(in:to:measure:)`.
  public static func nearestVertex(
    in geometry: Geometry, to point: Point, measure: Measure = .planar
  ) throws(GeometryError) -> NearestPoint {
    let (geometry, point) = try prepared(geometry, point)
    let distances: [Double]
    switch measure {
    case .planar:
      let xy = geometry.vertices.xy
      try checkFinite(xy + [point.xy])
      distances = xy.map { ($0 - point.xy).planarLength }
    case .geodesic(let curve):
      let shape = try EllipsoidalEdges(geometry, curve: curve)
      let there = try shape.base.toDegrees(point.xy)
      distances = shape.degrees.map { shape.geodesic.distance(from: there, to: $0) }
    }
    var best = 0
    for index in distances.indices where distances[index] < distances[best] { best = index }
    return nearest(
      EdgeSpot(vertex: best, fraction: 0, distance: distances[best]), in: geometry, xy: nil)
  }

  /// A point on the edge from one vertex to the next.
  struct EdgeSpot {
    var vertex: Int
    /// The position on the edge: 0 at the vertex, 1 at the next vertex.
    var fraction: Double
    var distance: Double
  }

  /// The geometry and the point, both in the geometry's CRS.
  static func prepared(
    _ geometry: Geometry, _ point: Point
  ) throws(GeometryError) -> (Geometry, Point) {
    guard !geometry.isEmpty else { throw GeometryError("an empty geometry has no nearest point") }
    guard !point.isEmpty else { throw GeometryError("an empty point has no nearest point") }
    let pair = try inCommonReference([geometry, .point(point)]).geometries
    guard case .point(let point) = pair[1] else { return (pair[0], point) }
    return (pair[0], point)
  }

  static func planarNearest(
    in geometry: Geometry, to point: SIMD2<Double>
  ) throws(GeometryError) -> EdgeSpot {
    let xy = geometry.vertices.xy
    try checkFinite(xy + [point])
    var best = EdgeSpot(vertex: 0, fraction: 0, distance: .infinity)
    for path in geometry.paths {
      for index in path {
        let from = xy[index]
        let isLast = index == path.upperBound - 1
        guard !isLast || path.count == 1 else { continue }
        let fraction = isLast ? 0 : point.fraction(along: from, xy[index + 1])
        let there =
          fraction == 0
          ? from : fraction == 1 ? xy[index + 1] : from + (xy[index + 1] - from) * fraction
        let distance = (there - point).planarLength
        if distance < best.distance {
          best = EdgeSpot(vertex: index, fraction: fraction, distance: distance)
        }
      }
    }
    return best
  }

  /// - Parameter xy: the coordinates of the position `spot`; nil to interpolate them between the
  ///   vertices.
  private static func nearest(
    _ spot: EdgeSpot, in geometry: Geometry, xy: SIMD2<Double>?
  ) -> NearestPoint {
    var spot = spot
    if spot.fraction == 1 {
      // A position at the end of an edge is the next vertex.
      spot.vertex += 1
      spot.fraction = 0
    }
    let vertices = geometry.vertices
    var point = vertices.point(at: spot.vertex, fraction: spot.fraction, geometry.spatialReference)
    if spot.fraction > 0, let xy { (point.x, point.y) = (xy.x, xy.y) }
    let part = geometry.paths.firstIndex { $0.contains(spot.vertex) } ?? 0
    return NearestPoint(
      point: point, distance: spot.distance, vertexIndex: spot.vertex, partIndex: part)
  }
}

extension CurveSet {
  /// The nearest point, both as a fraction of an edge of the geometry and in degrees.
  func nearest(
    to location: Point
  ) throws(GeometryError) -> (spot: GeometryEngine.EdgeSpot, degrees: SIMD2<Double>) {
    let there = try shape.base.toDegrees(location.xy)
    let point = CurveEdge(from: there, to: there, curve: .geodesic, geodesic: shape.geodesic)
    let approach = NearestApproach(tree, CurveTree([point], shape.geodesic), shape.geodesic)
    let (edge, fraction) = approach.a
    let origin = origins[edge]
    let part: Double
    if fraction == 0, origin.before == 0 {
      part = 0
    } else if fraction == 1, edge + 1 >= origins.count || origins[edge + 1].vertex != origin.vertex
    {
      part = 1
    } else {
      let curve = tree.edges[edge]
      let along = curve.length > 0 ? curve.distance(atFraction: fraction) / curve.length : 0
      part = min(origin.before + origin.within * along, 1)
    }
    return (
      GeometryEngine.EdgeSpot(
        vertex: origin.vertex, fraction: part, distance: approach.distance),
      tree.edges[edge].point(at: fraction)
    )
  }
}

extension SIMD2 where Scalar == Double {
  /// The fraction of a straight edge at which the edge is nearest to this point.
  fileprivate func fraction(along from: SIMD2<Double>, _ to: SIMD2<Double>) -> Double {
    let edge = to - from
    let length = edge.planarLength
    guard length > 0, length.isFinite else { return 0 }
    let part = ((self - from) / length * (edge / length)).sum()
    return part.isNaN ? 0 : Swift.min(Swift.max(part, 0), 1)
  }
}

extension VertexList {
  /// The vertex, or the point at a fraction of the straight edge to the next vertex, with
  /// interpolated z and m.
  func point(at index: Int, fraction: Double, _ reference: SpatialReference?) -> Point {
    func between(_ values: [Double]?) -> Double? {
      guard let values else { return nil }
      if fraction == 0 { return values[index] }
      return values[index] + (values[index + 1] - values[index]) * fraction
    }
    let point =
      fraction == 0 ? xy[index] : xy[index] + (xy[index + 1] - xy[index]) * fraction
    return Point(x: point.x, y: point.y, z: between(z), m: between(m), spatialReference: reference)
  }
}
