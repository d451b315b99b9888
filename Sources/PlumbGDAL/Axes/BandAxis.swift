import PlumbCore
import PlumbRaster

/// A dimension of an array whose indices are bands of the raster.
package struct BandAxis: Sendable {
  package var name: String
  package var count: Int
  /// The coordinates; empty if the file has none.
  package var values: [Double]
  /// The dates of the indices; nil if the dimension is not time.
  package var dates: [ImageDate]?
}

extension [BandAxis] {
  /// The index of a band in each of the dimensions, of which the last varies fastest.
  package func indices(ofBand band: Int) -> [Int] {
    var indices: [Int] = []
    var rest = band
    for axis in reversed() {
      indices.append(rest % axis.count)
      rest /= axis.count
    }
    return indices.reversed()
  }

  /// The date of a band; nil without a dimension of time.
  package func date(ofBand band: Int) -> ImageDate? {
    let indices = indices(ofBand: band)
    for (axis, index) in zip(self, indices) {
      if let dates = axis.dates { return dates[index] }
    }
    return nil
  }
}

extension RasterHandle {
  /// The dimensions of an array whose indices are the bands, outermost first; empty for other rasters, and if the
  /// array cannot be identified.
  func bandAxes(path: String) -> [BandAxis] {
    guard let (file, array) = openArray(path: path), array.dimensions.count > 2 else { return [] }
    let axes = array.dimensions.dropLast(2).map { dimension -> BandAxis in
      let axis = CoordinateAxis(dimension, of: file)
      var dates: [ImageDate]?
      if let axis, axis.kind == .time, let variable = dimension.variable {
        dates = CalendarTime(units: variable.unit, calendar: variable.text("calendar"))?.dates(axis)
      }
      return BandAxis(
        name: dimension.name, count: dimension.size, values: axis?.values ?? [], dates: dates)
    }
    let count = axes.reduce(1) { $0.multipliedReportingOverflow(by: $1.count).partialValue }
    return count == bandCount ? axes : []
  }

  /// The dates of the messages of a GRIB file; empty for other rasters.
  func messageDates() -> [ImageDate] {
    guard driverName == "GRIB" else { return [] }
    let dates = (0..<bandCount).compactMap { index -> ImageDate? in
      guard let band = band(index), let text = item("GRIB_VALID_TIME", nil, of: band),
        let seconds = Int64(text.prefix { $0 != " " }),
        !seconds.multipliedReportingOverflow(by: 1_000_000).overflow
      else { return nil }
      return ImageDate(microseconds: seconds * 1_000_000, hasTime: true)
    }
    return dates.count == bandCount ? dates : []
  }
}
