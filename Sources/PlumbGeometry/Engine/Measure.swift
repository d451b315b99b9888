/// How an operation measures.
public enum Measure: Sendable, Hashable {
  /// In the plane of the spatial reference and in its unit, regardless of the Earth's shape.
  case planar
  /// On the ellipsoid of the spatial reference, in metres. A geometry in a projected reference is
  /// first transformed to longitudes and latitudes on its own datum. Between its vertices each edge
  /// follows the curve, the shorter way round. The sides of an envelope are always straight in its
  /// own coordinates.
  case geodesic(GeodesicCurve = .geodesic)
}
