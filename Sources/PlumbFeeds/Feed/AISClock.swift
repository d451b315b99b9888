import PlumbCore

/// Determines the times of AIS reports, which contain only the second of the minute.
///
/// The clock is set by a receiver's timestamp on a sentence or by the report of a base station. The
/// seconds of later reports advance the clock. Without a timestamp or a base station, a live feed
/// uses the system clock, and the times in a file count from 1970.
struct AISClock {
  /// The latest time in milliseconds since 1970; nil if no time is known.
  private var latest: Int64?
  /// Whether `latest` is the exact time of the current sentence, so that the second in the report
  /// is ignored.
  private var isExact = false
  private let isLive: Bool
  /// Whether a date is known, or a missing date has been reported.
  private(set) var hasDate: Bool

  init(isLive: Bool) {
    self.isLive = isLive
    hasDate = isLive
  }

  /// - Parameter isOfReport: whether the time belongs to the current report instead of an earlier
  ///   report.
  mutating func set(_ time: Int64, isOfReport: Bool) {
    (latest, isExact, hasDate) = (time, isOfReport, true)
  }

  /// Returns the time of a report. `second` is nil if the report has no second.
  mutating func time(second: Int?) -> Int64 {
    defer { isExact = false }
    if isExact, let latest { return latest }
    if isLive, latest == nil { return WallClock.milliseconds }
    let before = latest ?? 0
    hasDate = true
    guard let second else { return before }
    // Of all times with this second, the time nearest to the last time is used, because reports of
    // several ships arrive slightly out of order.
    let difference = (Int64(second) - before / 1000 % 60 + 90) % 60 - 30
    let time = max(0, before + difference * 1000)
    latest = max(before, time)
    return time
  }
}
