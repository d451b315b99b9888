import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The geometry in a form that `isSimple` finds nothing wrong with, of the same dimension.
  ///
  /// One that is simple already comes back as it is. Otherwise, with x and y only:
  ///
  /// - An area is made valid by `GEOSMakeValid_r`: a place is inside where a ray from it crosses
  ///   the boundary an odd number of times, edges that coincide counting once. So a ring like an 8
  ///   becomes two parts, and what two parts share falls out of both. What is left without area is
  ///   dropped.
  /// - A line is cut where it meets itself, and what runs twice is there once, by
  ///   `GEOSUnaryUnion_r`; pieces without length are dropped.
  /// - Places of a multipoint that repeat are there once.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func simplify(_ geometry: Geometry) throws(GeometryError) -> Geometry {
    let context = GEOSContext()
    let shape = try context.shape(of: geometry)
    guard try !isSimple(geometry, shape) else { return geometry }
    let reference = geometry.spatialReference
    let simple =
      if geometry.dimension == 2 {
        try context.madeValid(shape)
      } else {
        try context.own(GEOSUnaryUnion_r(context.handle, shape.pointer), "simplifying")
      }
    return try ShapeParts(simple).geometry(dimension: geometry.dimension, reference)
  }

  /// Whether a geometry is well formed: an area is valid (`GEOSisValid_r`: no ring meets itself or
  /// another but at single places, holes lie inside, parts apart), a line has a length and does
  /// not meet itself but at its ends, and a multipoint has no place twice (`GEOSisSimple_r`). An
  /// empty geometry is.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func isSimple(_ geometry: Geometry) throws(GeometryError) -> Bool {
    let context = GEOSContext()
    return try isSimple(geometry, context.shape(of: geometry))
  }

  private static func isSimple(
    _ geometry: Geometry, _ shape: borrowing GEOSShape
  ) throws(GeometryError) -> Bool {
    let context = shape.context
    guard try context.isValid(shape) else { return false }
    if geometry.dimension == 2 { return true }
    return try context.answer(
      GEOSisSimple_r(context.handle, shape.pointer), "a test for simplicity")
  }
}
