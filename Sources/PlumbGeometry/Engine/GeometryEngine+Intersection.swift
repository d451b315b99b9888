import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The intersection of two geometries, by `GEOSIntersection_r`. Only the parts of the highest
  /// dimension are returned. The intersection of two areas that share only an edge is this edge.
  ///
  /// - Returns: nil if the geometries do not intersect.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func intersection(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    let (parts, reference) = try overlay(a, b, "an intersection", GEOSIntersection_r)
    return parts.dimension.flatMap { geometry(of: parts, dimension: $0, reference) }
  }

  /// The intersection of two geometries, as one geometry for each dimension that occurs, starting
  /// with points. For example, for a line that crosses an area and touches it elsewhere, returns
  /// the point and the section inside.
  ///
  /// - Throws: in the same cases as `intersection`.
  public static func intersections(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> [Geometry] {
    let (parts, reference) = try overlay(a, b, "an intersection", GEOSIntersection_r)
    return (0...2).compactMap { geometry(of: parts, dimension: $0, reference) }
  }
}
