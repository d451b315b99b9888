import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Reads rows from JSON objects. The input is a feature collection, an array of objects, a sequence
/// with one object on each line, or a single object over several lines. The objects of a sequence
/// may follow record separators (RFC 8142).
///
/// Each value of an array, and each nonblank line of a sequence, is a row.
final class GeoJSONFeed: FeedReader {
  private enum Layout { case unknown, sequence, collection, array, single, ended, arrayEnded }

  private let path: String
  private var layout = Layout.unknown
  private var walk = FeedLineWalk()
  private let objects: SentObjects
  /// Whether any of the objects is an OwnTracks message.
  var isOwnTracks: Bool { objects.isOwnTracks }
  /// The current value of the collection or the array.
  private var span = ValueSpan()

  init(_ shape: SentShape, columns: LocationColumns, path: String) {
    self.path = path
    objects = SentObjects(columns, shape)
    if shape.isLines { layout = .sequence }
  }

  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    if layout == .unknown { try findLayout(window) }
    while rows.count < limit {
      switch layout {
      case .unknown: return
      case .sequence: guard try readLine(window, &rows) else { return }
      case .collection, .array: guard try readElement(window, &rows) else { return }
      case .single:
        guard window.start < window.end, window.isAtEnd || window.isFull else { return }
        try add(window.start..<window.end, window, &rows)
        window.advance(to: window.end)
      case .ended:
        guard window.isAtEnd || window.isFull else { return }
        return try checkEnd(window)
      case .arrayEnded:
        guard window.isBlankToEnd else {
          throw PlumbError("\(path): unexpected text after the array (line \(window.line))")
        }
        return window.advance(to: window.end)
      }
    }
  }

  // MARK: Sequence

  private func readLine(
    _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> Bool {
    switch walk.next(window) {
    case .notThere: return false
    case .tooLong: rows.addBad(line: window.line, "the line is over \(FeedWindow.limit) bytes")
    case .line(var range, let next):
      while range.lowerBound < range.upperBound, window.base[range.lowerBound] == 0x1E {
        range = range.lowerBound + 1..<range.upperBound
      }
      if !window.isBlank(range) { try add(range, window, &rows) }
      window.advancePastLine(to: next)
    }
    return true
  }

  // MARK: Collection

  private func readElement(
    _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) -> Bool {
    if span.length == 0 {
      var position = window.start
      while position < window.end, ValueSpan.isBetween(window.base[position]) { position += 1 }
      window.advance(to: position)
      guard position < window.end else { return try needsMore(window) }
      if window.base[position] == UInt8(ascii: "]") {
        window.advance(to: position + 1)
        layout = layout == .array ? .arrayEnded : .ended
        return true
      }
    }
    guard span.extend(in: window) else { return try needsMore(window) }
    let range = window.start..<window.start + span.length
    span = ValueSpan()
    try add(range, window, &rows)
    window.advance(to: range.upperBound)
    return true
  }

  private func add(
    _ range: Range<Int>, _ window: FeedWindow, _ rows: inout LocationRows
  ) throws(PlumbError) {
    try objects.add(range, of: window, to: &rows)
  }

  private func needsMore(_ window: FeedWindow) throws(PlumbError) -> Bool {
    if window.isAtEnd {
      throw PlumbError(
        "\(path): invalid JSON: the text ends within the collection; its last value begins on line "
          + "\(window.line)")
    }
    if window.isFull {
      throw PlumbError(
        "\(path): the value that begins on line \(window.line) is over \(FeedWindow.limit) bytes")
    }
    return false
  }

  /// Checks the members after the features. A `crs` member must be WGS84, because it applies to all
  /// features.
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
        // The error is thrown below.
      }
      throw PlumbError("\(path): invalid JSON after the features (line \(line))")
    }
  }

  // MARK: Layout

  private func findLayout(_ window: FeedWindow) throws(PlumbError) {
    var start = window.start
    while start < window.end, [0x20, 0x09, 0x0A, 0x0D].contains(window.base[start]) { start += 1 }
    window.advance(to: start)
    guard let head = try GeoJSONHead(window, path: path) else { return }
    switch head.layout {
    case .collection(let position):
      window.advance(to: position)
      layout = .collection
    case .array(let position):
      window.advance(to: position)
      layout = .array
    case .sequence: layout = .sequence
    case .single: layout = .single
    }
  }
}
