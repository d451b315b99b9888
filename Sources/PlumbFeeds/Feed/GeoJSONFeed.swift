import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Rows of GeoJSON: the features of a collection, or one on each line, with or without record
/// separators (RFC 8142) before them.
///
/// Each value in a collection's array is a row, and each line of a sequence that is not blank.
final class GeoJSONFeed: FeedReader {
  private enum Layout { case unknown, sequence, collection, ended }

  private let path: String
  private var layout = Layout.unknown
  private var walk = FeedLineWalk()
  private let features: GeoJSONLocations
  /// The value of a collection that is being read.
  private var span = ValueSpan()

  init(columns: LocationColumns, path: String) throws(PlumbError) {
    self.path = path
    if columns.x != nil || columns.y != nil {
      throw PointColumns.notOfGeoJSON
    }
    features = GeoJSONLocations(columns)
  }

  func take(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    if layout == .unknown { try findLayout(window) }
    while rows.count < limit {
      switch layout {
      case .unknown: return
      case .sequence: guard try takeLine(window, &rows) else { return }
      case .collection: guard try takeElement(window, &rows) else { return }
      case .ended:
        guard window.isAtEnd || window.isFull else { return }
        return try checkEnd(window)
      }
    }
  }

  // MARK: Sequence

  private func takeLine(
    _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> Bool {
    switch walk.next(window) {
    case .notThere: return false
    case .tooLong: rows.addBad(line: window.line, "the line is over \(FeedWindow.limit) bytes")
    case .line(var range, let next):
      while range.lowerBound < range.upperBound, window.base[range.lowerBound] == 0x1E {
        range = range.lowerBound + 1..<range.upperBound
      }
      if !window.isBlank(range) { try features.add(range, of: window, to: &rows) }
      window.advancePastLine(to: next)
    }
    return true
  }

  // MARK: Collection

  private func takeElement(
    _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> Bool {
    if span.length == 0 {
      var position = window.start
      while position < window.end, ValueSpan.isBetween(window.base[position]) { position += 1 }
      window.advance(to: position)
      guard position < window.end else { return try needsMore(window) }
      if window.base[position] == UInt8(ascii: "]") {
        window.advance(to: position + 1)
        layout = .ended
        return true
      }
    }
    guard span.extend(in: window) else { return try needsMore(window) }
    let range = window.start..<window.start + span.length
    span = ValueSpan()
    try features.add(range, of: window, to: &rows)
    window.advance(to: range.upperBound)
    return true
  }

  private func needsMore(_ window: FeedWindow) throws(PlumbError) -> Bool {
    if window.isAtEnd {
      throw PlumbError(
        "\(path): broken JSON: the text ends within the collection; its last value begins on line "
          + "\(window.line)")
    }
    if window.isFull {
      throw PlumbError(
        "\(path): the value that begins on line \(window.line) is over \(FeedWindow.limit) bytes")
    }
    return false
  }

  /// Checks what follows the features: nothing in it may change what they mean.
  private func checkEnd(_ window: FeedWindow) throws(PlumbError) {
    let text = Array("{\"x\":0".utf8) + window.bytes(window.start..<window.end)
    let line = window.line
    window.advance(to: window.end)
    try text.withUnsafeBufferPointer { bytes throws(PlumbError) in
      var scanner = JSONScanner(bytes)
      do {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          if scanner.isText(key, "crs") {
            try GeoJSONHead.checkReference(&scanner, path: path)
          } else {
            try scanner.skipValue()
          }
        }
        if scanner.isAtEnd() { return }
      } catch let error as PlumbError {
        throw error
      } catch {
        // Reported below.
      }
      throw PlumbError("\(path): broken JSON behind the features (line \(line))")
    }
  }

  // MARK: Layout

  private func findLayout(_ window: FeedWindow) throws(PlumbError) {
    guard let head = try GeoJSONHead(window, path: path) else { return }
    switch head.layout {
    case .collection(let position):
      window.advance(to: position)
      layout = .collection
    case .sequence: layout = .sequence
    }
  }
}

/// One value of an array, found byte by byte so that it may come in pieces.
private struct ValueSpan {
  /// Bytes of the value that have been looked at.
  private(set) var length = 0
  private var depth = 0
  private var isText = false
  private var isEscaped = false

  /// Commas and blanks.
  static func isBetween(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Looks at what the window has; returns whether the value has ended.
  mutating func extend(in window: FeedWindow) -> Bool {
    let bytes = window.base
    var position = window.start + length
    defer { length = position - window.start }
    while position < window.end {
      let byte = bytes[position]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "]") where depth == 0: return true
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth <= 0 {
            position += 1
            return true
          }
        case UInt8(ascii: ",") where depth == 0: return true
        default: break
        }
      }
      position += 1
    }
    return false
  }
}
