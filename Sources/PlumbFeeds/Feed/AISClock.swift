import PlumbCore

/// The time of AIS reports, which contain only the second of the minute.
///
/// The time comes from the receiver's timestamp of a sentence or from a base station's report; later
/// reports advance it by their seconds. Without either, a live feed uses the system clock; in a file
/// times count from 1970.
struct AISClock {
  /// Milliseconds since 1970; nil before the first time.
  private var latest: Int64?
  /// Whether `latest` is the exact time of the current sentence, so that its second is ignored.
  private var isExact = false
  private let isLive: Bool
  /// Whether a date is known, or its absence has been reported.
  private(set) var hasDate: Bool

  init(isLive: Bool) {
    self.isLive = isLive
    hasDate = isLive
  }

  /// - Parameter isOfReport: whether it is the time of the current report, not of an earlier one.
  mutating func set(_ time: Int64, isOfReport: Bool) {
    (latest, isExact, hasDate) = (time, isOfReport, true)
  }

  /// The time of a report; `second` is nil if it is not available.
  mutating func time(second: Int?) -> Int64 {
    defer { isExact = false }
    if isExact, let latest { return latest }
    if isLive, latest == nil { return WallClock.milliseconds }
    let before = latest ?? 0
    hasDate = true
    guard let second else { return before }
    // Reports of several ships arrive slightly out of order.
    let difference = (Int64(second) - before / 1000 % 60 + 90) % 60 - 30
    let time = max(0, before + difference * 1000)
    latest = max(before, time)
    return time
  }
}
