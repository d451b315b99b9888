import CGEOS
import PlumbCore

extension GeometryEngine {
  /// Returns a valid area: each part is repaired by `GEOSMakeValid_r`, and the parts are united, so
  /// that overlaps count once. The result is empty if nothing with an area remains.
  ///
  /// - Throws: `GeometryError` for coordinates that are not finite, and for an area that GEOS cannot repair.
  package static func repaired(_ polygon: Polygon) throws(GeometryError) -> Polygon {
    let context = try GEOSContext()
    let parts = try ShapeParts(context.madeValidByParts(context.shape(of: .polygon(polygon))))
    return parts.polygon(polygon.spatialReference)
  }
}
