import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The part of `a` outside `b`, by `GEOSDifference_r`.
  ///
  /// - Returns: a geometry of `a`'s dimension; nil if nothing is left.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func difference(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    let (parts, reference) = try overlay(a, b, "a difference", GEOSDifference_r)
    return geometry(of: parts, dimension: a.dimension, reference)
  }

  /// The parts of two geometries that are in exactly one of the geometries, by
  /// `GEOSSymDifference_r`.
  ///
  /// - Returns: nil if there are none.
  /// - Throws: `GeometryError` for geometries of different dimensions, and for coordinates that are
  ///   not finite or cannot be projected.
  public static func symmetricDifference(
    _ a: Geometry, _ b: Geometry
  ) throws(GeometryError) -> Geometry? {
    try requireOneDimension(of: [a, b], "a symmetric difference")
    let (parts, reference) = try overlay(a, b, "a symmetric difference", GEOSSymDifference_r)
    return geometry(of: parts, dimension: a.dimension, reference)
  }
}
