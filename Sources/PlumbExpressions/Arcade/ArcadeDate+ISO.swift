import PlumbIO

extension ArcadeDate {
  /// `2026-05-01T10:00:00Z`, with milliseconds where there are some; years past four digits have a
  /// sign and six.
  package var iso: String { ISOTime.text(milliseconds: milliseconds) }
}
