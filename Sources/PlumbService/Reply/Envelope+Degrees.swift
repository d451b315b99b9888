import Plumb

extension Envelope {
  /// The envelope in degrees as west, south, east and north; nil if it cannot be projected. If the
  /// envelope crosses 180 degrees, west is greater than east.
  var degrees: [Double]? {
    var positioned = self
    if positioned.spatialReference == nil {
      // Without a CRS, coordinates in the range of degrees are assumed to be degrees.
      guard max(xMax.magnitude, xMin.magnitude) <= 360, max(yMax.magnitude, yMin.magnitude) <= 90
      else { return nil }
      positioned.spatialReference = .wgs84
    }
    guard !positioned.isEmpty,
      case .envelope(let box)? = try? GeometryText.box(positioned, in: .wgs84),
      !box.isEmpty
    else { return nil }
    var (west, east) = (box.xMin, box.xMax)
    let isFullCircle = east - west >= 360
    func turned(_ x: Double) -> Double { x.magnitude <= 180 ? x : x.remainder(dividingBy: 360) }
    (west, east) = isFullCircle ? (-180, 180) : (turned(west), turned(east))
    return [west, max(-90, box.yMin), east, min(90, box.yMax)]
  }
}
