import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbGeotriggers
import PlumbIO
import PlumbSources

/// A feed of locations of moving entities from a file, a pipe or standard input, in the order of
/// the input.
///
/// Points are longitude and latitude in degrees on WGS84. Longitudes from −360 to 360 are
/// normalized to ±180. A row that is not a location is reported as an issue with its line, and the
/// feed continues. Rows are counted from 0, including invalid rows but not blank lines. Each line
/// of a pipe is returned as soon as it arrives. Memory use is bounded by the size of a batch and by
/// the names of the entities. Only one thread at a time may use a feed.
public final class LocationFeed {
  /// The format of the input; nil for Parquet and Arrow. If the format was not given, it is nil until the
  /// first bytes of the input have arrived.
  public private(set) var format: LocationFormat?

  private let path: String
  private let columns: LocationColumns
  private let window: FeedWindow
  private var rows: LocationRows
  private var reader: (any FeedReader)?
  private var isDone = false
  /// Whether the last batch ended at its limit, so that further rows may be available.
  private var wasFull = false
  /// The error that ended the feed. It is thrown after the rows before the error have been
  /// returned.
  private var failure: PlumbError?
  /// The maximum number of milliseconds that a time may be ahead of the clock or of later times;
  /// nil if there is no limit.
  private let maxAhead: Int64?
  /// The comparison of a file's times with later times; nil if there is no limit.
  private var lookahead: LocationLookahead?
  /// Whether times are compared with the clock, which is done for pipes and for bytes that a client
  /// has sent.
  private let measuresFromClock: Bool

  /// The number of seconds that times of a live feed may be ahead of the clock, because clocks may
  /// be inexact. If a time further ahead were accepted, the entity's next locations would be too
  /// late until the clock reached this time.
  public static let defaultMaxAhead = 300.0

  /// Opens a feed. The beginning of a file is read and checked. The initializer does not wait for
  /// the bytes of a pipe.
  ///
  /// - Parameters:
  ///   - path: a file or a pipe; `-` is standard input.
  ///   - format: the format; nil to detect it from the extension of the path or, for an unknown
  ///     extension, from the first bytes.
  ///   - columns: the names of the columns.
  ///   - attributes: whether batches have all columns or properties of each row as attributes.
  ///   - maxAhead: the number of seconds that a time may be ahead. A location beyond the limit is
  ///     omitted and reported as an issue, because all later locations of its entity would be out
  ///     of order. For a pipe, times are compared with the clock. In a file, a location is omitted
  ///     when most of its entity's next five locations are older by more than the limit. Nil
  ///     selects `defaultMaxAhead` for a pipe and no limit for a file. Infinity disables the limit.
  /// - Throws: when the feed cannot be opened, or when a file is empty, is not a feed, or has no
  ///   column of times or points.
  public init(
    _ path: String, format: LocationFormat? = nil, columns: LocationColumns = LocationColumns(),
    attributes: Bool, maxAhead: Double? = nil
  ) throws(PlumbError) {
    if let maxAhead, !(maxAhead >= 0) {
      throw PlumbError(
        "the limit \(maxAhead) on times ahead must be 0 or a positive number of seconds")
    }
    self.path = path
    self.columns = columns
    self.format = format ?? LocationFormat(path: path)
    rows = LocationRows(attributes: attributes)
    if format == nil, ColumnarPointReader.canRead(path) {
      window = FeedWindow([], name: path)
      (measuresFromClock, self.maxAhead) = (false, maxAhead.flatMap { Self.limit(seconds: $0) })
      lookahead = self.maxAhead.map { LocationLookahead(limit: $0) }
      reader = try ColumnarFeed(path: path, columns: columns, rows: &rows)
      return
    }
    do {
      let input = try ByteInput(path: path)
      window = FeedWindow(input, path: path == "-" ? "standard input" : path)
    } catch {
      throw PlumbError(error)
    }
    measuresFromClock = window.isLive
    let seconds = maxAhead ?? (window.isLive ? Self.defaultMaxAhead : .infinity)
    self.maxAhead = Self.limit(seconds: seconds)
    if !window.isLive, let limit = self.maxAhead { lookahead = LocationLookahead(limit: limit) }
    if !window.isLive { try prepare() }
  }

