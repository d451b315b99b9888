/// Where an operation measures.
public enum Measure: Sendable, Hashable {
  /// In the plane of the spatial reference and in its unit, whatever the Earth's shape.
  case planar
  /// On the ellipsoid of the spatial reference, in metres. A geometry in a projected reference is
  /// taken to longitudes and latitudes on its own datum first; between its vertices each edge runs
  /// as the curve says, the short way round. The sides of an envelope always run straight in its
  /// own coordinates.
  case geodesic(GeodesicCurve = .geodesic)
}
