import PlumbCore
import PlumbGeometry

extension FenceSet {
  /// No degree of a meridian of WGS84 is shorter, and none of the equator; metres.
  private static let (meridian, equator) = (110_574.0, 111_319.0)
  /// From this latitude on boxes of degrees are too wide.
  private static let farNorth = 89.0

  /// The index of `boxes()`, where a buffer makes one useful.
  func makeSearchBoxes() -> GeometryLocator? {
    guard bufferDistance > 0, let boxes = boxes() else { return nil }
    return GeometryLocator(
      // A fence that is left out may be anywhere.
      boxes.map { box in
        let isFinite =
          box.xMin.isFinite && box.xMax.isFinite && box.yMin.isFinite && box.yMax.isFinite
        return isFinite ? .envelope(box) : nil
      }, period: period)
  }

  /// A box round each fence and its buffer, in the fences' reference; nil where there is none for all of
  /// them.
  ///
  /// A way of the buffer's length leads no farther north or south than its length by the shortest
  /// degree of a meridian, and so stays on parallels that are no shorter than that of the box's
  /// highest latitude.
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

  /// No more than the cosine of an angle from 0 to 90 degrees, and little less where it is small.
  private static func cosine(_ degrees: Double) -> Double {
    let angle = degrees * (.pi / 180)
    return max(1 - angle * angle / 2, 1 - degrees / 90)
  }
}
