import PlumbCore

extension GeometryLocator {
  /// Data over more turns than these have few points right: a point is tried one turn to each side.
  private static let mostTurns = 64.0

  /// Calls `body` with a point, and with the same point some turns away where it may be within a
  /// reach of something.
  @inline(__always)
  func forEachTurn(
    of point: SIMD2<Double>, reach: Double, _ body: (_ point: SIMD2<Double>) -> Void
  ) {
    body(point)
    forEachOtherTurn(of: point, reach: reach, period, body)
  }

  /// Calls `body` with the same point some turns away.
  func forEachOtherTurn(
    of point: SIMD2<Double>, reach: Double, _ period: Double?,
    _ body: (_ point: SIMD2<Double>) -> Void
  ) {
    guard let period, point.x.isFinite, !SpatialIndex.isEmpty(box) else { return }
    let turns = (-box.z - box.x) / period
    var (least, most) = (-1.0, 1.0)
    if turns <= Self.mostTurns {
      // A point more than half a turn beside everything is nearer to it one turn on.
      let slack = min(reach / period, 0.5) + 1e-6
      least = ((box.x - point.x) / period - slack).rounded(.up)
      most = ((-box.z - point.x) / period + slack).rounded(.down)
      guard least.magnitude < 1e9, most.magnitude < 1e9 else { return }
    }
    var turn = least
    while turn <= most {
      if turn != 0 { body(SIMD2(point.x + turn * period, point.y)) }
      turn += 1
    }
  }

  /// The x of a point at all turns where a locator that is made later may look for it, its own first;
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
    var points = [x]
    var turn = least
    while turn <= most {
      if turn != 0 { points.append(x + turn * period) }
      turn += 1
    }
    return points
  }
}
