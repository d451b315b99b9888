import PlumbCore

/// Computes the areas on the ellipsoid of quadrilaterals whose edges are straight lines in a CRS.
/// Each worker needs a separate instance.
package final class GroundArea {
  private let base: GeographicBase
  private let authalic: AuthalicArea

  /// The relative change of an area below which more points per edge are not needed.
  private static let tolerance = 1e-12
  /// The accuracy of transformed points in metres.
  private static let resolution = 4e-9
  /// The maximum number of points per edge.
  private static let pointLimit = 1 << 12

  /// - Throws: for a CRS that is not on the Earth's surface.
  package init(_ reference: SpatialReference) throws(GeometryError) {
    base = try GeographicBase(reference)
    authalic = AuthalicArea(Self.ellipsoid(base.ellipsoid))
  }

  /// The ellipsoid on which areas are measured. For a CRS on a sphere of the size of the Earth,
  /// such as the CRS of MODIS, PROJ treats latitudes as geodetic latitudes of WGS 84.
  private static func ellipsoid(
    _ ellipsoid: SpatialReference.Ellipsoid
  ) -> SpatialReference.Ellipsoid {
    let isEarth = (6_350_000...6_390_000).contains(ellipsoid.semiMajorAxis)
    guard ellipsoid.flattening == 0, isEarth, let ground = SpatialReference.wgs84.ellipsoid else {
      return ellipsoid
    }
    return ground
  }

  /// Whether coordinates are longitudes and latitudes.
  package var isGeographic: Bool { base.isUnprojected }

  /// The area in m² between two latitudes over a difference of longitudes. The latitudes and the
  /// difference are in the unit of the CRS.
  package func band(from a: Double, to b: Double, width: Double) -> Double {
    let degrees = base.degreesPerUnit
    let (south, north) = (max(-90, min(a, b) * degrees), min(90, max(a, b) * degrees))
    guard south < north else { return 0 }
    return authalic.band(from: south, to: north) * (width * degrees).magnitude.inRadians
  }

  /// The area in m² of a quadrilateral; NaN if it cannot be transformed to longitudes and latitudes.
  ///
  /// The edges are divided into more and more parts, and the areas are extrapolated to infinitely
  /// many parts with Romberg's method, because the error of an area is a series of even powers of
  /// the length of the parts.
  package func area(_ corners: [SIMD2<Double>]) -> Double {
    var last = [area(corners, parts: 1)]
    var parts = 2
    while parts <= Self.pointLimit {
      var next = [area(corners, parts: parts)]
      var power = 4.0
      for (index, before) in last.enumerated() {
        next.append(next[index] + (next[index] - before) / (power - 1))
        power *= 4
      }
      let (limit, lastLimit) = (next[next.count - 1], last[last.count - 1])
      if limit.isNaN { return .nan }
      let allowed =
        Self.tolerance * limit.magnitude + Self.resolution * limit.magnitude.squareRoot()
      if (limit - lastLimit).magnitude <= allowed { return limit }
      last = next
      parts *= 2
    }
    // An edge through a pole is not smooth, so that only the first extrapolation improves the area.
    return last[1]
  }

  private func area(_ corners: [SIMD2<Double>], parts: Int) -> Double {
    var ring: [SIMD2<Double>] = []
    ring.reserveCapacity(corners.count * parts + 3)
    for (index, corner) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      for part in 0..<parts {
        ring.append(corner + (next - corner) * (Double(part) / Double(parts)))
      }
    }
    ring.withUnsafeMutableBufferPointer { base.toDegreesOrNaN($0) }
    guard ring.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return .nan }
    ring.append(ring[0])
    return area(ofDegrees: ring).magnitude
  }

  private func area(ofDegrees points: [SIMD2<Double>]) -> Double {
    var ring: [SIMD2<Double>] = []
    ring.reserveCapacity(points.count + 2)
    for (index, point) in points.enumerated() {
      if isPole(point) {
        // The ring reaches a pole, and leaves it, along meridians.
        let before = index > 0 ? points[index - 1] : points[points.count - 2]
        let after = index + 1 < points.count ? points[index + 1] : points[1]
        ring.append(SIMD2(unwrapped(before.x, ring.last?.x), point.y))
        ring.append(SIMD2(unwrapped(after.x, ring.last?.x), point.y))
      } else {
        ring.append(SIMD2(unwrapped(point.x, ring.last?.x), point.y))
      }
    }
    // A ring around a pole is closed along the pole.
    if let first = ring.first, let last = ring.last, (last.x - first.x).magnitude > 180 {
      let pole = first.y < 0 ? -90.0 : 90.0
      ring += [SIMD2(last.x, pole), SIMD2(first.x, pole), first]
    }
    return authalic.area(ofRing: ring)
  }

  private func isPole(_ point: SIMD2<Double>) -> Bool { 90 - point.y.magnitude < 1e-9 }

  /// Returns the longitude shifted by whole periods to within 180° of another longitude.
  private func unwrapped(_ x: Double, _ other: Double?) -> Double {
    guard let other else { return x }
    return x - ((x - other) / 360).rounded() * 360
  }
}
