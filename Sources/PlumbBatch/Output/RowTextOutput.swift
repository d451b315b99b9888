import PlumbCore
import PlumbIO
import Synchronization

/// Formats the text of rows on all workers, and writes the text in the order of the rows. While the
/// text of some rows is written, the text of the next rows is formatted. Memory use is bounded by
/// the text of a few thousand rows. If rows are long, memory use is bounded by twice ``byteLimit``
/// plus one group of rows per worker.
final class RowTextOutput {
  private let output: ByteOutput
  private let workers: Workers
  /// Two sets of buffers. One set is filled while the other set is written.
  private var buffers: [[TextBuffer]] = [[], []]
  private var outgoing: BackgroundValue<Void>?

  /// The number of rows that a worker formats at a time.
  private static let grain = 1024
  /// The maximum number of lines that a worker formats at a time, unless a single row has more.
  private static let lineLimit = 1 << 15
  /// The number of groups of rows that each worker formats before the text is written.
  private static let rounds = 8
  /// The number of bytes of text after which no worker begins another group before the text is
  /// written.
  package static let byteLimit = 16 << 20
  /// The capacity in bytes above which a buffer is released after its text is written.
  private static let keptCapacity = 4 << 20

  package init(_ output: ByteOutput, workers: Workers) {
    self.output = output
    self.workers = workers
  }

  /// Writes the text of `count` rows.
  ///
  /// - Parameters:
  ///   - linesPerRow: the number of lines that `append` appends for each row.
  ///   - append: appends the text of some consecutive rows.
  /// - Throws: the first error in the order of the rows. The group of rows with the error, and the
  ///   rows after it, are not written. Throws `CancellationError` if the calling thread's work is
  ///   cancelled.
  package func write(
    _ count: Int, linesPerRow: Int = 1,
    _ append: @Sendable (_ worker: Int, _ rows: Range<Int>, _ text: TextBuffer) throws -> Void
  ) throws {
    let grain = max(1, min(Self.grain, Self.lineLimit / max(1, linesPerRow)))
    let jobs = (count + grain - 1) / grain
    try write(jobs: jobs, rounds: Self.rounds) { worker, job, text in
      let first = job * grain
      try append(worker, first..<min(count, first + grain), text)
    }
  }

  /// Writes the text of `jobs` groups of rows.
  ///
  /// - Parameters:
  ///   - rounds: the number of groups that each worker formats before the text is written.
  ///   - append: appends the text of a group.
  /// - Throws: the first error in the order of the groups. The group with the error, and the groups
  ///   after it, are not written.
  package func write(
    jobs: Int, rounds: Int,
    _ append: @Sendable (_ worker: Int, _ job: Int, _ text: TextBuffer) throws -> Void
  ) throws {
    var start = 0
    while start < jobs {
      try WorkCancellation.checkCurrent()
      let group = start..<min(jobs, start + rounds * workers.count)
      buffers.swapAt(0, 1)
      let texts = removeBuffers(group.count)
      let made = Atomic(0)
      let results = workers.map(group.count) { worker, job -> Result<Void, any Error>? in
        guard job == 0 || made.load(ordering: .relaxed) < Self.byteLimit else { return nil }
        return Result {
          try WorkCancellation.checkCurrent()
          try append(worker, group.lowerBound + job, texts[job])
          made.add(texts[job].count, ordering: .relaxed)
        }
      }
      try waitForOutgoing()
      let firstFailure = results.firstIndex { if case .success? = $0 { false } else { true } }
      outgoing = BackgroundValue { [output] in
        for text in texts.prefix(firstFailure ?? texts.count) { try output.write(text.bytes) }
      }
      if let firstFailure, let failure = results[firstFailure] {
        try waitForOutgoing()
        try failure.get()
      }
      start = firstFailure.map { group.lowerBound + $0 } ?? group.upperBound
    }
  }

  /// Returns empty buffers for a group of jobs. Small buffers of the group before last are reused.
  private func removeBuffers(_ count: Int) -> [TextBuffer] {
    for (index, text) in buffers[0].enumerated() {
      if text.capacity > Self.keptCapacity {
        buffers[0][index] = TextBuffer(capacity: 1 << 19)
      } else {
        text.removeAll()
      }
    }
    while buffers[0].count < count { buffers[0].append(TextBuffer(capacity: 1 << 19)) }
    return Array(buffers[0].prefix(count))
  }

  /// Waits until all text is written.
  package func finish() throws { try waitForOutgoing() }

  private func waitForOutgoing() throws {
    // The value keeps its error and throws it again on each call.
    try outgoing?.value()
    outgoing = nil
  }
}
