import Plumb

extension Envelope {
  /// In degrees of longitude and latitude: west, south, east, north, west of east where it goes across 180
  /// degrees; nil where it has none.
  var degrees: [Double]? {
    var own = self
    if own.spatialReference == nil {
      // Numbers that may be degrees are taken for such.
      guard max(xMax.magnitude, xMin.magnitude) <= 360, max(yMax.magnitude, yMin.magnitude) <= 90
      else { return nil }
      own.spatialReference = .wgs84
    }
    guard !own.isEmpty, case .envelope(let box)? = try? GeometryText.box(own, in: .wgs84),
      !box.isEmpty
    else { return nil }
    var (west, east) = (box.xMin, box.xMax)
    let isWhole = east - west >= 360
    func turned(_ x: Double) -> Double { x.magnitude <= 180 ? x : x.remainder(dividingBy: 360) }
    (west, east) = isWhole ? (-180, 180) : (turned(west), turned(east))
    return [west, max(-90, box.yMin), east, min(90, box.yMax)]
  }
}
