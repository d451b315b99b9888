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

  /// The maximum number of coordinates. A longer axis is not read.
  package static var maximumCount: Int { CoordinateAxis.maximumSize }

  package init(
    name: String, count: Int, values: [Double], dates: [ImageDate]? = nil, isTime: Bool = false
  ) {
    (self.name, self.count, self.values) = (name, count, values)
    (self.dates, self.isTime) = (dates, isTime)
  }

  /// A time axis without bounds.
  ///
  /// - Parameters:
  ///   - times: the times in the units.
  ///   - units: such as `days since 1970-01-01`.
  ///   - calendar: the name of a calendar of the CF conventions.
  /// - Returns: nil if the units, the calendar or a time are not supported.
  package init?(name: String, times: [Double], units: String, calendar: String) {
    let dates = CalendarTime(units: units, calendar: calendar)?
      .dates(CoordinateAxis(kind: .time, values: times))
    guard let dates else { return nil }
    self.init(name: name, count: times.count, values: times, dates: dates, isTime: true)
  }

  /// Whether the dimension contains the lead times of a forecast. A lead time is added to the start time of
  /// the forecast.
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
