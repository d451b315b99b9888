import CGEOS
import PlumbCore

extension GeometryEngine {
  /// Joins areas of one reference to one polygon, multipart when they lie apart.
  static func union(
    areas: [Polygon], reference: SpatialReference?, workers: Workers
  ) throws(GeometryError) -> Polygon {
    let context = GEOSContext()
    var members: [OpaquePointer?] = []
    defer { context.destroy(members) }
    for area in areas where !area.isEmpty {
      members.append(try context.shape(of: .polygon(area)).take())
    }
    let collection = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    let union = try context.own(
      GEOSUnaryUnion_r(context.handle, collection.pointer), "a union")
    return try ShapeParts(union).polygon(reference)
  }
}
