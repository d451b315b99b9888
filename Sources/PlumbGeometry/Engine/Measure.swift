/// How an operation measures lengths, distances and areas.
public enum Measure: Sendable, Hashable {
  /// In the plane of the spatial reference and in its unit, regardless of the Earth's shape.
  case planar
  /// On the ellipsoid of the spatial reference, in metres. A geometry in a projected reference is
  /// first transformed to longitudes and latitudes on its own datum. Each edge follows the given
  /// curve between its vertices, the shorter way round. The sides of an envelope are always
  /// straight lines in its CRS.
  case geodesic(GeodesicCurve = .geodesic)
}
