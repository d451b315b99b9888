import PlumbCore

/// The time of AIS reports, which say no more than the second of the minute.
///
/// It is the time that the receiver adds to a sentence, or a base station's report has; later reports
/// go on from there by their seconds. Without either it is the clock's in a live feed; in a file times
/// count from 1970.
struct AISClock {
  /// Milliseconds since 1970; nil before there was one.
  private var latest: Int64?
  /// Whether `latest` is the time of the sentence at hand, which needs no second.
  private var isExact = false
  private let isLive: Bool
  /// Whether a report has a date, or needs no remark that it has none.
  private(set) var hasDate: Bool

  init(isLive: Bool) {
    self.isLive = isLive
    hasDate = isLive
  }

  /// - Parameter isOfReport: whether it is the time of the report at hand, not of one before.
  mutating func set(_ time: Int64, isOfReport: Bool) {
    (latest, isExact, hasDate) = (time, isOfReport, true)
  }

  /// The time of a report; its second is nil where it is not available.
  mutating func time(second: Int?) -> Int64 {
    defer { isExact = false }
    if isExact, let latest { return latest }
    if isLive, latest == nil { return WallClock.milliseconds }
    let before = latest ?? 0
    hasDate = true
    guard let second else { return before }
    // Reports of several ships come a little out of order.
    let difference = (Int64(second) - before / 1000 % 60 + 90) % 60 - 30
    let time = max(0, before + difference * 1000)
    latest = max(before, time)
    return time
  }
}
