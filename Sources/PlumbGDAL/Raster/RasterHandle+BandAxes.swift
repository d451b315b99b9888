import CGDAL
import PlumbRaster

extension RasterHandle {
  /// The dimensions of an array that identify its bands, outermost first; empty if there are none.
  func bandAxes(of array: FileArray, in file: ArrayFile) -> [BandAxis] {
    guard array.dimensions.count > 2 else { return [] }
    return quietly {
      var axes = array.dimensions.dropLast(2).map { dimension -> BandAxis in
        let axis = CoordinateAxis(dimension, of: file)
        return BandAxis(
          name: dimension.name, count: dimension.size, values: axis?.values ?? [],
          dates: axis.flatMap { axis in dimension.variable.flatMap { dates(axis, $0) } },
          isTime: axis?.kind == .time)
      }
      // If there are two time axes, it is unknown which of them applies to the values.
      if axes.count(where: { $0.dates != nil }) > 1 || axes.contains(where: \.isForecast) {
        for index in axes.indices { axes[index].dates = nil }
      }
      let count = axes.reduce(1) { $0.multipliedReportingOverflow(by: $1.count).partialValue }
      return count == bandCount ? axes : []
    }
  }

  /// The dates of a coordinate variable; nil if it is not the time of the values, as in the case of
  /// a forecast's reference time.
  private func dates(_ axis: CoordinateAxis, _ variable: FileArray) -> [ImageDate]? {
    guard axis.kind == .time, variable.text("standard_name") ?? "time" == "time" else { return nil }
    return CalendarTime(units: variable.unit, calendar: variable.text("calendar"))?.dates(axis)
  }

  /// Sets the dates of an array's bands. The dates come from the time dimension of the array, or from
  /// a coordinate variable of the array that contains a single time.
  ///
  /// - Returns: the single time if it applies to bands that are not dates, such as levels; otherwise
  ///   nil.
  func setDates(
    of bands: inout [Band], _ axes: [BandAxis], _ array: FileArray, in file: ArrayFile
  ) -> ImageDate? {
    let hasTime = axes.contains(where: \.isTime)
    let date = hasTime ? nil : quietly { scalarDate(of: array, in: file) }
    // If several bands have the same date, the bands do not represent a time axis.
    guard axes.allSatisfy({ $0.dates != nil || $0.count == 1 }), hasTime || bands.count == 1 else {
      return date
    }
    for index in bands.indices { bands[index].date = date ?? axes.date(ofBand: index) }
    return nil
  }

  /// The date of the only time coordinate that is not a dimension; nil if there is no such
  /// coordinate, or if there are several.
  private func scalarDate(of array: FileArray, in file: ArrayFile) -> ImageDate? {
    let dates = (array.text("coordinates") ?? "").split(separator: " ").compactMap {
      name -> ImageDate? in
      guard let variable = file.array(String(name)),
        let axis = CoordinateAxis(scalar: variable, of: file)
      else { return nil }
      return self.dates(axis, variable)?.first
    }
    return dates.count == 1 ? dates[0] : nil
  }

  /// Runs `body` while GDAL's messages are suppressed.
  private func quietly<Result>(_ body: () -> Result) -> Result {
    CPLPushErrorHandler(CPLQuietErrorHandler)
    defer { CPLPopErrorHandler() }
    return fault.whileInside(body)
  }

  /// The messages of a GRIB file, one for each band; empty for other rasters.
  func messages() -> [GRIBField] {
    guard driverName == "GRIB" else { return [] }
    return (0..<bandCount).map { index in
      guard let band = band(index) else { return GRIBField(parameter: "", level: "") }
      return GRIBField(
        parameter: item("GRIB_ELEMENT", nil, of: band) ?? "",
        level: item("GRIB_SHORT_NAME", nil, of: band) ?? "",
        validTime: item("GRIB_VALID_TIME", nil, of: band) ?? "")
    }
  }
}
