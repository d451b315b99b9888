import PlumbCore
import PlumbIO
import PlumbRaster
import PlumbSources

/// The time axis of a store.
struct StoreTimes: Sendable {
  /// The unit in which times since 1970-01-01 are counted.
  enum Unit: String, CaseIterable {
    case days, seconds, microseconds

    var text: String { rawValue + " since 1970-01-01" }

    fileprivate var microseconds: Int64 {
      switch self {
      case .days: ImageDate.day
      case .seconds: 1_000_000
      case .microseconds: 1
      }
    }
  }

  let unit: Unit
  /// The times in ascending order.
  let values: [Int64]

  /// The axis of the given dates, in the largest unit that represents them exactly. The unit is days
  /// only if all dates are without a time of day.
  init(_ dates: [ImageDate]) {
    let unit = Unit.allCases.first { Self.values(dates, $0) != nil } ?? .microseconds
    self.init(unit, Self.values(dates, unit) ?? [])
  }

  init(_ unit: Unit, _ values: [Int64]) { (self.unit, self.values) = (unit, values) }

  /// The dates in a unit; nil if the unit does not represent them exactly.
  static func values(_ dates: [ImageDate], _ unit: Unit) -> [Int64]? {
    if unit == .days, dates.contains(where: \.hasTime) { return nil }
    var values: [Int64] = []
    for date in dates {
      // In other units, a date without a time of day is noon, as in differences between dates.
      let time = date.microseconds - (unit == .days ? ImageDate.noon : 0)
      let value = time.floorDivided(by: unit.microseconds)
      guard value * unit.microseconds == time else { return nil }
      values.append(value)
    }
    return values
  }

  /// The date that a number represents, for messages.
  func text(_ value: Int64) -> String {
    let (time, isTooLarge) = value.multipliedReportingOverflow(by: unit.microseconds)
    guard !isTooLarge, time.magnitude < ImageDate.limit else { return "\(value) \(unit.text)" }
    return ImageDate(
      microseconds: time + (unit == .days ? ImageDate.noon : 0), hasTime: unit != .days
    ).text
  }
}
