/// A moment, to the millisecond; calendar parts are those of UTC.
public struct ArcadeDate: Sendable, Hashable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// The moment so many milliseconds after 1970-01-01T00:00:00Z; negative before.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}
