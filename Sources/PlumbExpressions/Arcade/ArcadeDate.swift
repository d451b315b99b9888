/// A date and time, to the millisecond. Its calendar parts are in UTC.
public struct ArcadeDate: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// Creates a date from milliseconds since 1970-01-01T00:00:00Z, which are negative for earlier
  /// dates.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}
