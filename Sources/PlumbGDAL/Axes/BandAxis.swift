import PlumbRaster

/// A dimension of an array whose indices are bands of the raster.
package struct BandAxis: Sendable {
  package var name: String
  package var count: Int
  /// The coordinates; empty if the file does not contain any.
  package var values: [Double]
  /// The dates of the indices; nil if the dimension is not a time dimension.
  package var dates: [ImageDate]?
  /// Whether the dimension is a time dimension, with or without dates.
  package var isTime = false

  /// Whether the dimension is the time since the start of a forecast, which is added to the time.
  var isForecast: Bool { isTime && dates == nil && count > 1 && !values.isEmpty }
}

extension [BandAxis] {
  /// The index of a band in each of the dimensions, the last of which varies fastest.
  package func indices(ofBand band: Int) -> [Int] {
    var indices: [Int] = []
    var rest = band
    for axis in reversed() {
      indices.append(rest % axis.count)
      rest /= axis.count
    }
    return indices.reversed()
  }

  /// The date of a band; nil if there is no time dimension.
  package func date(ofBand band: Int) -> ImageDate? {
    let indices = indices(ofBand: band)
    for (axis, index) in zip(self, indices) {
      if let dates = axis.dates { return dates[index] }
    }
    return nil
  }
}
