import PlumbCore

/// Takes rows of one format out of the bytes that have come.
protocol FeedReader: AnyObject {
  /// Reads rows until there are `limit` in this batch, or the window has no whole one any more. At
  /// the window's end whatever is left is taken too.
  ///
  /// - Throws: when what follows cannot be read at all; the rows so far stay.
  func take(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError)

  /// Whether a row is complete as far as anyone can tell and waits for what may follow.
  var isHolding: Bool { get }

  /// Sentences, and reports of gpsd, so far; nil for other formats.
  var nmeaCounts: (sentences: Int, reports: Int)? { get }

  /// Takes the row that waits: a live feed has been silent for some time.
  func handOn(into rows: inout LocationRows)
}

extension FeedReader {
  var isHolding: Bool { false }
  var nmeaCounts: (sentences: Int, reports: Int)? { nil }

  func handOn(into rows: inout LocationRows) {}
}
