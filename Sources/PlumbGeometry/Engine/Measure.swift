/// The method by which an operation measures lengths, distances and areas.
public enum Measure: Sendable, Hashable {
  /// In the plane of the CRS and in its unit, regardless of the Earth's shape.
  case planar
  /// On the ellipsoid of the CRS, in metres. A geometry in a projected CRS is first transformed to
  /// longitudes and latitudes on the same datum. Each edge follows the given curve between its
  /// vertices, in the shorter direction. The sides of an envelope are always straight lines in its
  /// CRS.
  case geodesic(GeodesicCurve = .geodesic)
}
