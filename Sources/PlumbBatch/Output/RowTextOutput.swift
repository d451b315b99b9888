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
    let jobs = (count + Self.grain - 1) / Self.grain
    try write(jobs: jobs, rounds: Self.rounds) { worker, job, text in
      let first = job * Self.grain
      try append(worker, first..<min(count, first + Self.grain), text)
    }
  }

  /// Writes the text of `jobs` groups of rows.
  ///
  /// - Parameters:
  ///   - rounds: how many groups each worker takes before the text goes out.
  ///   - append: appends the text of a group.
  /// - Throws: the error of the first group that has one; it is not written, nor those behind it.
  package func write(
    jobs: Int, rounds: Int,
    _ append: @Sendable (_ worker: Int, _ job: Int, _ text: TextBuffer) throws -> Void
  ) throws {
    var start = 0
    while start < jobs {
      let group = start..<min(jobs, start + rounds * workers.count)
      buffers.swapAt(0, 1)
      while buffers[0].count < group.count { buffers[0].append(TextBuffer(capacity: 1 << 19)) }
      let texts = Array(buffers[0].prefix(group.count))
      let results = workers.map(group.count) { worker, job in
        texts[job].removeAll()
        return Result { try append(worker, group.lowerBound + job, texts[job]) }
      }
      try waitForOutgoing()
      let whole = results.firstIndex { if case .failure = $0 { true } else { false } }
      outgoing = BackgroundValue { [output] in
        for text in texts.prefix(whole ?? texts.count) { try output.write(text.bytes) }
      }
      if let whole {
        try waitForOutgoing()
        try results[whole].get()
      }
      start = group.upperBound
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
