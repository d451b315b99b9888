import PlumbCore
import Synchronization

extension SpatialReference {
  /// The period of x of a geographic CRS, in the unit of x; nil for other CRSs.
  package var period: Double? {
    guard isGeographic, unit.factor > 0 else { return nil }
    // In the common units, the period is a whole number, but the quotient may differ from this
    // number in the last digit.
    let period = 2 * Double.pi / unit.factor
    return (period - period.rounded()).magnitude < 1e-9 * period ? period.rounded() : period
  }

  /// The difference in x of 360° of longitude: the period of a geographic CRS, or the width of the
  /// world in a projection whose x is proportional to longitude, such as Web Mercator; nil for
  /// other CRSs.
  package var planePeriod: Double? {
    if isGeographic { return period }
    guard isGeoreferenced else { return nil }
    if let known = PlanePeriods.known.withLock({ $0[definition] }) { return known }
    let found = PlanePeriods.period(of: self)
    PlanePeriods.known.withLock { known in
      if known.count >= 256 { known.removeAll() }
      known[definition] = .some(found)
    }
    return found
  }
}

private enum PlanePeriods {
  /// The cached periods, by the definitions of the CRSs.
  static let known = Mutex<[String: Double?]>([:])

  static func period(of reference: SpatialReference) -> Double? {
    guard let base = try? GeographicBase(reference) else { return nil }
    func point(_ x: Double, _ y: Double) -> SIMD2<Double>? {
      guard let point = try? base.fromDegrees(SIMD2(x, y)) else { return nil }
      return point.x.isFinite && point.y.isFinite ? point : nil
    }
    guard let origin = point(0, 0), let east = point(1, 0), let other = point(2, 0) else {
      return nil
    }
    // One of the two steps may cross the meridian at which the plane is cut.
    let (first, second) = (east.x - origin.x, other.x - east.x)
    let scale = first.magnitude < second.magnitude ? first : second
    guard scale.isNormal else { return nil }
    for y in [0.0, -40, 20, 60] {
      guard let start = point(0, y) else { return nil }
      for x in [-171.0, -100, -37, 13, 91, 164] {
        guard let there = point(x, y) else { return nil }
        let shifts = (there.x - origin.x - scale * x) / (360 * scale)
        guard (shifts - shifts.rounded()).magnitude < 1e-9,
          (there.y - start.y).magnitude <= 1e-9 * scale.magnitude
        else { return nil }
      }
    }
    return (360 * scale).magnitude
  }
}
