import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Locations of moving things from a file, a pipe or standard input, in their order.
///
/// Points are longitude and latitude in degrees on WGS84; longitudes from −360 to 360 are taken
/// to ±180. A row that is not a location is an issue, with
/// its line, and the feed goes on. Rows are counted from 0, bad ones too; blank lines are not rows.
/// Of a pipe, each line is handed on as soon as it has come; memory is bounded by the batch and by
/// the names of the entities. One thread at a time may use it.
public final class LocationFeed {
  /// What the input is; nil until its first bytes have come, unless it was given.
  public private(set) var format: LocationFormat?

  private let path: String
  private let columns: LocationColumns
  private let window: FeedWindow
  private var rows: LocationRows
  private var reader: (any FeedReader)?
  private var isDone = false
  /// Whether the last batch ended at its limit, so that others may be there already.
  private var wasCut = false
  /// What ended the feed, to be thrown when the rows before it have been handed out.
  private var failure: PlumbError?
  /// Milliseconds.
  private let maxAhead: Int64?
  /// Of a file whose times are checked against those that follow.
  private var lookahead: LocationLookahead?
  /// Whether times are measured from the clock: those of a pipe are, or of what somebody sends.
  private let measuresFromClock: Bool

  /// Seconds that times of a live feed may be ahead of the clock: clocks that are not quite set. A
  /// time further ahead would make its entity's next locations too late for as long.
  public static let usualMaxAhead = 300.0

  /// Opens a feed. Of a file the beginning is read and checked; a pipe is not waited for.
  ///
  /// - Parameters:
  ///   - path: a file or a pipe; `-` is standard input.
  ///   - format: nil goes by the end of the path, else by the first bytes.
  ///   - columns: which columns say what.
  ///   - attributes: whether batches have all columns or properties of each row as attributes.
  ///   - maxAhead: seconds by which a time may be too great; a location beyond is an issue and left
  ///     out, for all that follow would be too late. Of a pipe it is measured from the clock; of a
  ///     file a location is left out when most of its entity's next five are older by more than
  ///     this. Nil is `usualMaxAhead` for a pipe, none for a file; infinity is none.
  /// - Throws: when it does not open; of a file also when it is empty, is not a feed at all, or
  ///   lacks a column of times or points.
  public init(
    _ path: String, format: LocationFormat? = nil, columns: LocationColumns = LocationColumns(),
    attributes: Bool, maxAhead: Double? = nil
  ) throws(PlumbError) {
    if let maxAhead, !(maxAhead >= 0) {
      throw PlumbError("the limit \(maxAhead) on times ahead is not a number of seconds, 0 or more")
    }
    self.path = path
    self.columns = columns
    self.format = format ?? LocationFormat(path: path)
    rows = LocationRows(attributes: attributes)
    do {
      let input = try ByteInput(path: path)
      window = FeedWindow(input, path: path == "-" ? "standard input" : path)
    } catch {
      throw PlumbError(error)
    }
    measuresFromClock = window.isLive
    let seconds = maxAhead ?? (window.isLive ? Self.usualMaxAhead : .infinity)
    // Far less than overflows when a time is added.
    self.maxAhead = seconds < 1e12 ? Int64(seconds * 1000) : nil
    if !window.isLive, let limit = self.maxAhead { lookahead = LocationLookahead(limit: limit) }
    if !window.isLive { try prepare() }
  }

