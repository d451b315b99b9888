import CGEOS
import PlumbCore

extension GeometryEngine {
  /// All geometries as one, by `GEOSUnaryUnion_r`: areas melt together, lines are cut where they
  /// meet and what runs twice is there once, as are points that repeat.
  ///
  /// - Returns: multipart where things lie apart; nil when all are empty or there is none.
  /// - Throws: `GeometryError` for geometries of several dimensions, and for coordinates that are
  ///   not finite or cannot be projected, naming the member.
  public static func union(
    _ geometries: [Geometry], workers: Workers = Workers()
  ) throws(GeometryError) -> Geometry? {
    try requireOneDimension(of: geometries, "a union")
    let (geometries, reference) = try inCommonReference(geometries)
    guard let dimension = geometries.first?.dimension else { return nil }
    if dimension == 2 {
      let areas = geometries
      let boxes = areas.map { Box($0.vertices) }
      let union = try AreaUnion(boxes, reference, workers) { index, _ in
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
    let union = try context.own(
      GEOSUnaryUnion_r(context.handle, collection.pointer), "a union")
    return geometry(of: try ShapeParts(union), dimension: dimension, reference)
  }

  /// Two geometries of one dimension as one; see `union(_:workers:)`.
  public static func union(_ a: Geometry, _ b: Geometry) throws(GeometryError) -> Geometry? {
    try union([a, b], workers: Workers(count: 1))
  }

  /// Joins areas of one reference to one polygon, multipart when they lie apart.
  static func union(
    areas: [Polygon], reference: SpatialReference?, workers: Workers
  ) throws(GeometryError) -> Polygon {
    try AreaUnion(areas.map { Box($0.vertices) }, reference, workers) { index, _ in areas[index] }
      .polygon()
  }
}
