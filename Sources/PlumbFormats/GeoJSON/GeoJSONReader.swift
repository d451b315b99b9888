import PlumbCore
import PlumbIO

/// Streams the features of GeoJSON in batches. Memory use is bounded by the batch and the longest
/// feature.
///
/// Reads a FeatureCollection, a single Feature, a bare geometry, and newline-delimited GeoJSON with
/// or without record separators (RFC 8142), and detects the layout of the text. The text is UTF-8,
/// with or without a byte order mark.
public final class GeoJSONReader {
  /// The layout of the features in the text.
  public enum Layout: Sendable {
    /// The features are in the `features` array of a FeatureCollection.
    case collection
    /// One feature is on each line, or after each record separator.
    case sequence
    /// The text is one Feature or geometry.
    case single
  }

  /// The default maximum feature length, in bytes.
  public static let featureLimit = 256 << 20
  /// The size in bytes at which a batch ends, even if it has fewer rows than requested.
  public static let batchByteLimit = 32 << 20

  /// The layout of the features in this text.
  public let layout: Layout
  /// Whether the sequence has record separators (0x1E).
  public let hasRecordSeparators: Bool
  /// A collection's text up to its first feature, including `[`, without a byte order mark.
  public let prefix: [UInt8]
  /// A collection's text from `]`; empty until `next` has returned nil.
  public private(set) var suffix: [UInt8] = []
  /// The CRS in a `crs` member, which was allowed before RFC 7946; nil if the text has no such
  /// member. The CRS is in the form `AUTHORITY:CODE` if possible, and otherwise unchanged. If the
  /// member follows the features, this property is nil until `next` has returned nil.
  public private(set) var crsText: String?
  /// Whether the `crs` member is null, which means that the CRS is unknown.
  public private(set) var hasNullCRS = false

  private var window: ByteWindow
  private var expectsComma = false
  private var isBehindComma = false
  private var isDone = false
  /// Whether the batch already has rows, so that it is returned if the input pauses (`hasRows`),
  /// and whether the input has paused (`hasPaused`).
  private var hasRows = false
  private var hasPaused = false

  /// Reads the start of the text, up to the first feature.
  ///
  /// - Parameters:
  ///   - isSequence: whether ambiguous text (empty, or malformed on its first line) is a sequence, for
  ///     example because of the file's name.
  ///   - featureLimit: the maximum feature length, in bytes.
  ///   - bufferSize: the initial buffer size in bytes. The buffer grows for longer features.
  ///   - isPaused: a function that waits for more text for at most the given time, and returns true
  ///     if no text arrived; nil for text that never pauses, such as a file.
  ///   - read: a function that fills the buffer with the next bytes of the text and returns their
  ///     number; 0 at the end.
  /// - Throws: `FormatError` if the text is not GeoJSON or not UTF-8, or an error of `read`.
  public init(
    isSequence: Bool = false, featureLimit: Int = GeoJSONReader.featureLimit,
    bufferSize: Int = 1 << 20, isPaused: ((_ milliseconds: Int) -> Bool)? = nil,
    read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    window = ByteWindow(capacity: bufferSize, limit: featureLimit, isPaused: isPaused, read: read)
    let start = try GeoJSONStart(&window, isSequence: isSequence)
    layout = start.layout
    hasRecordSeparators = start.hasRecordSeparators
    prefix = start.prefix
    setReference(start.crs)
  }

  private func setReference(_ crs: GeoJSONReference?) {
    switch crs {
    case .named(let name): crsText = name
    case .null: hasNullCRS = true
    case nil: break
    }
  }

  /// Returns the next rows in the order of the text; nil at the end. At most `limit` rows are
  /// returned, and fewer if the input pauses.
  ///
  /// In a sequence, a line that is not JSON is a bad row. Blank lines are skipped.
  /// - Throws: `FormatError` with the offset if a collection is malformed or truncated or if a
  ///   feature is too long, or an error of `read`.
  public func next(limit: Int) throws -> GeoJSONBatch? {
    var batch = GeoJSONBatch()
    (hasRows, hasPaused) = (false, false)
    while batch.count < limit, batch.bytes.count < Self.batchByteLimit, !isDone {
      switch layout {
      case .collection:
        if let row = try nextElement() {
          append(row, to: &batch)
        } else if !hasPaused {
          try finish()
        }
      case .single:
        if let row = try nextValue() { append(row, to: &batch) }
        isDone = true
      case .sequence:
        if let row = try nextRecord() { append(row, to: &batch) } else { isDone = !hasPaused }
      }
      if hasPaused { break }
      hasRows = batch.count > 0
    }
    return batch.count > 0 || limit <= 0 && !isDone ? batch : nil
  }

  /// Reads more, unless rows are available and the input pauses.
  private func readMore() throws -> Bool {
    if hasRows, window.pauses {
      hasPaused = true
      return false
    }
    try window.readMore()
    return true
  }

  /// Moves the row from the window to the batch.
  private func append(_ row: GeoJSONRow, to batch: inout GeoJSONBatch) {
    window.advance(to: row.range.lowerBound)
    let line = window.line
    window.withBytes {
      batch.append(UnsafeBufferPointer(rebasing: $0[row.range]), row, line: line)
    }
    window.advance(to: row.range.upperBound)
  }

  // MARK: Collection

