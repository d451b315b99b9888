import PlumbFormats
import PlumbIO

/// Functions for a line of a feed of NMEA sentences. The line need not be a sentence.
enum NMEALine {
  /// The kind of a line without a sentence.
  enum Kind {
    case comment
    /// A report of gpsd in JSON.
    case report
    case binary
    case text

    init(_ line: UnsafeBufferPointer<UInt8>) {
      let first = line.first { $0 != 0x20 && $0 != 0x09 }
      if NMEALine.isBinary(line) {
        self = .binary
      } else if first == UInt8(ascii: "#") {
        self = .comment
      } else if GPSDReports.isReport(line) {
        self = .report
      } else {
        self = .text
      }
    }
  }

  /// Returns the sentence in a line. The sentence is the whole line, or the part from the last
  /// start of a sentence if this part has a correct checksum.
  ///
  /// - Parameter needsChecksum: whether a sentence without a checksum is an error.
  /// - Returns: nil for a line that neither begins with a sentence nor ends with a valid sentence.
  /// - Throws: for an error in a line that begins like a sentence.
  static func sentence(
    in line: UnsafeBufferPointer<UInt8>, _ needsChecksum: Bool
  ) throws(FormatError) -> (sentence: NMEASentence, hasChecksum: Bool)? {
    let start = line.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0
    guard start < line.count, isStart(line[start]) || line[start] == UInt8(ascii: "\\") else {
      return last(in: line, after: -1)
    }
    do throws(FormatError) {
      return try NMEASentence.parse(line, needsChecksum: needsChecksum)
    } catch {
      if let last = last(in: line, after: start) { return last }
      throw error
    }
  }

  private static func last(
    in line: UnsafeBufferPointer<UInt8>, after first: Int
  ) -> (sentence: NMEASentence, hasChecksum: Bool)? {
    guard let start = line.lastIndex(where: isStart), start > first else { return nil }
    let rest = UnsafeBufferPointer(rebasing: line[start...])
    return try? NMEASentence.parse(rest, needsChecksum: true)
  }

  static func isStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!")
  }

  /// Whether a line is binary. A binary line contains bytes that do not occur in sentences,
  /// comments and reports.
  static func isBinary(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    line.contains { $0 == 0 || $0 >= 0x80 }
  }
}
