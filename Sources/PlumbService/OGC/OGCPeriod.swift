/// A time span in milliseconds since 1970 in UTC, including both ends.
struct OGCPeriod: Sendable, Hashable {
  var first = Int64.min
  var last = Int64.max

  /// Parses `time`, `time/time`, `../time` or `time/..`. A date without a time of day includes the
  /// whole day.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard let start = parts.first, let end = parts.last, parts.count <= 2 else { return nil }
    let isOpen = { (part: String) in part == ".." || part.isEmpty }
    guard parts.count == 2 ? !(isOpen(start) && isOpen(end)) : !isOpen(start) else { return nil }
    if !isOpen(start) {
      guard let time = EsriField.milliseconds(start) else { return nil }
      first = time
    }
    if !isOpen(end) {
      guard let time = EsriField.milliseconds(end) else { return nil }
      last = end.utf8.count == 10 ? time + 86_399_999 : time
    }
  }

  func contains(_ time: Int64) -> Bool { first <= time && time <= last }
}
