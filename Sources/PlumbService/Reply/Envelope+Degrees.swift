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
    if east - west > 180, let narrow = own.narrowLongitudes { (west, east) = narrow }
    let isWhole = east - west >= 360
    func turned(_ x: Double) -> Double { x.magnitude <= 180 ? x : x.remainder(dividingBy: 360) }
    (west, east) = isWhole ? (-180, 180) : (turned(west), turned(east))
    return [west, max(-90, box.yMin), east, min(90, box.yMax)]
  }

  /// The longitudes of a box in a projected reference that lies across 180 degrees, the eastern end beyond
  /// 180; nil where its edge leaves no gap of 90 degrees.
  private var narrowLongitudes: (west: Double, east: Double)? {
    guard let spatialReference, !spatialReference.isGeographic,
      let toDegrees = try? Transformation(from: spatialReference, to: .wgs84)
    else { return nil }
    let steps = (0...32).map { Double($0) / 32 }
    var x = steps.flatMap { share in
      let inner = xMin + (xMax - xMin) * share
      return [inner, inner, xMin, xMax]
    }
    var y = steps.flatMap { share in
      let inner = yMin + (yMax - yMin) * share
      return [yMin, yMax, inner, inner]
    }
    toDegrees.apply(x: &x, y: &y, count: x.count)
    let sorted = x.filter(\.isFinite).map { $0 < 0 ? $0 + 360 : $0 }.sorted()
    guard sorted.count == x.count, let first = sorted.first else { return nil }
    var widest = (size: first + 360 - sorted[sorted.count - 1], after: sorted.count - 1)
    for (index, pair) in zip(sorted, sorted.dropFirst()).enumerated()
    where pair.1 - pair.0 > widest.size {
      widest = (pair.1 - pair.0, index)
    }
    guard widest.size >= 90 else { return nil }
    let west = sorted[(widest.after + 1) % sorted.count]
    let east = sorted[widest.after]
    return (west, east < west ? east + 360 : east)
  }
}
