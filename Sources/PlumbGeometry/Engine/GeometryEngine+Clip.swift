import CGEOS
import PlumbCore

extension GeometryEngine {
  /// What of a geometry lies in a window, its sides counting as inside.
  ///
  /// Exact: by `GEOSIntersection_r` with the window's ring, because `GEOSClipByRect_r` gives
  /// invalid areas where a ring touches a side. The window goes into the geometry's spatial
  /// reference first. A geometry that lies in the window whole, and is valid, comes back as it is;
  /// of a multipoint the places inside stay with their heights and measures; whatever else is cut
  /// has x and y only.
  ///
  /// - Returns: a geometry of the same dimension; nil when nothing of it lies inside: an area that
  ///   only touches the window has no area there.
  /// - Throws: `GeometryError` for coordinates that are not finite or cannot be projected.
  public static func clip(
    _ geometry: Geometry, to envelope: Envelope
  ) throws(GeometryError) -> Geometry? {
    let (shapes, reference) = try inCommonReference([geometry, .envelope(envelope)])
    let window = shapes[1].envelope
    let context = GEOSContext()
    let shape = try context.shape(of: shapes[0])
    guard !shapes[0].isEmpty, !window.isEmpty else { return nil }
    if shapes[0].dimension == 0 { return clip(places: shapes[0], to: window) }
    if window.holds(shapes[0].envelope), try context.isValid(shape) { return shapes[0] }
    let (parts, _) = try overlay(
      shapes[0], .envelope(window), "a clip", GEOSIntersection_r)
    return self.geometry(of: parts, dimension: geometry.dimension, reference)
  }

  private static func clip(places geometry: Geometry, to window: Envelope) -> Geometry? {
    let vertices = geometry.vertices
    let inside = vertices.xy.indices.filter { window.holds(vertices.xy[$0]) }
    guard inside.count < vertices.count else { return geometry }
    guard !inside.isEmpty else { return nil }
    let kept = VertexList(
      inside.map { vertices.xy[$0] }, z: vertices.z.map { z in inside.map { z[$0] } },
      m: vertices.m.map { m in inside.map { m[$0] } })
    return .multipoint(Multipoint(kept, spatialReference: geometry.spatialReference))
  }
}

extension Envelope {
  fileprivate func holds(_ place: SIMD2<Double>) -> Bool {
    xMin <= place.x && place.x <= xMax && yMin <= place.y && place.y <= yMax
  }

  fileprivate func holds(_ other: Envelope) -> Bool {
    xMin <= other.xMin && other.xMax <= xMax && yMin <= other.yMin && other.yMax <= yMax
  }
}
