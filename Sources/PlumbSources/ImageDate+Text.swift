import PlumbCore
import PlumbIO
import PlumbRaster

extension ImageDate {
  /// The microseconds from midnight to noon.
  package static let noon: Int64 = 43_200_000_000
  /// The microseconds of a day.
  package static let day: Int64 = 86_400_000_000

  /// Reads ISO 8601; nil for other text.
  package init?(text: String) {
    var text = text
    guard let date = text.withUTF8({ Self($0) }) else { return nil }
    self = date
  }

  /// Reads ISO 8601, possibly between spaces; nil for other text.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let microseconds = ISOTime.microseconds(bytes, .feeds) else { return nil }
    // A date without a time of day has at most ten characters.
    let hasTime = bytes.count { $0 != 0x20 && $0 != 0x09 } > 10
    self.init(microseconds: microseconds + (hasTime ? 0 : Self.noon), hasTime: hasTime)
  }

  /// The middle of a period; nil if the last date is before the first one.
  package init?(middleFrom first: ImageDate, to last: ImageDate) {
    guard last.microseconds >= first.microseconds else { return nil }
    let middle = first.microseconds + (last.microseconds - first.microseconds) / 2
    let hasTime =
      first.hasTime || last.hasTime || middle.floorRemainder(by: Self.day) != Self.noon
    self.init(microseconds: middle, hasTime: hasTime)
  }
}

extension Int64 {
  /// The remainder of `floorDivided(by:)`, at least 0.
  package func floorRemainder(by divisor: Int64) -> Int64 {
    self - floorDivided(by: divisor) * divisor
  }
}
