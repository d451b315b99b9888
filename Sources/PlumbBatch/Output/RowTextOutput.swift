import PlumbCore
import PlumbIO

/// Text of rows, made on all workers and written in the order of the rows: while some rows' text goes
/// out, that of the next ones is made. Memory holds the text of a few thousand rows.
package final class RowTextOutput {
  private let output: ByteOutput
  private let workers: Workers
  /// Two sets: while one goes out, the other is filled.
  private var buffers: [[TextBuffer]] = [[], []]
  private var outgoing: BackgroundValue<Void>?

  /// Rows whose text a worker makes at a time.
  private static let grain = 1024
  /// How many times each worker does so before the text goes out.
  private static let rounds = 8

  package init(_ output: ByteOutput, workers: Workers) {
    self.output = output
    self.workers = workers
  }

  /// Writes the text of `count` rows.
  ///
  /// - Parameter append: appends the text of some consecutive rows.
  /// - Throws: the error of the first rows that have one; they are not written, nor those behind
  ///   them.
  package func write(
    _ count: Int,
    _ append: @Sendable (_ worker: Int, _ rows: Range<Int>, _ text: TextBuffer) throws -> Void
  ) throws {
    var start = 0
    while start < count {
      let rows = start..<min(count, start + Self.grain * Self.rounds * workers.count)
      buffers.swapAt(0, 1)
      let jobs = (rows.count + Self.grain - 1) / Self.grain
      while buffers[0].count < jobs { buffers[0].append(TextBuffer(capacity: 1 << 19)) }
      let texts = Array(buffers[0].prefix(jobs))
      let results = workers.map(jobs) { worker, job in
        texts[job].removeAll()
        let first = rows.lowerBound + job * Self.grain
        return Result {
          try append(worker, first..<min(rows.upperBound, first + Self.grain), texts[job])
        }
      }
      try waitForOutgoing()
      let whole = results.firstIndex { if case .failure = $0 { true } else { false } } ?? jobs
      outgoing = BackgroundValue { [output] in
        for text in texts.prefix(whole) { try output.write(text.bytes) }
      }
      if whole < jobs {
        try waitForOutgoing()
        try results[whole].get()
      }
      start = rows.upperBound
    }
  }

  /// Waits until all text is out.
  package func finish() throws { try waitForOutgoing() }

  private func waitForOutgoing() throws {
    // An error stays, to be thrown again.
    try outgoing?.value()
    outgoing = nil
  }
}
