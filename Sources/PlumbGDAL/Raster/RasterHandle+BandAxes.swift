import CGDAL
import PlumbRaster

extension RasterHandle {
  /// The dimensions of an array whose indices are the bands, outermost first; empty for other rasters, and if the
  /// array cannot be identified.
  func bandAxes(path: String) -> [BandAxis] {
    guard let (file, array) = openArray(path: path), array.dimensions.count > 2 else { return [] }
    var axes = array.dimensions.dropLast(2).map { dimension -> BandAxis in
      let axis = CoordinateAxis(dimension, of: file)
      var dates: [ImageDate]?
      // A forecast's reference time is not the time of its values.
      let kind = dimension.variable?.text("standard_name") ?? "time"
      if let axis, axis.kind == .time, kind == "time", let variable = dimension.variable {
        dates = CalendarTime(units: variable.unit, calendar: variable.text("calendar"))?.dates(axis)
      }
      return BandAxis(
        name: dimension.name, count: dimension.size, values: axis?.values ?? [], dates: dates,
        isTime: axis?.kind == .time)
    }
    // With two axes of time, neither is known to be that of the values.
    if axes.count(where: { $0.dates != nil }) > 1 || axes.contains(where: \.isForecast) {
      for index in axes.indices { axes[index].dates = nil }
    }
    let count = axes.reduce(1) { $0.multipliedReportingOverflow(by: $1.count).partialValue }
    return count == bandCount ? axes : []
  }

  /// The dates of the messages of a GRIB file with one parameter on one level; empty for other rasters.
  func messageDates() -> [ImageDate] {
    guard driverName == "GRIB" else { return [] }
    let contents = (0..<bandCount).map { index in
      ["GRIB_ELEMENT", "GRIB_SHORT_NAME"].map { name in
        band(index).flatMap { item(name, nil, of: $0) } ?? ""
      }
    }
    guard Set(contents).count == 1 else { return [] }
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
