import PlumbFormats
import PlumbIO

/// Detects the format of a feed from its first bytes.
///
/// Reading may begin in the middle of a receiver's stream. Therefore the first
/// sentence may follow a partial sentence, comments, reports of gpsd or binary packets. All other
/// formats are recognized from the first line.
enum FormatSniffer {
  enum Verdict: Equatable {
    case format(LocationFormat)
    /// The input is binary up to its end.
    case binary
    /// More bytes are needed.
    case undecided
  }

  /// The number of bytes after which the most likely format is chosen if no format has been
  /// recognized.
  private static let limit = 64 << 10

  /// Whether the first line is a report of gpsd, regardless of the file's name.
  static func isReport(_ window: FeedWindow) -> Bool {
    GPSDReports.isReport(window.bytes(window.start..<window.end))
  }

  /// - Precondition: the window begins with a byte that is not blank.
  static func verdict(_ window: FeedWindow) -> Verdict {
    let bytes = window.bytes(window.start..<window.end)
    let start = bytes.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? 0
    switch bytes[start] {
    case UInt8(ascii: "{"):
      let head = bytes[start...]
      if GPSDReports.isReport(head) { return .format(.nmea) }
      let isShort = head.count < 10 && !window.isAtEnd && !head.contains(0x0A)
      return isShort ? .undecided : .format(.geoJSON)
    case UInt8(ascii: "["), 0x1E: return .format(.geoJSON)
    case UInt8(ascii: "<"): return .format(.gpx)
    case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "\\"): return .format(.nmea)
    default: return verdict(window, from: window.start)
    }
  }

  /// Scans lines up to the first sentence, or to the second line of a table.
  private static func verdict(_ window: FeedWindow, from start: Int) -> Verdict {
    var (position, isBinary, textCount) = (start, false, 0)
    while case .line(let range, let next) = window.line(at: position) {
      position = next
      if window.isBlank(range) { continue }
      let line = window.bytes(range)
      let isStart = line.first.map(NMEALine.isStart) ?? false
      // After a line of text, only a sentence at the start of a line counts, because the text may
      // be a table with a column of sentences.
      if isStart || textCount == 0, let _ = try? NMEALine.sentence(in: line, !isStart) {
        return .format(.nmea)
      }
      if isStart, textCount == 0 { return .format(.nmea) }
      if isOther(line) {
        (isBinary, textCount) = (true, 0)
        continue
      }
      if line.first == UInt8(ascii: "#") || GPSDReports.isReport(line) || hasChecksum(line) {
        continue
      }
      // After binary bytes, a line that looks like text may be part of a binary packet.
      if isBinary { continue }
      textCount += 1
      if textCount > 1 || isHeader(line) { return .format(.delimited) }
    }
    if window.isAtEnd {
      return isBinary ? .binary : .format(.delimited)
    }
    guard window.end - start >= limit || window.isFull else { return .undecided }
    let rest = window.bytes(position..<window.end)
    return .format(isBinary || isOther(rest) ? .nmea : .delimited)
  }

  /// Whether a line is binary. A table in Latin-1 is not binary.
  private static func isOther(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if line.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D }) { return true }
    return line.contains { $0 >= 0x80 } && !line.contains(where: isDelimiter)
      && String(validating: line, as: UTF8.self) == nil
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    DelimitedHeader.delimiters.contains(byte)
  }

  /// Whether a line ends with a checksum, as sentences do.
  private static func hasChecksum(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = line[...]
    while let last = text.last, last == 0x20 || last == 0x0D { text.removeLast() }
    return text.count >= 3 && text[text.count - 3] == UInt8(ascii: "*")
      && text.suffix(2).allSatisfy { $0.isHexDigit }
  }

  /// Whether a line has several fields and none of them is a number.
  private static func isHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let fields = line.split(omittingEmptySubsequences: false, whereSeparator: isDelimiter)
    return fields.count > 1
      && fields.allSatisfy { NumberText.parse(UnsafeBufferPointer(rebasing: $0)) == nil }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool { self &- 48 <= 9 || (self | 0x20) &- 97 < 6 }
}
