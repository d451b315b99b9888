import CGEOS
import PlumbCore

extension GeometryEngine {
  /// What of `a` lies outside `b`, by `GEOSDifference_r`.
  ///
  /// - Returns: a geometry of `a`'s dimension; nil when nothing is left.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func difference(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    let (parts, reference) = try overlay(a, b, "a difference", GEOSDifference_r)
    return geometry(of: parts, dimension: a.dimension, reference)
  }

  /// What lies in one of two geometries and not in the other, by `GEOSSymDifference_r`.
  ///
  /// - Returns: nil when nothing does.
  /// - Throws: `GeometryError` for geometries of two dimensions, and for coordinates that are not
  ///   finite or cannot be projected.
  public static func symmetricDifference(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    try requireOneDimension(of: [a, b], "a symmetric difference")
    let (parts, reference) = try overlay(a, b, "a symmetric difference", GEOSSymDifference_r)
    return geometry(of: parts, dimension: a.dimension, reference)
  }
}
