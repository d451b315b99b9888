import PlumbCore
import PlumbFormats
import PlumbGeotriggers

/// Fixes of moving things from a file, a pipe or standard input, in their order.
///
/// Places are longitude and latitude in degrees on WGS84; longitudes from −360 to 360 are taken
/// to ±180. A row that is no fix is an issue, with
/// its line, and the feed goes on. Rows are counted from 0, bad ones too; blank lines are no rows.
/// Of a pipe, each line is handed on as soon as it has come; memory is bounded by the batch and by
/// the names of the entities. One thread at a time may use it.
public final class LocationFeed {
  /// What the input is; nil until its first bytes have come, unless it was told.
  public private(set) var format: LocationFormat?

  private let path: String
  private let columns: LocationColumns
  private let window: FeedWindow
  private var rows: LocationRows
  private var reader: (any FeedReader)?
  private var isDone = false
  /// What ended the feed, to be thrown when the rows before it have been handed out.
  private var failure: PlumbError?

  /// Opens a feed. Of a file the beginning is read and checked; a pipe is not waited for.
  ///
  /// - Parameters:
  ///   - path: a file or a pipe; `-` is standard input.
  ///   - format: nil goes by the end of the path, else by the first bytes.
  ///   - columns: which columns say what.
  ///   - attributes: whether batches have all columns or properties of each row as attributes.
  /// - Throws: when it does not open; of a file also when it is empty, is no feed at all, or lacks
  ///   a column of times or places.
  public init(
    _ path: String, format: LocationFormat? = nil, columns: LocationColumns = LocationColumns(),
    attributes: Bool
  ) throws(PlumbError) {
    self.path = path
    self.columns = columns
    self.format = format ?? LocationFormat(path: path)
    rows = LocationRows(attributes: attributes)
    do {
      let input = try ByteInput(path: path)
      window = FeedWindow(input, path: path == "-" ? "standard input" : path)
    } catch {
      throw PlumbError(PlumbError.message(of: error))
    }
    if !window.isLive { try prepare() }
  }

  /// Whether it is a pipe, that may go on for ever, and no file.
  public var isLive: Bool { window.isLive }

  /// The entities so far.
  public var entities: EntityNames { rows.entities }

  /// Forgets the names of entities that are no more; their numbers go to new ones.
  public func release(_ entities: [Int32]) {
    if !entities.isEmpty { rows.entities.release(entities) }
  }

  /// What is wrong with rows of the batches since the last call, in their order.
  public func takeIssues() -> [LocationIssue] { rows.takeIssues() }

  /// The next fixes. Waits until a row has come, then gives what has come: at most `limit` rows,
  /// bad ones counted, so that a batch may be empty; nil at the end.
  ///
  /// - Throws: when what follows cannot be read; the rows before it have been handed out then, and
  ///   the feed is at its end.
  public func next(limit: Int) throws(PlumbError) -> LocationBatch? {
    if let failure {
      self.failure = nil
      throw failure
    }
    guard !isDone else { return nil }
    do throws(PlumbError) {
      if reader == nil { try prepare() }
      try read(limit: max(1, limit))
    } catch {
      isDone = true
      guard rows.count > 0 else { throw error }
      failure = error
    }
    return rows.count > 0 ? rows.takeBatch() : nil
  }

  private func read(limit: Int) throws(PlumbError) {
    while let reader {
      try reader.take(from: window, into: &rows, limit: limit)
      if rows.count >= limit || rows.count > 0 && window.isLive && !window.isAtEnd { return }
      if window.isAtEnd {
        isDone = true
        return
      }
      try window.fill()
    }
  }

  /// Waits for the first byte that is not blank and makes the reader for the format.
  private func prepare() throws(PlumbError) {
    let name = path == "-" ? "standard input" : path.printable
    while window.end - window.start < 4, !window.isAtEnd { try window.fill() }
    try window.checkEncoding()
    var first: UInt8?
    while first == nil {
      var position = window.start
      while position < window.end, [0x20, 0x09, 0x0A, 0x0D].contains(window.base[position]) {
        position += 1
      }
      window.advance(to: position)
      if position < window.end {
        first = window.base[position]
      } else if window.isAtEnd {
        throw PlumbError("\(name) is empty")
      } else {
        try window.fill()
      }
    }
    let format = self.format ?? LocationFormat(firstByte: first ?? 0)
    self.format = format
    switch format {
    case .delimited:
      let reader = DelimitedFeed(columns: columns, path: name)
      self.reader = reader
      // What is wrong with a file's header is told before the feed is used.
      while !window.isLive, !reader.hasHeader {
        try reader.take(from: window, into: &rows, limit: 0)
        if !reader.hasHeader { try window.fill() }
      }
    case .geoJSON: reader = try GeoJSONFeed(columns: columns, path: name)
    case .gpx: reader = GPXFeed(path: name)
    case .nmea: reader = NMEAFeed(path: name)
    }
  }
}
