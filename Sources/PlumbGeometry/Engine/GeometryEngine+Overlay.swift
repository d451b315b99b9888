import CGEOS
import PlumbCore

/// The rules that all overlays share:
///
/// - Both geometries are first projected to the first known CRS.
/// - An invalid input (a ring that crosses itself, overlapping parts, a hole outside its ring) is
///   repaired first, as by ``GeometryEngine/simplify(_:)``, so that the result is valid. An area of
///   zero size is treated as the line or point to which it has collapsed.
/// - Results have x and y only, because an overlay creates new vertices, whose heights and measures
///   are unknown.
/// - An empty result is nil.
extension GeometryEngine {
  /// A GEOS operation on two shapes; the caller owns the result.
  typealias ShapeOperation = (
    GEOSContextHandle_t?, OpaquePointer?, OpaquePointer?
  ) -> OpaquePointer?

  /// The parts of an overlay of two geometries.
  static func overlay(
    _ a: Geometry, _ b: Geometry, _ name: String, _ operation: ShapeOperation
  ) throws(GeometryError) -> (parts: ShapeParts, reference: SpatialReference?) {
    try withValidShapes(a, b) { (context, first, second, reference) throws(GeometryError) in
      let result = try context.adopt(operation(context.handle, first, second), name)
      return (try ShapeParts(result), reference)
    }
  }

  /// Projects two geometries to one CRS, repairs them, and calls `body` with the shapes and the
  /// CRS.
  static func withValidShapes<Result>(
    _ a: Geometry, _ b: Geometry,
    _ body: (GEOSContext, OpaquePointer, OpaquePointer, SpatialReference?) throws(GeometryError) ->
      Result
  ) throws(GeometryError) -> Result {
    let (geometries, reference) = try inCommonReference([a, b])
    let context = try GEOSContext()
    let first = try validShape(of: geometries[0], member: 0, context)
    let second = try validShape(of: geometries[1], member: 1, context)
    return try body(context, first.pointer, second.pointer, reference)
  }

  static func validShape(
    of geometry: Geometry, member: Int, _ context: GEOSContext
  ) throws(GeometryError) -> GEOSShape {
    do throws(GeometryError) {
      return try context.validShape(of: geometry)
    } catch {
      throw error.of(member: member)
    }
  }

  /// The parts of one dimension; nil if there are none.
  static func geometry(
    of parts: ShapeParts, dimension: Int, _ reference: SpatialReference?
  ) -> Geometry? {
    let result = parts.geometry(dimension: dimension, reference)
    return result.isEmpty ? nil : result
  }

  /// Throws an error if the geometries have different dimensions, for operations that are not
  /// defined for such geometries.
  static func requireOneDimension(
    of geometries: [Geometry], _ name: String
  ) throws(GeometryError) {
    guard let first = geometries.first?.dimension else { return }
    for (index, geometry) in geometries.enumerated() where geometry.dimension != first {
      throw GeometryError(
        "\(name) takes geometries of one dimension: \(kind(geometry.dimension)) after "
          + kind(first), member: index)
    }
  }

  private static func kind(_ dimension: Int) -> String {
    switch dimension {
    case 2: "an area"
    case 1: "a line"
    default: "a point"
    }
  }
}
