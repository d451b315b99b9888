import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The convex hull of a geometry, by `GEOSConvexHull_r`, with x and y only.
  ///
  /// - Returns: a polygon; a line or a point if all vertices are on a line or are the same point;
  ///   nil for an empty geometry.
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func convexHull(of geometry: Geometry) throws(GeometryError) -> Geometry? {
    try convexHull(of: [geometry])
  }

  /// The convex hull of all geometries together, in the first known CRS.
  ///
  /// - Returns: a polygon, a line, a point or nil, as for one geometry.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func convexHull(of geometries: [Geometry]) throws(GeometryError) -> Geometry? {
    let (geometries, reference) = try inCommonReference(geometries)
    var points: [SIMD2<Double>] = []
    for (index, geometry) in geometries.enumerated() {
      let coordinates = geometry.vertices.xy
      guard coordinates.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
        throw GeometryError("a coordinate is not a finite number", member: index)
      }
      points.append(contentsOf: coordinates)
    }
    guard !points.isEmpty else { return nil }
    let context = try GEOSContext()
    // Pass the points as the vertices of one line, which has the same hull and needs much less
    // memory than many points.
    let shape = try context.shape(of: .polyline(Polyline(VertexList(points))))
    let hull = try context.adopt(
      GEOSConvexHull_r(context.handle, shape.pointer), "a convex hull")
    let parts = try ShapeParts(hull)
    return parts.dimension.flatMap { self.geometry(of: parts, dimension: $0, reference) }
  }
}