  /// Opens a feed of bytes that somebody has sent: their times are measured from the clock as those of
  /// a pipe, unless they are a track of former times.
  ///
  /// - Parameters:
  ///   - bytes: all of the feed.
  ///   - name: what messages call it.
  ///   - shape: how it is written; nil goes by its first bytes.
  ///   - columns: which columns say what.
  ///   - attributes: whether batches have all columns or properties of each row as attributes.
  ///   - maxAhead: seconds that times may be ahead of the clock, or, in a track, of those that follow.
  ///     Nil is `usualMaxAhead`, in a track none.
  ///   - isTrack: whether the times are of the past.
  /// - Throws: when it is empty, is not a feed at all, or lacks a column of times or points.
  package init(
    bytes: [UInt8], name: String, shape: SentShape?, columns: LocationColumns,
    attributes: Bool, maxAhead: Double?, isTrack: Bool = false
  ) throws(PlumbError) {
    path = name
    self.columns = columns
    format = shape.map { $0.format ?? .geoJSON }
    rows = LocationRows(attributes: attributes)
    window = FeedWindow(bytes, name: name)
    let seconds = maxAhead ?? (isTrack ? .infinity : Self.usualMaxAhead)
    self.maxAhead = seconds < 1e12 ? Int64(seconds * 1000) : nil
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

  /// Whether any of the objects is one of OwnTracks.
  package var isOwnTracks: Bool { (reader as? GeoJSONFeed)?.isOwnTracks ?? false }

  /// Rows so far, bad ones too.
  package var rowCount: Int { rows.nextIndex }

  /// Whether it is a pipe, that may go on for ever, and no file.
  public var isLive: Bool { window.isLive }

  /// Whether anything could be read so far: a location, or that a receiver has none.
  public var hasRead: Bool { rows.hasRead }

  /// Sentences, and reports of gpsd, so far; nil for other formats.
  package var nmeaCounts: (sentences: Int, reports: Int)? {
    reader?.nmeaCounts
  }

  /// What is wrong with a feed that ended without a single location, with its kind; nil once it has
  /// had one.
  public var emptiness: PlumbError? {
    guard !rows.hasLocation else { return nil }
    let name = path == "-" ? "standard input" : path.printable
    let kind = format.map { " (\($0.title))" } ?? ""
    return PlumbError(
      "\(name)\(kind): no row has a location and a time", context: FailureContext(file: path))
  }

  /// The entities so far.
  public var entities: EntityNames { rows.entities }

  /// Forgets the names of entities that are no more; their numbers go to new ones.
  public func release(_ entities: [Int32]) {
    guard let pending = lookahead?.pending, !entities.isEmpty else {
      if !entities.isEmpty { rows.entities.release(entities) }
      return
    }
    let needed = Set(pending.entity)
    rows.entities.release(entities.filter { !needed.contains($0) })
  }

  /// What is wrong with rows of the batches since the last call, in their order.
  public func takeIssues() -> [LocationIssue] {
    let issues = rows.takeIssues()
    return lookahead == nil ? issues : issues.sorted { $0.index < $1.index }
  }

  /// How the feed is understood where that was not said, such as which column tells entities apart,
  /// one line each, since the last call. Of a file it is known at once, else with the first rows.
  public func takeRemarks() -> [String] { rows.takeRemarks() }

  /// The next locations. Waits until a row has come, then gives what has come: at most `limit`
  /// rows, bad ones counted, so that a batch may be empty; nil at the end.
  ///
  /// - Throws: when what follows cannot be read; the rows before it have been handed out then, and
  ///   the feed is at its end.
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
          index: batch.index[row], line: batch.line[row],
          message: "the time \(time) is too far ahead of those that follow"))
    }
    let outliers = Set(rows)
    return batch.filter { !outliers.contains($0) }
  }

  /// Whether `next` has something to look at: always in a file, and in a pipe once bytes have come or
  /// it is at its end.
  ///
  /// - Parameter milliseconds: waits for no longer.
  package func isReady(within milliseconds: Int32) throws(PlumbError) -> Bool {
    if wasCut || isDone || !window.isLive { return true }
    return try window.hasMore(within: milliseconds)
  }

  /// The next rows as they are read.
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
      wasCut = rows.count >= limit
    } catch {
      isDone = true
      guard rows.count > 0 else { throw error }
      failure = error
    }
    return rows.count > 0 ? rows.takeBatch() : nil
  }

  /// Milliseconds without a byte after which a live feed's row waits no longer.
  private static let silence: Int32 = 300

  private func read(limit: Int) throws(PlumbError) {
    while let reader {
      if measuresFromClock, let maxAhead { rows.clock = (WallClock.milliseconds, maxAhead) }
      try reader.take(from: window, into: &rows, limit: limit)
      if rows.count >= limit || rows.count > 0 && window.isLive && !window.isAtEnd { return }
      if window.isAtEnd {
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

  /// Waits for the first byte that is not blank and makes the reader for the format.
  private func prepare() throws(PlumbError) {
    let name = path == "-" ? "standard input" : path.printable
    while window.end - window.start < 4, !window.isAtEnd { try window.fill() }
    try window.checkEncoding(allowsBinary: format == .nmea || format == nil)
    let format = try findFormat(name)
    self.format = format
    switch format {
    case .delimited:
      try window.recode()
      let reader = DelimitedFeed(columns: columns, path: name)
      self.reader = reader
      // What is wrong with a file's header is reported before the feed is used.
      while !window.isLive, !reader.hasHeader {
        try reader.take(from: window, into: &rows, limit: 0)
        if !reader.hasHeader { try window.fill() }
      }
    case .geoJSON: reader = GeoJSONFeed(SentShape(nil), columns: columns, path: name)
    case .gpx: reader = GPXFeed(path: name)
    case .nmea: reader = NMEAFeed(path: name, isLive: measuresFromClock)
    }
  }

  /// Steps over blanks, and says what follows them.
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
