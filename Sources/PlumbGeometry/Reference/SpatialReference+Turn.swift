import PlumbCore

extension SpatialReference {
  /// A full turn in the unit of x of a geographic reference; nil for others.
  package var fullTurn: Double? {
    guard isGeographic, unit.factor > 0 else { return nil }
    // A turn is a whole number of the common units, which the division may miss by a last digit.
    let turn = 2 * Double.pi / unit.factor
    return (turn - turn.rounded()).magnitude < 1e-9 * turn ? turn.rounded() : turn
  }
}