  /// Opens a feed of bytes that a client has sent. Times are compared with the clock, as in a pipe,
  /// unless the bytes are a track with times in the past.
  ///
  /// - Parameters:
  ///   - bytes: all of the feed.
  ///   - name: the name in messages.
  ///   - shape: the format; nil to detect it from the first bytes.
  ///   - columns: the names of the columns.
  ///   - attributes: whether batches have all columns or properties of each row as attributes.
  ///   - maxAhead: the number of seconds that times may be ahead of the clock or, in a track, of
  ///     later times. Nil selects `defaultMaxAhead`, or no limit for a track.
  ///   - isTrack: whether the bytes are a track with times in the past.
  /// - Throws: when the input is empty, is not a feed, or has no column of times or points.
  package init(
    bytes: [UInt8], name: String, shape: SentShape?, columns: LocationColumns,
    attributes: Bool, maxAhead: Double?, isTrack: Bool = false
  ) throws(PlumbError) {
    path = name
    self.columns = columns
    format = shape.map { $0.format ?? .geoJSON }
    rows = LocationRows(attributes: attributes)
    window = FeedWindow(bytes, name: name)
    self.maxAhead = Self.limit(seconds: maxAhead ?? (isTrack ? .infinity : Self.defaultMaxAhead))
    measuresFromClock = !isTrack
    if isTrack, let limit = self.maxAhead { lookahead = LocationLookahead(limit: limit) }
    guard let shape, shape.format == nil else {
      try prepare()
      return
    }
    try window.checkEncoding(allowsBinary: false)
    guard !window.isBlankToEnd else { throw PlumbError("\(name) is empty") }
    reader = GeoJSONFeed(shape, columns: columns, path: name)
  }

  /// Returns a limit in milliseconds; nil if it is above 10¹² seconds, so that adding a time cannot
  /// overflow.
  private static func limit(seconds: Double) -> Int64? {
    seconds < 1e12 ? Int64(seconds * 1000) : nil
  }

  /// Whether any of the objects is an OwnTracks message.
  package var isOwnTracks: Bool { (reader as? GeoJSONFeed)?.isOwnTracks ?? false }

  /// The number of rows so far, including invalid rows.
  package var rowCount: Int { rows.nextIndex }

  /// Whether the feed is a pipe, which may never end, rather than a file.
  public var isLive: Bool { window.isLive }

  /// Whether a location, or a report that the receiver has no fix, has been read so far.
  public var hasRead: Bool { rows.hasRead }

  /// The number of sentences and of gpsd's reports so far; nil for other formats.
  var nmeaCounts: (sentences: Int, reports: Int)? {
    reader?.nmeaCounts
  }

  /// The error for a feed that ended without any location; nil if the feed had a location. The
  /// message contains the format of the feed.
  public var emptiness: PlumbError? {
    guard !rows.hasLocation else { return nil }
    let name = path == "-" ? "standard input" : path.printable
    let kind = format.map { " (\($0.title))" } ?? ""
    return PlumbError(
      "\(name)\(kind): no row has a location and a time", context: FailureContext(file: path))
  }

  /// The names of the entities so far.
  public var entities: EntityNames { rows.entities }

  /// Releases the names of entities that no longer exist. Their numbers are reused for new names.
  public func release(_ entities: [Int32]) {
    guard let pending = lookahead?.pending, !entities.isEmpty else {
      if !entities.isEmpty { rows.entities.release(entities) }
      return
    }
    let needed = Set(pending.entity)
    rows.entities.release(entities.filter { !needed.contains($0) })
  }

  /// Returns the errors in rows since the last call, in the order of the rows.
  public func drainIssues() -> [LocationIssue] {
    let issues = rows.drainIssues()
    return lookahead == nil ? issues : issues.sorted { $0.index < $1.index }
  }

  /// Returns the remarks since the last call, one line each. A remark describes an assumption about
  /// the feed that the caller did not specify, such as the column that identifies entities. The
  /// remarks on a file are available when the feed is opened. The remarks on a pipe are available
  /// after the first rows.
  public func drainRemarks() -> [String] { rows.drainRemarks() }

  /// Waits until a row has arrived, and returns the locations of the rows that have arrived; nil at
  /// the end. `limit` is the maximum number of rows including invalid rows, so that a batch may be
  /// empty.
  ///
  /// - Throws: when the rest of the feed cannot be read. The rows before the error have already
  ///   been returned, and the feed is at its end.
  public func next(limit: Int) throws(PlumbError) -> LocationBatch? {
    guard lookahead != nil else { return try nextRead(limit: limit) }
    var first = lookahead?.pending
    if first == nil { first = try nextRead(limit: limit) }
    guard let batch = first else { return nil }
    var following: LocationBatch?
    do throws(PlumbError) {
      following = try nextRead(limit: limit)
    } catch {
      failure = error
    }
    lookahead?.pending = following
    let rows = lookahead?.outliers(of: batch, following: following) ?? []
    if rows.isEmpty { return batch }
    for row in rows {
      let time = ArcadeDate(milliseconds: batch.time[row]).iso
      self.rows.report(
        LocationIssue(
          index: batch.index[row], line: batch.line.isEmpty ? nil : batch.line[row],
          message: "the time \(time) is too far ahead of the times that follow"))
    }
    let outliers = Set(rows)
    return batch.filter { !outliers.contains($0) }
  }

