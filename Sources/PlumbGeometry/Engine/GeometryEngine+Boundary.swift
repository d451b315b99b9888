import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The boundary of a geometry, by `GEOSBoundary_r`, with x and y only. The boundary of an area
  /// consists of its rings as lines; the boundary of a line consists of the points at which an odd
  /// number of parts end.
  ///
  /// - Returns: nil for points, closed lines and empty geometries, which have no boundary.
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
