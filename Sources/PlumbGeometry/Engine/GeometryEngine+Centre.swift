import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The planar centroid of areas, lines or points (`GEOSGetCentroid_r`). The centroid may be
  /// outside the geometry; for an empty geometry, it is an empty point. An invalid area is repaired
  /// first, as by `simplify`; an area of zero size is treated as a line or a point.
  ///
  /// - Throws: for a coordinate that is not finite.
  public static func centroid(of geometry: Geometry) throws(GeometryError) -> Point {
    let context = try GEOSContext()
    let shape =
      geometry.dimension == 2
      ? try context.validShape(of: geometry) : try context.shape(of: geometry)
    let centre = try context.adopt(GEOSGetCentroid_r(context.handle, shape.pointer), "a centroid")
    return try point(centre, of: shape, geometry.spatialReference)
  }

  /// A planar point for a label. For an area, the point is inside and away from the boundary:
  /// `GEOSPointOnSurface_r` returns the middle of the widest section of a line across the area. For
  /// lines and points, the result is the point of the geometry that is nearest to the centroid. For
  /// an empty geometry, the result is an empty point.
  ///
  /// - Throws: for a coordinate that is not finite, and if GEOS finds no point.
  public static func labelPoint(of geometry: Geometry) throws(GeometryError) -> Point {
    let context = try GEOSContext()
    let shape = try context.shape(of: geometry)
    let label = try context.adopt(
      GEOSPointOnSurface_r(context.handle, shape.pointer), "a label point")
    return try point(label, of: shape, geometry.spatialReference)
  }

  private static func point(
    _ result: borrowing GEOSShape, of shape: borrowing GEOSShape, _ reference: SpatialReference?
  ) throws(GeometryError) -> Point {
    guard GEOSisEmpty_r(shape.context.handle, shape.pointer) == 0 else { return .empty(reference) }
    guard
      case .point(let point) = try ShapeParts(result).geometry(dimension: 0, reference),
      point.x.isFinite, point.y.isFinite
    else { throw GeometryError("the coordinates are too large to compute a centre") }
    return Point(x: point.x, y: point.y, spatialReference: reference)
  }
}
