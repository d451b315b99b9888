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

  /// The magnitude in microseconds that no time reaches, so that differences of times do not overflow. The years
  /// are roughly -10,700 to 14,600.
  package static let limit: Int64 = 400_000_000_000_000_000
}
