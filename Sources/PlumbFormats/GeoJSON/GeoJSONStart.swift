import PlumbIO

/// Reads the start of GeoJSON text and determines its layout. Afterwards, the window starts at the first
/// feature.
struct GeoJSONStart {
  var layout = GeoJSONReader.Layout.sequence
  var hasRecordSeparators = false
  var prefix: [UInt8] = []
  var crs: GeoJSONReference?

  private enum Finding {
    case collection(end: Int, GeoJSONReference?)
    case object(Range<Int>, GeoJSONMembers.Kind, GeoJSONReference?)
    case needsMore
  }

  init(_ window: inout ByteWindow, isSequence: Bool) throws {
    try window.readMore()
    try Self.skipMark(&window)
    while try Self.skipBlank(&window) { try window.readMore() }
    guard window.start < window.end else {
      if isSequence { return }
      throw FormatError("the text is empty; GeoJSON was expected")
    }
    if window.storage[window.start] == 0x1E {
      hasRecordSeparators = true
      return
    }
    do {
      try findLayout(&window)
    } catch let error as FormatError {
      guard isSequence || Self.secondLineIsObject(window) else { throw error }
    }
  }

  private mutating func findLayout(_ window: inout ByteWindow) throws {
    while true {
      switch try Self.look(at: window) {
      case .needsMore: try window.readMore()
      case .collection(let end, let reference):
        layout = .collection
        prefix = Array(window.storage[window.start..<end])
        crs = reference
        window.advance(to: end)
        return
      case .object(let range, let kind, let reference):
        guard let next = Self.next(after: range.upperBound, in: window) else {
          if !window.isAtEnd {
            // An input that pauses after a line is expected to have more lines.
            let rest = window.storage[range.upperBound..<window.end]
            if kind == .feature || kind.isGeometry, rest.contains(0x0A), window.pauses { return }
            try window.readMore()
            continue
          }
          guard kind == .feature || kind.isGeometry else {
            throw FormatError(
              "the text is a JSON object, but neither a GeoJSON feature nor a geometry")
          }
          layout = .single
          crs = reference
          return
        }
        let lines = window.storage[range.lowerBound..<next]
        guard let lineEnd = lines.firstIndex(of: 0x0A), lineEnd >= range.upperBound else {
          throw FormatError(
            "text follows the first object; each feature of a sequence must be on its own line",
            offset: window.offset + next)
        }
        return
      }
    }
  }

  // MARK: Encoding

  /// Skips a byte order mark, and rejects UTF-16 and UTF-32.
  private static func skipMark(_ window: inout ByteWindow) throws {
    let head = Array(window.storage[window.start..<min(window.start + 4, window.end)])
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { return window.advance(to: window.start + 3) }
    // GeoJSON starts with ASCII characters, so a zero byte means that a character takes more than one byte.
    let hasMark = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    if hasMark || head.contains(0) {
      let zeros = head.filter { $0 == 0 }.count
      let isWide = zeros == 3 || zeros == 2 && (hasMark || head.starts(with: [0, 0]))
      let name = isWide ? "UTF-32" : "UTF-16"
      throw FormatError("the text is \(name) or binary; GeoJSON has to be UTF-8")
    }
  }

  /// Skips whitespace. Returns true if the window ends, but the stream may continue.
  private static func skipBlank(_ window: inout ByteWindow) throws -> Bool {
    let start = window.start
    let position = window.withBytes { bytes in
      var scanner = JSONScanner(bytes, at: start)
      scanner.skipWhitespace()
      return scanner.position
    }
    window.advance(to: position)
    return position == window.end && !window.isAtEnd
  }

  // MARK: The first object

  /// Scans the first object up to the features of a collection, or up to its end.
  private static func look(at window: ByteWindow) throws -> Finding {
    let (start, offset, isLast) = (window.start, window.offset, window.isAtEnd)
    return try window.withBytes { bytes in
      var scanner = JSONScanner(bytes, at: start, baseOffset: offset)
      do throws(FormatError) {
        return try walk(&scanner)
      } catch {
        guard scanner.reachedEnd, !isLast else { throw error }
        return .needsMore
      }
    }
  }

  private static func walk(_ scanner: inout JSONScanner) throws(FormatError) -> Finding {
    guard scanner.peek() == UInt8(ascii: "{") else {
      throw FormatError(
        "GeoJSON was expected; the text is not a JSON object",
        offset: scanner.baseOffset + scanner.position)
    }
    let start = scanner.position
    var kind = GeoJSONMembers.Kind.none
    var crs: GeoJSONReference?
    var isEsri = false
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "type") {
        kind = try GeoJSONMembers.kind(&scanner)
      } else if scanner.isText(key, "crs") {
        crs = try GeoJSONReference(&scanner)
      } else if scanner.isText(key, "features"), kind == .none || kind == .collection {
        if isEsri { throw FormatError("the text is EsriJSON, not GeoJSON") }
        guard scanner.peek() == UInt8(ascii: "[") else {
          throw scanner.fault("\"features\" is not an array")
        }
        return .collection(end: scanner.position + 1, crs)
      } else {
        let isEsriKey =
          scanner.isText(key, "geometryType") || scanner.isText(key, "spatialReference")
        isEsri = isEsri || isEsriKey && kind == .none
        try scanner.skipValue()
      }
    }
    if kind == .collection { throw scanner.fault("the collection has no \"features\"") }
    return .object(start..<scanner.position, kind, crs)
  }

  /// The index of the first byte after `index` that is not whitespace; nil if no such byte has been
  /// read.
  private static func next(after index: Int, in window: ByteWindow) -> Int? {
    window.withBytes { bytes in
      var scanner = JSONScanner(bytes, at: index)
      return scanner.peek() == nil ? nil : scanner.position
    }
  }

  // MARK: A malformed first line

  /// Whether the text is a sequence although its first line is malformed, because its second line is a
  /// complete object.
  private static func secondLineIsObject(_ window: ByteWindow) -> Bool {
    let start = window.start
    return window.withBytes { bytes in
      let rest = bytes[start...]
      guard let end = rest.firstIndex(of: 0x0A) else { return false }
      if contains(bytes[start..<end], "FeatureCollection") { return false }
      let blank = GeoJSONReader.trimmed(bytes, end..<bytes.count)
      let lineEnd = bytes[blank].firstIndex(of: 0x0A) ?? blank.upperBound
      let line = GeoJSONReader.trimmed(bytes, blank.lowerBound..<lineEnd)
      guard let first = bytes[line].first, first == UInt8(ascii: "{") else { return false }
      return JSONScanner.isValid(UnsafeBufferPointer(rebasing: bytes[line]))
    }
  }

  private static func contains(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ word: StaticString
  ) -> Bool {
    let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes.count >= word.count else { return false }
    return (bytes.startIndex...bytes.endIndex - word.count).contains { start in
      bytes[start..<start + word.count].elementsEqual(word)
    }
  }
}
