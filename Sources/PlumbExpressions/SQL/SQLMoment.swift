import PlumbIO

/// A date and time, to the microsecond, on the proleptic Gregorian calendar from year 0 to 9999.
///
/// A text with a zone is brought to UTC; one without counts as UTC.
struct SQLMoment: Sendable, Hashable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  var microseconds: Int64

  static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Reads `YYYY-MM-DD`, then maybe `T` or a space and `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fraction`,
  /// then maybe `Z`, `+hh:mm` or `-hh:mm`; nil when the text is not such a date.
  init?(_ text: String) {
    var copy = text
    guard let found = copy.withUTF8({ unsafe ISOTime.microseconds($0, .conditions) }) else {
      return nil
    }
    microseconds = found
  }
}