  /// Returns the collection's next feature; nil at the end of the array, where `]` is the next
  /// token, or if the input pauses.
  private func nextElement() throws -> GeoJSONRow? {
    guard var byte = try nextByte() else {
      if hasPaused { return nil }
      throw FormatError(
        "invalid JSON: the text ends too early", offset: window.offset + window.end)
    }
    if byte == UInt8(ascii: "]"), !isBehindComma { return nil }
    if expectsComma, !isBehindComma {
      guard byte == UInt8(ascii: ",") else {
        throw FormatError(
          "invalid JSON: a comma or ] was expected between features", offset: window.position)
      }
      window.advance(to: window.start + 1)
      isBehindComma = true
      guard let next = try nextByte() else {
        if hasPaused { return nil }
        throw FormatError(
          "invalid JSON: the text ends too early", offset: window.offset + window.end)
      }
      byte = next
    }
    guard let row = try nextValue() else { return nil }
    (expectsComma, isBehindComma) = (true, false)
    return row
  }

  /// Reads one whole JSON value, which remains in the window; nil if the input pauses.
  private func nextValue() throws -> GeoJSONRow? {
    while true {
      let (start, offset, isLast) = (window.start, window.offset, window.isAtEnd)
      let row: GeoJSONRow? = try window.withBytes { bytes in
        var scanner = JSONScanner(bytes, at: start, baseOffset: offset)
        do throws(FormatError) {
          let row = try GeoJSONRow(&scanner)
          return scanner.reachedEnd && !isLast ? nil : row
        } catch {
          guard scanner.reachedEnd, !isLast else { throw error }
          return nil
        }
      }
      if let row { return row }
      guard try readMore() else { return nil }
    }
  }

  /// Returns the next byte that is not whitespace and moves the window's start to it; nil at the end, or
  /// if the input pauses.
  private func nextByte() throws -> UInt8? {
    while true {
      let start = window.start
      let (byte, position) = window.withBytes { bytes in
        var scanner = JSONScanner(bytes, at: start)
        return (scanner.peek(), scanner.position)
      }
      window.advance(to: position)
      if byte != nil || window.isAtEnd { return byte }
      guard try readMore() else { return nil }
    }
  }

  /// Reads and validates the text after the features.
  private func finish() throws {
    isDone = true
    while !window.isAtEnd { try window.readMore() }
    let (start, offset) = (window.start, window.offset)
    let crs: GeoJSONReference? = try window.withBytes { bytes in
      suffix = Array(bytes[start...])
      var scanner = JSONScanner(bytes, at: start + 1, baseOffset: offset)
      scanner.resumeInsideObject()
      var crs: GeoJSONReference?
      while let key = try scanner.nextKey() {
        if scanner.isText(key, "crs") {
          crs = try GeoJSONReference(&scanner)
        } else if scanner.isText(key, "features") {
          throw scanner.fault("the collection has two \"features\" members")
        } else {
          try scanner.skipValue()
        }
      }
      guard scanner.isAtEnd() else {
        throw scanner.fault("unexpected text after the FeatureCollection")
      }
      return crs
    }
    setReference(crs)
    window.advance(to: window.end)
  }

  // MARK: Sequence

  /// Returns the sequence's next non-blank record, valid or not; nil at the end, or if the input pauses.
  private func nextRecord() throws -> GeoJSONRow? {
    while let range = try nextRecordRange() {
      let offset = window.offset
      let row: GeoJSONRow? = window.withBytes { bytes in
        let text = Self.trimmed(bytes, range)
        if text.isEmpty { return nil }
        var scanner = JSONScanner(
          UnsafeBufferPointer(rebasing: bytes[..<text.upperBound]), at: text.lowerBound,
          baseOffset: offset)
        guard let row = try? GeoJSONRow(&scanner), scanner.isAtEnd() else { return .invalid(text) }
        return row
      }
      if let row { return row }
      window.advance(to: range.upperBound)
    }
    return nil
  }

  /// The bytes up to and including the next terminator; nil at the end, or if the input pauses.
  private func nextRecordRange() throws -> Range<Int>? {
    let terminator: UInt8 = hasRecordSeparators ? 0x1E : 0x0A
    var searched = 0
    while true {
      let from = window.start + searched
      let found = window.withBytes { $0[from...].firstIndex(of: terminator) }
      if let found { return window.start..<found + 1 }
      if window.isAtEnd { return window.start < window.end ? window.start..<window.end : nil }
      searched = window.end - window.start
      guard try readMore() else { return nil }
    }
  }

  /// A record without separators and surrounding whitespace.
  static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper, isBlank(bytes[lower]) { lower += 1 }
    while lower < upper, isBlank(bytes[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x1E
  }
}

extension GeoJSONReader {
  /// The CRS in a `crs` member of the text, which was allowed before RFC 7946; nil if the text has
  /// no such member. The member may have any position.
  ///
  /// Reads the text up to the member. If the member follows the features or is missing, reads the
  /// whole text.
  /// - Throws: the errors of `init` and `next`.
  public static func crsText(
    isSequence: Bool = false, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> String? {
    let reader = try GeoJSONReader(isSequence: isSequence, read: read)
    if reader.layout != .collection || reader.crsText != nil || reader.hasNullCRS {
      return reader.crsText
    }
    while let row = try reader.nextElement() { reader.window.advance(to: row.range.upperBound) }
    try reader.finish()
    return reader.crsText
  }
}
