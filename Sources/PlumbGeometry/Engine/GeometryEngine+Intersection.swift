import CGEOS
import PlumbCore

extension GeometryEngine {
  /// What two geometries have in common, by `GEOSIntersection_r`: the parts of the highest
  /// dimension alone. Two areas that share an edge and no more give that edge.
  ///
  /// - Returns: nil when they have nothing in common.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func intersection(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    let (parts, reference) = try overlay(a, b, "an intersection", GEOSIntersection_r)
    return parts.dimension.flatMap { geometry(of: parts, dimension: $0, reference) }
  }

  /// What two geometries have in common: one geometry for each dimension that occurs, points first.
  /// A line that crosses an area and touches it elsewhere gives the point and the piece.
  ///
  /// - Throws: as `intersection`.
  public static func intersections(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> [Geometry] {
    let (parts, reference) = try overlay(a, b, "an intersection", GEOSIntersection_r)
    return (0...2).compactMap { geometry(of: parts, dimension: $0, reference) }
  }
}
