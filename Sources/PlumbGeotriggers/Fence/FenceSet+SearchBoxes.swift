import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// No degree of a meridian of WGS84 is shorter, and none of the equator; metres.
  private static let (meridian, equator) = (110_574.0, 111_319.0)
  /// From this latitude on boxes of degrees are too wide.
  private static let farNorth = 89.0

  /// A box round each fence and its buffer, in degrees; nil where there is none for all of them.
  ///
  /// A way of the buffer's length leads no farther north or south than its length by the shortest
  /// degree of a meridian, and so stays on parallels that are no shorter than that of the box's
  /// highest latitude.
  func makeSearchBoxes() -> GeometryLocator? {
    guard region == nil, !isTransformed, bufferDistance > 0 else { return nil }
    let high = bufferDistance / Self.meridian * (1 + 1e-6) + 1e-9
    var boxes: [Geometry?] = []
    boxes.reserveCapacity(fences.count)
    for fence in fences {
      let box = fence.geometry.envelope
      let (yMin, yMax) = (box.yMin - high, box.yMax + high)
      // A fence that is left out may be anywhere.
      guard box.xMin.isFinite, box.xMax.isFinite, yMin.isFinite, yMax.isFinite else {
        boxes.append(nil)
        continue
      }
      let latitude = max(yMin.magnitude, yMax.magnitude)
      guard latitude < Self.farNorth else { return nil }
      let wide = bufferDistance / (Self.equator * Self.cosine(latitude)) * (1 + 1e-6) + 1e-9
      boxes.append(
        .envelope(
          Envelope(xMin: box.xMin - wide, yMin: yMin, xMax: box.xMax + wide, yMax: yMax)))
    }
    return GeometryLocator(boxes, period: period)
  }

  /// No more than the cosine of an angle from 0 to 90 degrees, and little less where it is small.
  private static func cosine(_ degrees: Double) -> Double {
    let angle = degrees * (.pi / 180)
    return max(1 - angle * angle / 2, 1 - degrees / 90)
  }
}
