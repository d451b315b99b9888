import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Reads the track points of GPX 1.0 and 1.1 in the order of the file.
///
/// The entity is the track's name. A track without a name is named `track N`, where N is the number
/// of the track in the file, from 1. Each `trkpt` is a row. Waypoints and routes are ignored,
/// because they have no order in time.
final class GPXFeed: FeedReader {
  private let path: String
  private var isLatin = false
  private var hasPoint = false
  private var hasRoot = false
  private var hasEnd = false

  /// The open elements, the innermost last.
  private var open: [GPXElement] = []
  private var trackNumber = 0
  private var trackName: [UInt8] = []
  private var segmentNumber = 0
  private var point: Point?
  /// The text of the innermost element.
  private var text: [UInt8] = []
  private static let depthLimit = 256
  private static let textLimit = 64 << 10

  private struct Point {
    var line: Int
    var xy: SIMD2<Double>?
    var pointText: String
    var time: [UInt8]?
    var speed: [UInt8]?
    var course: [UInt8]?
    /// All children with text, by name.
    var children: [(name: String, text: [UInt8])] = []
  }

  init(path: String) { self.path = path }

  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    while rows.count < limit {
      let (token, end) = XMLTokens.next(window.xml)
      switch token {
      case .notThere:
        if window.isAtEnd { return try finish(&rows) }
        guard !window.isFull else {
          throw PlumbError(
            "\(path): the markup on line \(window.line) is over \(FeedWindow.limit) bytes")
        }
        return
      case .declaration(let range): try checkEncoding(window, range)
      case .text(let range, let isLiteral):
        if text.count + range.count <= Self.textLimit {
          XMLText.append(
            window.bytes(range), isLiteral: isLiteral, isLatin: isLatin, to: &text)
        }
      case .start(let name, let attributes, let isEmpty):
        try start(window, name, attributes, &rows)
        if isEmpty { close(window.bytes(name), &rows) }
      case .end(let name): close(window.bytes(name), &rows)
      }
      window.advance(to: end)
    }
  }

  private func checkEncoding(_ window: FeedWindow, _ range: Range<Int>) throws(PlumbError) {
    guard range.count >= 3, window.xml.has(range.lowerBound..<range.lowerBound + 3, "xml"),
      let value = XMLTokens.attribute("encoding", in: range, of: window.xml)
    else { return }
    let name = String(decoding: window.bytes(value), as: UTF8.self)
    switch name.lowercased() {
    case "utf-8", "utf8", "us-ascii", "ascii": isLatin = false
    case "iso-8859-1", "latin1", "latin-1": isLatin = true
    default:
      throw PlumbError("\(path) has the encoding \(name.printable); save it as UTF-8")
    }
  }

  private func finish(_ rows: inout LocationRows) throws(PlumbError) {
    if let point {
      rows.addBad(line: point.line, "the track point does not end")
      self.point = nil
    }
    guard hasRoot else { throw PlumbError("\(path) is not GPX") }
    guard hasEnd else { throw PlumbError("\(path) is truncated: it has no </gpx>") }
    guard hasPoint else {
      throw PlumbError("\(path) has no track points; waypoints and routes are not a feed")
    }
  }

  // MARK: Elements

  private func start(
    _ window: FeedWindow, _ name: Range<Int>, _ attributes: Range<Int>,
    _ rows: inout LocationRows
  ) throws(PlumbError) {
    text.removeAll(keepingCapacity: true)
    let element = GPXElement(window, name)
    guard open.count < Self.depthLimit else {
      throw PlumbError("\(path): over \(Self.depthLimit) nested elements")
    }
    open.append(element)
    switch element {
    case .gpx: hasRoot = true
    case .track:
      trackNumber += 1
      segmentNumber = 0
      trackName = Array("track \(trackNumber)".utf8)
    case .segment: segmentNumber += 1
    case .point:
      if let point { rows.addBad(line: point.line, "the track point has no end tag") }
      hasPoint = true
      point = readPoint(window, attributes)
    case .name, .time, .speed, .course, .other: break
    }
  }

  private func readPoint(_ window: FeedWindow, _ attributes: Range<Int>) -> Point {
    func text(_ name: StaticString) -> UnsafeBufferPointer<UInt8> {
      window.bytes(XMLTokens.attribute(name, in: attributes, of: window.xml) ?? 0..<0)
    }
    let (x, y) = (text("lon"), text("lat"))
    var point = Point(line: window.line, pointText: "")
    if let px = NumberText.parse(x), let py = NumberText.parse(y) {
      point.xy = SIMD2(px, py)
    } else {
      let shown = [x, y].map { String(decoding: $0.prefix(40), as: UTF8.self).printable }
      point.pointText = "\"\(shown[0])\", \"\(shown[1])\""
    }
    return point
  }

  private func close(_ name: UnsafeBufferPointer<UInt8>, _ rows: inout LocationRows) {
    defer { text.removeAll(keepingCapacity: true) }
    let element = GPXElement(name)
    // An end tag without a start tag is ignored. An end tag also closes inner elements whose end
    // tags are missing.
    guard let index = open.lastIndex(of: element) else { return }
    let parent = index > 0 ? open[index - 1] : .other
    let isInside = open.contains(.point)
    open.removeSubrange(index...)
    if element == .gpx, open.isEmpty { hasEnd = true }
    if element == .point {
      if let point { add(point, &rows) }
      point = nil
    } else if isInside, point != nil {
      readChild(element, String(decoding: name, as: UTF8.self), isDirect: parent == .point, &rows)
    } else if element == .name, parent == .track {
      let name = XMLText.trimmed(text)
      if !name.isEmpty { trackName = Array(name) }
    }
  }

  private func readChild(
    _ element: GPXElement, _ name: String, isDirect: Bool, _ rows: inout LocationRows
  ) {
    let value = Array(XMLText.trimmed(text))
    guard !value.isEmpty else { return }
    switch element {
    case .time where isDirect: point?.time = value
    case .speed: point?.speed = value
    case .course: point?.course = value
    default: break
    }
    if rows.readsAttributes, (point?.children.count ?? 0) < 256 {
      point?.children.append((name, value))
    }
  }

  // MARK: Locations

  private func add(_ point: Point, _ rows: inout LocationRows) {
    guard let location = point.xy else {
      return rows.addBad(line: point.line, "invalid point: \(point.pointText)")
    }
    guard let text = point.time else {
      return rows.addBad(line: point.line, "the track point has no time")
    }
    guard let time = text.withUnsafeBufferPointer({ LocationTime.parse($0) }) else {
      let shown = String(decoding: text.prefix(40), as: UTF8.self).printable
      return rows.addBad(line: point.line, "invalid time: \"\(shown)\"")
    }
    let entity = trackName.withUnsafeBufferPointer { rows.entities.number(utf8: $0) }
    var row = LocationRow(time: time, x: location.x, y: location.y)
    for (role, text) in [(LocationRole.speed, point.speed), (.course, point.course)] {
      guard let text else { continue }
      if let number = text.withUnsafeBufferPointer({ NumberText.parse($0) }) {
        row.set(number, role)
      } else {
        let shown = String(decoding: text.prefix(40), as: UTF8.self).printable
        rows.note(
          line: point.line,
          "\(role.name) is not a number: \"\(shown)\"; the value is treated as unknown")
      }
    }
    guard let entity else {
      return rows.addBad(line: point.line, "the track's name is not valid in its encoding")
    }
    guard rows.add(row, entity: entity, line: point.line), rows.readsAttributes else { return }
    if let field = rows.field("track") {
      rows.set(.text(String(decoding: trackName, as: UTF8.self)), field: field)
    }
    if let field = rows.field("segment") { rows.set(.integer(Int64(segmentNumber)), field: field) }
    for (name, text) in point.children {
      guard let field = rows.field(name) else { continue }
      rows.set(text.withUnsafeBufferPointer { FieldValue(undeclared: $0) }, field: field)
    }
  }
}

/// The elements that are read, by name.
enum GPXElement: Hashable {
  case gpx, track, segment, point, name, time, speed, course
  /// Any other element, with the bytes of its name, so that end tags match their start tags.
  case other([UInt8])

  static let other = GPXElement.other([])

  init(_ window: FeedWindow, _ name: Range<Int>) { self.init(window.bytes(name)) }

  init(_ name: UnsafeBufferPointer<UInt8>) {
    func has(_ word: StaticString) -> Bool {
      name.elementsEqual(
        UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
    if has("trkpt") {
      self = .point
    } else if has("time") {
      self = .time
    } else if has("trkseg") {
      self = .segment
    } else if has("trk") {
      self = .track
    } else if has("name") {
      self = .name
    } else if has("speed") {
      self = .speed
    } else if has("course") {
      self = .course
    } else if has("gpx") {
      self = .gpx
    } else {
      self = .other(Array(name))
    }
  }
}
