import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The union of all geometries, by `GEOSUnaryUnion_r`: areas are merged, lines are split where
  /// they meet, and duplicate sections and points are merged.
  ///
  /// - Returns: the union, a multipart geometry if parts are disjoint; nil if all geometries are
  ///   empty or the list is empty.
  /// - Throws: `GeometryError` for geometries of different dimensions, and, with the member's
  ///   index, for coordinates that are not finite or cannot be projected.
  public static func union(
    _ geometries: [Geometry], workers: Workers = Workers()
  ) throws(GeometryError) -> Geometry? {
    try requireOneDimension(of: geometries, "a union")
    let (geometries, reference) = try inCommonReference(geometries)
    guard let dimension = geometries.first?.dimension else { return nil }
    if dimension == 2 {
      let areas = geometries
      let boxes = areas.map { Box($0.vertices) }
      let union = try AreaUnion(boxes, reference, workers, tools: GEOSContext.init) { index, _ in
        if case .polygon(let polygon) = areas[index] { return polygon }
        return areas[index].envelope.polygon
      }.polygon()
      return union.isEmpty ? nil : .polygon(union)
    }
    let context = try GEOSContext()
    var members: [OpaquePointer?] = []
    defer { context.destroy(members) }
    for (index, geometry) in geometries.enumerated() where !geometry.isEmpty {
      members.append(try validShape(of: geometry, member: index, context).take())
    }
    let collection = try context.collection(GEOS_GEOMETRYCOLLECTION, &members)
    let union = try context.adopt(
      GEOSUnaryUnion_r(context.handle, collection.pointer), "a union")
    return geometry(of: try ShapeParts(union), dimension: dimension, reference)
  }

  /// The union of two geometries of one dimension; see `union(_:workers:)`.
  public static func union(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Geometry? {
    try union([a, b], workers: Workers(count: 1))
  }
}
