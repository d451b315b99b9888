import PlumbCore

/// Reads rows of one format from the bytes that have arrived.
protocol FeedReader: AnyObject {
  /// Reads rows until the batch has `limit` rows, or the window has no complete row left. At the
  /// end of the input, the remaining bytes are read as well.
  ///
  /// - Throws: when the rest of the feed cannot be read. The rows that were read before the error
  ///   are kept.
  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError)

  /// Whether the feed has ended, although its pipe may not have ended.
  var hasEnded: Bool { get }

  /// Whether bytes that have arrived may contain rows after the rows that have been read.
  var leavesRows: Bool { get }

  /// Whether the reader delays a row that seems complete, because more of the row may follow.
  var isHolding: Bool { get }

  /// The number of sentences and of gpsd's reports so far; nil for other formats.
  var nmeaCounts: (sentences: Int, reports: Int)? { get }

  /// Adds the delayed row. This method is called when a live feed has been silent for some time.
  func handOn(into rows: inout LocationRows)
}

extension FeedReader {
  var hasEnded: Bool { false }
  var leavesRows: Bool { false }
  var isHolding: Bool { false }
  var nmeaCounts: (sentences: Int, reports: Int)? { nil }

  func handOn(into rows: inout LocationRows) {}
}
