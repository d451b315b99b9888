import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The boundary of a geometry, by `GEOSBoundary_r`, with x and y only: the rings of an area as
  /// lines, the ends of a line as points (those where an odd number of parts end).
  ///
  /// - Returns: nil if there is none: for points, closed lines and empty geometries.
  /// - Throws: `GeometryError` for coordinates that are not finite.
  public static func boundary(of geometry: Geometry) throws(GeometryError) -> Geometry? {
    guard geometry.dimension > 0 else { return nil }
    let context = try GEOSContext()
    let shape = try context.validShape(of: geometry)
    let boundary = try context.adopt(
      GEOSBoundary_r(context.handle, shape.pointer), "a boundary")
    return self.geometry(
      of: try ShapeParts(boundary), dimension: geometry.dimension - 1, geometry.spatialReference)
  }
}
