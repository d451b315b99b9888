import CGEOS
import PlumbCore

/// A geometry that is compared with many other geometries, and is repaired and indexed only once.
///
/// The results are the same as the results of ``GeometryEngine``'s predicates. All geometries must
/// be in the same plane; their CRSs are ignored. The class is not thread-safe.
package final class PreparedGeometry {
  private let context: GEOSContext
  private let shape: OpaquePointer
  private let prepared: OpaquePointer

  /// - Throws: for coordinates that are not finite, and if the calling thread's work is cancelled.
  package init(_ geometry: Geometry) throws(GeometryError) {
    context = try GEOSContext()
    let shape = try context.validShape(of: geometry).take()
    guard let prepared = GEOSPrepare_r(context.handle, shape) else {
      GEOSGeom_destroy_r(context.handle, shape)
      throw context.failure("an index")
    }
    (self.shape, self.prepared) = (shape, prepared)
  }

  deinit {
    GEOSPreparedGeom_destroy_r(context.handle, prepared)
    GEOSGeom_destroy_r(context.handle, shape)
  }

  /// Whether the geometry has a point in common with another geometry.
  package func intersects(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "an intersection test") { GEOSPreparedIntersects_r($0, prepared, $1) }
  }

  /// Whether this geometry covers all points of another geometry, and the interiors of the two
  /// geometries intersect.
  package func contains(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "a containment test") { GEOSPreparedContains_r($0, prepared, $1) }
  }

  /// Whether another geometry contains this geometry.
  package func isWithin(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "a containment test") { GEOSWithin_r($0, shape, $1) }
  }

  /// Whether the two geometries have a point in common but their interiors do not.
  package func touches(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "a touch test") { GEOSTouches_r($0, shape, $1) }
  }

  /// Whether the interiors intersect, the dimension of the intersection is less than the greater
  /// dimension of the two geometries, and each geometry has points outside the other.
  package func crosses(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "a crossing test") { GEOSCrosses_r($0, shape, $1) }
  }

  /// Whether the intersection of two geometries of the same dimension has this dimension, too, and
  /// each geometry has points outside the other.
  package func overlaps(_ other: Geometry) throws(GeometryError) -> Bool {
    try test(other, "an overlap test") { GEOSOverlaps_r($0, shape, $1) }
  }

  /// Whether the DE-9IM matrix of this geometry (the rows) and another geometry (the columns)
  /// matches a pattern.
  package func relates(
    to other: Geometry, pattern: String
  ) throws(GeometryError) -> Bool {
    let pattern = try GeometryEngine.matrixPattern(pattern)
    return try test(other, "a relation") { GEOSRelatePattern_r($0, shape, $1, pattern) }
  }

  private func test(
    _ other: Geometry, _ name: String,
    _ question: (GEOSContextHandle_t?, OpaquePointer?) -> CChar
  ) throws(GeometryError) -> Bool {
    let other = try context.validShape(of: other)
    return try context.checkedResult(question(context.handle, other.pointer), name)
  }
}
