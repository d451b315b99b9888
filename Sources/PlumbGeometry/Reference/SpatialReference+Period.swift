import PlumbCore

extension SpatialReference {
  /// The period of x in the unit of x of a geographic reference; nil for others.
  package var period: Double? {
    guard isGeographic, unit.factor > 0 else { return nil }
    // A period is a whole number of the common units, which the division may miss by a last digit.
    let period = 2 * Double.pi / unit.factor
    return (period - period.rounded()).magnitude < 1e-9 * period ? period.rounded() : period
  }
}
