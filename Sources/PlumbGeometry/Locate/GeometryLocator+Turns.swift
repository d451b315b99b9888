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
}
