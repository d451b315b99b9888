import PlumbIO

extension ArcadeDate {
  /// The date as `2026-05-01T10:00:00Z`, with milliseconds if they are not 0. Years of more than
  /// four digits have a sign and six digits.
  package var iso: String { ISOTime.text(milliseconds: milliseconds) }
}
