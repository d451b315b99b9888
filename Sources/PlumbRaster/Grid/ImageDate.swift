/// The date of an image.
public struct ImageDate: Sendable, Hashable {
  /// Microseconds since 1970-01-01T00:00:00Z; noon if there is no time of day.
  public var microseconds: Int64
  /// Whether the date has a time of day.
  public var hasTime: Bool

  /// Creates a date; without a time of day, `microseconds` is noon.
  public init(microseconds: Int64, hasTime: Bool) {
    (self.microseconds, self.hasTime) = (microseconds, hasTime)
  }
}
