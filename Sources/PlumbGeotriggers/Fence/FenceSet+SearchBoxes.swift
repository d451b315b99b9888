import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// Lower bounds of the lengths of a degree of a meridian and of a degree of the equator on WGS84,
  /// in metres.
  private static let (meridian, equator) = (110_574.0, 111_319.0)
  /// The latitude beyond which boxes in degrees would be too wide.
  private static let farNorth = 89.0

  /// Creates an index of the boxes that `boxes()` returns; nil if there is no buffer or there are no boxes.
  func makeSearchBoxes() -> GeometryLocator? {
    guard bufferDistance > 0, let boxes = boxes() else { return nil }
    return GeometryLocator(
      // A fence without finite bounds may contain any point.
      boxes.map { box in
        let isFinite =
          box.xMin.isFinite && box.xMax.isFinite && box.yMin.isFinite && box.yMax.isFinite
        return isFinite ? .envelope(box) : nil
      }, period: period)
  }

  /// Returns a box around each fence with its buffer, in the fences' CRS; nil if boxes cannot be
  /// computed.
  ///
  /// The latitude along a path of the buffer's length changes by at most this length divided by the
  /// length of the shortest degree of a meridian. All parallels that the path crosses are therefore
  /// at least as long as the parallel at the box's highest latitude.
  func boxes() -> [Envelope]? {
    guard region == nil else { return nil }
    guard bufferDistance > 0 else { return fences.map(\.geometry.envelope) }
    guard !isTransformed else { return nil }
    let high = bufferDistance / Self.meridian * (1 + 1e-6) + 1e-9
    var boxes: [Envelope] = []
    boxes.reserveCapacity(fences.count)
    for fence in fences {
      var box = fence.geometry.envelope
      (box.yMin, box.yMax) = (box.yMin - high, box.yMax + high)
      let latitude = max(box.yMin.magnitude, box.yMax.magnitude)
      guard latitude < Self.farNorth || !latitude.isFinite else { return nil }
      let wide = bufferDistance / (Self.equator * Self.cosine(latitude)) * (1 + 1e-6) + 1e-9
      (box.xMin, box.xMax) = (box.xMin - wide, box.xMax + wide)
      boxes.append(box)
    }
    return boxes
  }

  /// Returns a lower bound of the cosine of an angle from 0 to 90 degrees. For small angles, the
  /// bound is close to the cosine.
  private static func cosine(_ degrees: Double) -> Double {
    let angle = degrees * (.pi / 180)
    return max(1 - angle * angle / 2, 1 - degrees / 90)
  }
}
