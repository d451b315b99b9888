import CGEOS
import PlumbCore

extension GeometryEngine {
  /// The part of a geometry within an extent; the sides belong to the extent.
  ///
  /// Uses `GEOSIntersection_r` with the extent's polygon, because `GEOSClipByRect_r` returns invalid
  /// areas where a ring touches a side. If the extent has another CRS, points are tested in that
  /// CRS; lines and areas are clipped in their own CRS, by the quadrilateral with straight edges
  /// between the extent's transformed corners. A valid geometry entirely within the extent is
  /// returned unchanged; the points of a multipoint keep their heights and measures; all other
  /// results have x and y only.
  ///
  /// - Returns: a geometry of the same dimension; nil if no part of the geometry is inside. An area
  ///   that only touches the extent has no part inside.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func clip(
    _ geometry: Geometry, to envelope: Envelope
  ) throws(GeometryError) -> Geometry? {
    let context = try GEOSContext()
    let shape = try context.shape(of: geometry)
    guard !geometry.isEmpty, !envelope.isEmpty else { return nil }
    if geometry.dimension == 0 { return try clip(points: geometry, to: envelope) }
    let (shapes, reference) = try inCommonReference([geometry, .envelope(envelope)])
    let isUnclipped =
      if case .envelope(let window) = shapes[1] {
        window.holds(shapes[0].envelope)
      } else {
        try predicate(shapes[1], shapes[0], "a clip", GEOSCovers_r)
      }
    if isUnclipped, try context.isValid(shape) { return shapes[0] }
    let (parts, _) = try overlay(shapes[0], shapes[1], "a clip", GEOSIntersection_r)
    return self.geometry(of: parts, dimension: geometry.dimension, reference)
  }

  private static func clip(
    points input: Geometry, to window: Envelope
  ) throws(GeometryError) -> Geometry? {
    var geometry = input
    geometry.spatialReference = input.spatialReference ?? window.spatialReference
    let vertices = geometry.vertices
    let points = try inCommonReference([.envelope(window), geometry]).geometries[1].vertices.xy
    let inside = points.indices.filter { window.holds(points[$0]) }
    guard inside.count < vertices.count else { return geometry }
    guard !inside.isEmpty else { return nil }
    let kept = VertexList(
      inside.map { vertices.xy[$0] }, z: vertices.z.map { z in inside.map { z[$0] } },
      m: vertices.m.map { m in inside.map { m[$0] } })
    return .multipoint(Multipoint(kept, spatialReference: geometry.spatialReference))
  }
}

extension Envelope {
  fileprivate func holds(_ point: SIMD2<Double>) -> Bool {
    xMin <= point.x && point.x <= xMax && yMin <= point.y && point.y <= yMax
  }

  fileprivate func holds(_ other: Envelope) -> Bool {
    xMin <= other.xMin && other.xMax <= xMax && yMin <= other.yMin && other.yMax <= yMax
  }
}
