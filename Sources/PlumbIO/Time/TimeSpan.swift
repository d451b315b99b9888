import PlumbCore

/// A length of time, such as `16d`.
package struct TimeSpan: Sendable, Hashable {
  /// The length in microseconds.
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The units, and their lengths in microseconds.
  private static let units: [(name: String, microseconds: Double)] = [
    ("s", 1e6), ("min", 6e7), ("h", 3.6e9), ("d", 8.64e10), ("w", 6.048e11),
  ]

  /// Parses a number of 0 or more with a unit: s, min, h, d or w; nil for other text.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.lastIndex { $0 &- 48 <= 9 || $0 == UInt8(ascii: ".") }.map { $0 + 1 } ?? 0
    let name = String(decoding: bytes[end...], as: UTF8.self)
    guard let unit = Self.units.first(where: { $0.name == name }),
      let number = bytes[..<end].withUnsafeBufferPointer({ NumberText.parse($0) }),
      number >= 0, number * unit.microseconds < 1e18
    else { return nil }
    microseconds = Int64((number * unit.microseconds).rounded())
  }
}
