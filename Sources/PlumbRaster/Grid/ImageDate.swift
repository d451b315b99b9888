/// The date of an image.
public struct ImageDate: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00:00Z; noon for a date without a time of day.
  public var microseconds: Int64
  /// Whether the date has a time of day.
  public var hasTime: Bool

  /// Creates a date; without a time of day, `microseconds` is noon.
  public init(microseconds: Int64, hasTime: Bool) {
    (self.microseconds, self.hasTime) = (microseconds, hasTime)
  }

  /// The times of the date in microseconds: the whole day for a date without a time of day.
  package var span: ClosedRange<Int64> {
    guard !hasTime else { return microseconds...microseconds }
    let halfDay: Int64 = 43_200_000_000
    let start = microseconds.subtractingReportingOverflow(halfDay)
    let end = microseconds.addingReportingOverflow(halfDay - 1)
    return (start.overflow ? .min : start.partialValue)...(end.overflow ? .max : end.partialValue)
  }

  /// The upper bound in microseconds of the magnitude of a time, so that differences of times do
  /// not overflow. The years are roughly -10,700 to 14,600.
  package static let limit: Int64 = 400_000_000_000_000_000
}
