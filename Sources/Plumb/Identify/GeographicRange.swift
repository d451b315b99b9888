import PlumbCore

/// Whether points can be longitudes and latitudes.
public enum GeographicRange {
  /// A line for the points beyond the poles; none where the reference is not geographic.
  ///
  /// - Parameter points: x is longitude and y latitude, in the reference's unit.
  public static func warnings(
    _ points: [(x: Double, y: Double)], in reference: SpatialReference?
  ) -> [String] {
    guard let reference, reference.isGeographic else { return [] }
    let pole = 90 * (SpatialReference.Unit.degree.factor / reference.unit.factor) * (1 + 1e-12)
    let beyond = points.filter { $0.y.magnitude > pole }
    guard let first = beyond.first else { return [] }
    // Latitudes and longitudes in the other order are the usual reason.
    let isSwapped = beyond.allSatisfy { $0.x.magnitude <= pole }
    let count = beyond.count == 1 ? "a point" : "\(beyond.count) points"
    return [
      "\(count) at latitude \(first.y) is beyond the pole in \(reference.label)"
        + (isSwapped ? "; x is the longitude and y the latitude" : "")
    ]
  }
}
