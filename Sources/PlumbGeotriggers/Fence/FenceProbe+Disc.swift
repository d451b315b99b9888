import PlumbCore
import PlumbGeometry

extension FenceProbe {
  /// Whether a disc is inside a fence with its buffer. The tolerance is the larger of a tenth of a
  /// millimetre and a billionth of the radius.
  ///
  /// The distances of two points to a fence do not differ by more than the distance between the
  /// points. Therefore, if the middle of a piece of the disc is deep enough inside, the whole piece
  /// is inside. Otherwise the piece is divided in two.
  ///
  /// - Parameters:
  ///   - distance: the distance from the middle of the disc to the fence's geometry, in metres.
  ///   - radius: the radius in metres, above 0.
  func contains(
    discRound point: SIMD2<Double>, radius: Double, _ fence: Int, distance: Double
  ) -> Bool {
    if distance + radius <= buffer { return true }
    let isPoint: Bool
    if case .point = fences.fences[fence].geometry { isPoint = true } else { isPoint = false }
    // If the fence is a point, the path from this point through the middle of the disc continues to
    // the far side of the disc, which is outside the buffer.
    if isPoint || distance > buffer { return false }
    let depth = depth(fence, point, distance: distance)
    if depth.clear >= radius { return true }
    // The disc extends beyond the border of the area. Without a buffer, points beyond the border
    // are outside.
    if buffer == 0 { return false }
    for step in 0..<8 {
      let rim = tools.meter.point(from: point, azimuth: Double(step) * 45, distance: radius)
      if !self.depth(fence, rim, enough: 0).isInside { return false }
    }
    return isInsideThroughout(point, radius: radius, fence, clear: depth.clear)
  }

  /// A piece of a disc, which is a range of distances from the middle in metres and a range of
  /// azimuths in degrees.
  private struct Sector {
    var from, to: Double
    var left, right: Double
    /// The length of the outer side in metres.
    var width: Double { to * (right - left) * (.pi / 180) }
  }

  /// The maximum number of pieces of a disc. It is reached only where the borders of the disc and
  /// of the buffer coincide.
  private static let maximumSectors = 20_000

  private func isInsideThroughout(
    _ point: SIMD2<Double>, radius: Double, _ fence: Int, clear: Double
  ) -> Bool {
    let finest = max(1e-4, 1e-9 * radius)
    // All points that are nearer to the middle than the clear distance are inside.
    var sectors = (0..<8).map {
      Sector(from: clear, to: radius, left: Double($0) * 45, right: Double($0 + 1) * 45)
    }
    // The pieces are processed in the order of creation, so that all pieces have about the same
    // size when the limit is reached.
    var next = 0
    while next < sectors.count {
      let sector = sectors[next]
      next += 1
      // Two geodesics from one point are never farther apart than two straight lines on a plane
      // with the same angle between them. The search radius is therefore an upper bound.
      let searchRadius = (sector.to - sector.from) / 2 + sector.width / 2
      let middle = tools.meter.point(
        from: point, azimuth: (sector.left + sector.right) / 2,
        distance: (sector.from + sector.to) / 2)
      let depth = depth(fence, middle)
      if !depth.isInside { return false }
      guard depth.clear < searchRadius, searchRadius > finest, sectors.count < Self.maximumSectors
      else { continue }
      var (first, second) = (sector, sector)
      if sector.width > sector.to - sector.from {
        first.right = (sector.left + sector.right) / 2
        second.left = first.right
      } else {
        first.to = (sector.from + sector.to) / 2
        second.from = first.to
      }
      sectors.append(first)
      sectors.append(second)
    }
    return true
  }
}