  /// Whether `next` returns without waiting. This is always true for a file. For a pipe, it is true
  /// if bytes have arrived or the pipe has ended.
  ///
  /// - Parameter milliseconds: the maximum time to wait for bytes.
  package func isReady(within milliseconds: Int32) throws(PlumbError) -> Bool {
    if wasFull || isDone || !window.isLive { return true }
    if let reader, reader.leavesRows, window.start < window.end { return true }
    return try window.hasMore(within: milliseconds)
  }

  /// Reads the next rows.
  private func nextRead(limit: Int) throws(PlumbError) -> LocationBatch? {
    if let failure {
      self.failure = nil
      throw failure
    }
    guard !isDone else { return nil }
    do throws(PlumbError) {
      if reader == nil { try prepare() }
      let limit = rows.limit(atMost: max(1, limit))
      try read(limit: limit)
      wasFull = rows.count >= limit
    } catch {
      isDone = true
      guard rows.count > 0 else { throw error }
      failure = error
    }
    return rows.count > 0 ? rows.removeBatch() : nil
  }

  /// The number of milliseconds without a byte after which the delayed row of a live feed is added.
  private static let silence: Int32 = 300

  private func read(limit: Int) throws(PlumbError) {
    while let reader {
      if measuresFromClock, let maxAhead { rows.clock = (WallClock.milliseconds, maxAhead) }
      try reader.read(from: window, into: &rows, limit: limit)
      if rows.count >= limit || rows.count > 0 && window.isLive && !window.isAtEnd { return }
      if window.isAtEnd || reader.hasEnded {
        isDone = true
        return
      }
      if window.isLive, reader.isHolding, try !window.hasMore(within: Self.silence) {
        reader.handOn(into: &rows)
        continue
      }
      try window.fill()
    }
  }

  /// Waits for the first byte that is not blank and creates the reader for the format.
  private func prepare() throws(PlumbError) {
    let name = path == "-" ? "standard input" : path.printable
    while window.end - window.start < 4, !window.isAtEnd { try window.fill() }
    if format == nil, !window.isComplete, try readsTable() { return }
    try window.checkEncoding(allowsBinary: format == .nmea || format == nil)
    let format = try findFormat(name)
    self.format = format
    switch format {
    case .delimited:
      try window.recode()
      let reader = DelimitedFeed(columns: columns, path: name)
      self.reader = reader
      // Errors in a file's header are reported before the feed is used.
      while !window.isLive, !reader.hasHeader {
        try reader.read(from: window, into: &rows, limit: 0)
        if !reader.hasHeader { try window.fill() }
      }
    case .geoJSON: reader = GeoJSONFeed(SentShape(nil), columns: columns, path: name)
    case .gpx: reader = GPXFeed(path: name)
    case .nmea: reader = NMEAFeed(path: name, isLive: measuresFromClock)
    }
  }

  /// Creates the reader for an Arrow stream.
  ///
  /// - Returns: whether the input is an Arrow stream or file.
  /// - Throws: when the input is a Parquet file, which cannot be read from a pipe, or an invalid Arrow stream.
  private func readsTable() throws(PlumbError) -> Bool {
    let mark = Array("ARROW1".utf8)
    var start = Array(window.bytes(window.start..<window.end))
    while start.count < mark.count, mark.starts(with: start), !window.isAtEnd {
      try window.fill()
      start = Array(window.bytes(window.start..<window.end))
    }
    if start.starts(with: Array("PAR1".utf8)) { throw ColumnarPointReader.notInStream }
    guard ColumnarPointReader.isArrow(start) else { return false }
    reader = try ColumnarFeed(
      path: path == "-" ? "standard input" : path, columns: columns, rows: &rows,
      arrow: { [window] in try window.read(into: $0) })
    return true
  }

  /// Skips blanks, and detects the format of the following bytes.
  private func findFormat(_ name: String) throws(PlumbError) -> LocationFormat {
    var isBlank = true
    while true {
      var position = window.start
      while position < window.end, [0x20, 0x09, 0x0A, 0x0D].contains(window.base[position]) {
        position += 1
      }
      if isBlank { window.advance(to: position) }
      isBlank = position == window.end
      if isBlank, window.isAtEnd { throw PlumbError("\(name) is empty") }
      if !isBlank {
        if let format, !FormatSniffer.isReport(window) { return format }
        switch FormatSniffer.verdict(window) {
        case .format(let format): return format
        case .binary: throw window.binaryError
        case .undecided: break
        }
      }
      try window.fill()
    }
  }
}
