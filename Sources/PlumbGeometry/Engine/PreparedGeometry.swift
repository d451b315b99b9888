import CGEOS
import PlumbCore

/// A geometry that is compared with many: repaired and indexed once.
///
/// Results are those of ``GeometryEngine``'s predicates. All geometries are in one plane; their
/// spatial references are ignored. Not thread-safe.
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

  /// Whether it has a point in common with another.
  package func intersects(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "an intersection test") { GEOSPreparedIntersects_r($0, prepared, $1) }
  }

  /// Whether no point of another is outside it and their interiors meet.
  package func contains(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "a containment test") { GEOSPreparedContains_r($0, prepared, $1) }
  }

  /// Whether another contains it.
  package func isWithin(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "a containment test") { GEOSWithin_r($0, shape, $1) }
  }

  /// Whether the two meet, but their interiors do not.
  package func touches(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "a touch test") { GEOSTouches_r($0, shape, $1) }
  }

  /// Whether the interiors meet in less than the greater of both dimensions and each has points
  /// outside the other.
  package func crosses(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "a crossing test") { GEOSCrosses_r($0, shape, $1) }
  }

  /// Whether the intersection of two geometries of the same dimension has that dimension and each
  /// has points outside the other.
  package func overlaps(_ other: Geometry) throws(GeometryError) -> Bool {
    try ask(other, "an overlap test") { GEOSOverlaps_r($0, shape, $1) }
  }

  /// Whether its DE-9IM matrix with another geometry, that of the columns, matches a pattern.
  package func relates(
    to other: Geometry, pattern: String
  ) throws(GeometryError) -> Bool {
    let pattern = try GeometryEngine.matrixPattern(pattern)
    return try ask(other, "a relation") { GEOSRelatePattern_r($0, shape, $1, pattern) }
  }

  private func ask(
    _ other: Geometry, _ name: String,
    _ question: (GEOSContextHandle_t?, OpaquePointer?) -> CChar
  ) throws(GeometryError) -> Bool {
    let other = try context.validShape(of: other)
    return try context.answer(question(context.handle, other.pointer), name)
  }
}
