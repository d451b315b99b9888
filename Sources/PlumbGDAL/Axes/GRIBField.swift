import PlumbRaster

/// The parameter, the level and the valid time of a message of a GRIB file.
package struct GRIBField: Sendable, Hashable {
  /// GDAL's abbreviation of the parameter, such as `TMP`.
  package var parameter: String
  /// The level and the abbreviation of its kind, such as `2-HTGL`.
  package var level: String
  /// The valid time; nil if it is unknown.
  package var date: ImageDate?

  /// - Parameter validTime: the seconds since 1970, optionally followed by other text.
  init(parameter: String, level: String, validTime: String = "") {
    (self.parameter, self.level) = (parameter, level)
    guard let seconds = Int64(validTime.prefix { $0 != " " }) else { return }
    let (microseconds, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !isOver, microseconds.magnitude < ImageDate.limit else { return }
    date = ImageDate(microseconds: microseconds, hasTime: true)
  }

  /// The name that selects all messages of this parameter on this level.
  package var name: String { "\(parameter)_\(level)" }

  /// The number of the level, such as 2 for `2-HTGL`; nil for a level without a number.
  package var levelNumber: Double? {
    let sign = level.prefix { $0 == "-" }
    return Double(sign + level.dropFirst(sign.count).prefix { $0 != "-" })
  }
}

extension [GRIBField] {
  /// The valid times; nil if the messages have several parameters or levels, or if a time is unknown.
  package var dates: [ImageDate]? {
    guard Set(map(\.name)).count == 1 else { return nil }
    let dates = compactMap(\.date)
    return dates.count == count ? dates : nil
  }
}
