import PlumbCore

extension GeometryLocator {
  /// Data over more turns than these have few places right: a place is tried one turn to each side.
  private static let mostTurns = 64.0

  /// Calls `body` with a place, and with the same place some turns away where it may be within a
  /// reach of something.
  @inline(__always)
  func forEachTurn(
    of place: SIMD2<Double>, reach: Double, _ body: (_ place: SIMD2<Double>) -> Void
  ) {
    body(place)
    forEachOtherTurn(of: place, reach: reach, period, body)
  }

  /// Calls `body` with the same place some turns away.
  func forEachOtherTurn(
    of place: SIMD2<Double>, reach: Double, _ period: Double?,
    _ body: (_ place: SIMD2<Double>) -> Void
  ) {
    guard let period, place.x.isFinite, !SpatialIndex.isEmpty(box) else { return }
    let turns = (-box.z - box.x) / period
    var (least, most) = (-1.0, 1.0)
    if turns <= Self.mostTurns {
      // A place more than half a turn beside everything is nearer to it one turn on.
      let slack = min(reach / period, 0.5) + 1e-6
      least = ((box.x - place.x) / period - slack).rounded(.up)
      most = ((-box.z - place.x) / period + slack).rounded(.down)
      guard least.magnitude < 1e9, most.magnitude < 1e9 else { return }
    }
    var turn = least
    while turn <= most {
      if turn != 0 { body(SIMD2(place.x + turn * period, place.y)) }
      turn += 1
    }
  }

  /// The x of a place at all turns where a locator that is made later may look for it, its own first;
  /// nil when those are not known, or too many.
  ///
  /// - Parameter extent: as far as it is known, round all geometries. It may be out of date: the turns
  ///   round 0 are there in any case.
  package static func turns(of x: Double, period: Double, extent: Envelope?) -> [Double]? {
    guard x.isFinite, period > 0, let extent, (x / period).magnitude < 1e9 else { return nil }
    var (low, high) = (-1.5 * period, 1.5 * period)
    if !extent.isEmpty { (low, high) = (min(low, extent.xMin), max(high, extent.xMax)) }
    let slack = 1e-6
    let least = ((low - x) / period - slack).rounded(.up)
    let most = ((high - x) / period + slack).rounded(.down)
    // Not so for what is not a number.
    guard most - least <= mostTurns else { return nil }
    var places = [x]
    var turn = least
    while turn <= most {
      if turn != 0 { places.append(x + turn * period) }
      turn += 1
    }
    return places
  }
}
