import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The DE-9IM matrix of two geometries as nine characters `F`, `0`, `1`, `2`, by `GEOSRelate_r`.
  ///
  /// The characters are the dimensions of the intersections of the interior, boundary and exterior
  /// of `a` (the rows) with the interior, boundary and exterior of `b` (the columns), row by row;
  /// `F` means an empty intersection.
  ///
  /// Invalid geometries are repaired first, here and in all predicates.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func relation(
    of a: Geometry, to b: Geometry
  ) throws(GeometryError) -> String {
    try withValidShapes(a, b) { (context, first, second, _) throws(GeometryError) in
      guard let text = GEOSRelate_r(context.handle, first, second) else {
        throw context.failure("a relation")
      }
      defer { GEOSFree_r(context.handle, text) }
      return String(cString: text)
    }
  }

  /// Whether the DE-9IM matrix of two geometries matches a pattern, by `GEOSRelatePattern_r`.
  ///
  /// - Parameters:
  ///   - a: the geometry of the matrix's rows.
  ///   - b: the geometry of the matrix's columns.
  ///   - pattern: nine characters, each `0`, `1`, `2`, `T` (any of the three dimensions), `F`
  ///     (empty) or `*` (any of these).
  /// - Throws: `GeometryError` for an invalid pattern, and in the same cases as `relation(of:to:)`.
  public static func relate(
    _ a: Geometry, _ b: Geometry, pattern: String
  ) throws(GeometryError) -> Bool {
    let pattern = try matrixPattern(pattern)
    return try predicate(a, b, "a relation") { handle, a, b in
      GEOSRelatePattern_r(handle, a, b, pattern)
    }
  }

  /// The pattern in the form that GEOS accepts.
  static func matrixPattern(_ text: String) throws(GeometryError) -> String {
    let pattern = text.uppercased()
    guard pattern.utf8.count == 9, pattern.utf8.allSatisfy("012TF*".utf8.contains) else {
      throw GeometryError(
        "\(text.printable) is not a DE-9IM pattern: use nine of 0, 1, 2, T, F and *")
    }
    return pattern
  }

  /// The result of a GEOS predicate for two shapes.
  static func predicate(
    _ a: Geometry, _ b: Geometry, _ name: String,
    _ question: (GEOSContextHandle_t?, OpaquePointer?, OpaquePointer?) -> CChar
  ) throws(GeometryError) -> Bool {
    try withValidShapes(a, b) { (context, first, second, _) throws(GeometryError) in
      try context.checkedResult(question(context.handle, first, second), name)
    }
  }
}
