import CGDAL
import PlumbRaster

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
