/// The curve of a geometry's edges on the ellipsoid between their vertices.
public enum GeodesicCurve: String, Sendable, Hashable, CaseIterable {
  /// The shortest path.
  case geodesic
  /// The line of constant bearing.
  case loxodrome
  /// The section by the plane through both ends and the ellipsoid's centre.
  case greatElliptic = "great-elliptic"
  /// The section by the plane through the first end's normal and the second end.
  case normalSection = "normal-section"
  /// The straight line in the geometry's CRS.
  case shapePreserving = "shape-preserving"
}
