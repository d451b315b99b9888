import PlumbCore

extension Transformation {
  /// A one-line reason why transformations between two CRSs may be less accurate than the CRSs
  /// allow; nil if there is none.
  ///
  /// - Parameter area: the extent of the points: west, south, east, north in degrees of WGS84.
  package static func warning(
    from source: SpatialReference, to target: SpatialReference,
    area: (west: Double, south: Double, east: Double, north: Double)?
  ) -> String? {
    guard !source.isEquivalent(to: target),
      let quality = quality(from: source, to: target, area: area), quality.isUncertain
    else { return nil }
    let accuracy = quality.accuracy.map { "accuracy \($0) m" } ?? "unknown accuracy"
    let reason =
      quality.missingGrids.isEmpty
      ? "is a ballpark transformation" : "needs a grid that is missing (\(quality.missingGrids[0]))"
    return "from \(source.label) to \(target.label) the best operation, "
      + "\"\(quality.name)\" (\(accuracy)), \(reason)"
  }
}
