import PlumbCore

extension Transformation {
  /// The extent of points: west, south, east, north in degrees of WGS84.
  package typealias Area = (west: Double, south: Double, east: Double, north: Double)

  /// A one-line reason why transformations between two CRSs may be less accurate than the CRSs
  /// allow; nil if there is none.
  package static func warning(
    from source: SpatialReference, to target: SpatialReference, area: Area?
  ) -> String? {
    warning(
      WarningKey(
        source: source, target: target,
        box: area.map { SIMD4($0.west, $0.south, $0.east, $0.north) }),
      area)
  }

  /// A one-line reason why transformations of points may be less accurate than the CRSs allow; nil if there
  /// is none.
  ///
  /// - Parameters:
  ///   - points: the corners of the extent of the points, in `reference`.
  ///   - reference: the CRS of the corners.
  package static func warning(
    from source: SpatialReference, to target: SpatialReference, around points: [SIMD2<Double>],
    in reference: SpatialReference
  ) -> String? {
    var box = SIMD4(Double.infinity, .infinity, -.infinity, -.infinity)
    for point in points {
      box = SIMD4(
        min(box.x, point.x), min(box.y, point.y), max(box.z, point.x), max(box.w, point.y))
    }
    return warning(
      WarningKey(source: source, target: target, box: box, reference: reference),
      area(of: points, in: reference))
  }

  /// The CRSs and the extent of a warning.
  private struct WarningKey: Equatable {
    var source, target: SpatialReference
    var box: SIMD4<Double>?
    /// The CRS of `box`; nil if `box` is in degrees of WGS84.
    var reference: SpatialReference?
  }

  /// The last results. Determining a result takes longer than transforming a few points.
  private static let warnings = RecentValues<WarningKey, String?>(limit: 32)

  private static func warning(_ key: WarningKey, _ area: @autoclosure () -> Area?) -> String? {
    guard !key.source.isEquivalent(to: key.target), !isConversion(from: key.source, to: key.target)
    else { return nil }
    let known = try? warnings.value(of: key) {
      guard let quality = quality(from: key.source, to: key.target, area: area()),
        quality.isUncertain
      else { return nil }
      let accuracy = quality.accuracy.map { "accuracy \($0) m" } ?? "unknown accuracy"
      let reason =
        quality.missingGrids.isEmpty
        ? "is a ballpark transformation"
        : "needs a grid that is missing (\(quality.missingGrids[0]))"
      return "from \(key.source.label) to \(key.target.label) the best operation, "
        + "\"\(quality.name)\" (\(accuracy)), \(reason)"
    }
    return known ?? nil
  }

  /// The CRSs of a transformation.
  private struct Pair: Equatable {
    var source, target: SpatialReference
  }

  private static let conversions = RecentValues<Pair, Bool>(limit: 64)

  /// Returns whether both CRSs have the same datum, so that transformations are exact at all points.
  private static func isConversion(
    from source: SpatialReference, to target: SpatialReference
  ) -> Bool {
    let isKnown = try? conversions.value(of: Pair(source: source, target: target)) {
      guard let quality = quality(from: source, to: target) else { return false }
      return quality.isOnly && quality.accuracy == 0 && !quality.isUncertain
    }
    return isKnown ?? false
  }

  /// Returns the extent of points; nil if it cannot be determined, or if its width is 180° or more.
  package static func area(of points: [SIMD2<Double>], in reference: SpatialReference) -> Area? {
    guard let toDegrees = try? Transformation(from: reference, to: .wgs84) else { return nil }
    var x = points.map(\.x)
    var y = points.map(\.y)
    unsafe toDegrees.apply(x: &x, y: &y, count: x.count)
    let degrees = zip(x, y).filter { $0.isFinite && $1.isFinite }
    guard let west = degrees.map(\.0).min(), let east = degrees.map(\.0).max(),
      let south = degrees.map(\.1).min(), let north = degrees.map(\.1).max(), east - west < 180
    else { return nil }
    return (west, south, east, north)
  }
}

extension Envelope {
  /// The corners; empty for an empty envelope.
  package var corners: [SIMD2<Double>] {
    isEmpty
      ? []
      : [SIMD2(xMin, yMin), SIMD2(xMax, yMin), SIMD2(xMax, yMax), SIMD2(xMin, yMax)]
  }
}
