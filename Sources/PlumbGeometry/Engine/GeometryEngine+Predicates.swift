import CGEOS
import PlumbCore

/// The named predicates of two geometries, in the plane of the first known CRS. Invalid geometries
/// are repaired first. If one geometry is empty, only `disjoint` is true.
///
/// All predicates throw `GeometryError` for coordinates that are not finite or cannot be projected.
extension GeometryEngine {
  /// Whether the two geometries have a point in common, by `GEOSIntersects_r`.
  public static func intersects(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "an intersection test", GEOSIntersects_r)
  }

  /// Whether the two geometries have no point in common, by `GEOSDisjoint_r`.
  public static func disjoint(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "a test for disjointness", GEOSDisjoint_r)
  }

  /// Whether no point of `b` is outside `a` and the interiors of `a` and `b` intersect, by
  /// `GEOSContains_r`. An area does not contain a point on its boundary.
  public static func contains(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "a containment test", GEOSContains_r)
  }

  /// Whether `b` contains `a`, by `GEOSWithin_r`.
  public static func within(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "a containment test", GEOSWithin_r)
  }

  /// Whether the two geometries have a point in common but their interiors do not, by
  /// `GEOSTouches_r`.
  public static func touches(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "a touch test", GEOSTouches_r)
  }

  /// Whether the interiors intersect, the dimension of the intersection is less than the greater
  /// dimension of the two geometries, and each geometry has points outside the other, by
  /// `GEOSCrosses_r`: for example a line through an area, or two lines that cross at a point.
  public static func crosses(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "a crossing test", GEOSCrosses_r)
  }

  /// Whether the intersection of two geometries of the same dimension has this dimension, too, and
  /// each geometry has points outside the other, by `GEOSOverlaps_r`.
  public static func overlaps(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Bool {
    try predicate(a, b, "an overlap test", GEOSOverlaps_r)
  }
}
