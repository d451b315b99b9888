import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

// If the decoded tiles of all rasters do not fit into memory together, the rasters are read one
// after the other, each for all rows, so that each tile is decoded only once. The rows are kept in
// memory if they fit. Otherwise only their points and results are kept, in temporary files, and the
// input is read again when the rows are written. A stream cannot be read again, and its rows must
// not be delayed. The rows of a stream are therefore processed and written at each pause of the
// stream, and whenever the rows reach their memory limit.
//
// If all tiles fit into memory together, each block of rows is processed and written as it arrives.
// The exception is a file whose rows together need less memory than the tiles. Its rows are kept
// and processed together, so that no tile is needed twice and none has to be cached.

extension BatchIdentify {
  /// Reads, identifies and writes all rows.
  func runRows(_ summary: inout Summary, _ progress: ((Double?, Int) -> Void)?) throws {
    if resume != nil {
      let points = PointSpool(size: stacks.partSize(options.limits.points), hasTimes: dated != nil)
      return try runSpooled(points, &summary, progress)
    }
    var rows = KeptRows()
    var limit = options.limits.rowBytes
    if source.keepsAllTiles, dated == nil {
      guard let first = try input.next() else { return }
      rows.append(first)
      limit = totalBytes(first) ?? 0
    }
    while true {
      let isComplete = try collect(&rows, limit: limit, progress, rowsBefore: summary.rows)
      if rows.batches.isEmpty { return }
      if !isComplete, !source.keepsAllTiles || dated != nil, input.canRestart {
        let points = PointSpool(
          size: stacks.partSize(options.limits.points), hasTimes: dated != nil)
        for batch in rows.removeAll() {
          try points.append(batch.coordinates, times: times(of: batch))
        }
        return try runSpooled(points, &summary, progress)
      }
      try lookUp(rows.removeAll(), isComplete: isComplete || input.isExhausted, &summary, progress)
      // From now on, all tiles are kept in memory, so the next rows are processed as they arrive.
      if source.keepsAllTiles, dated == nil { limit = 0 }
    }
  }

  /// Returns the memory limit in bytes for keeping all rows, if all rows need less memory than the
  /// tiles. Returns nil if rows should be processed as they arrive. This applies to the rows of a
  /// stream, and to the rows of formats that one thread reads while another thread writes.
  private func totalBytes(_ first: PointBatch) -> Int? {
    if case .vector = first.rows { return nil }
    guard !input.isExhausted, input.canRestart, let share = input.progress, share > 0 else {
      return nil
    }
    let limit = min(Double(options.limits.rowBytes), source.tileBytes)
    return Double(first.byteCount) / share <= limit ? Int(limit) : nil
  }

  /// Rows that are kept until they are processed.
  private struct KeptRows {
    var batches: [PointBatch] = []
    var byteCount = 0

    mutating func append(_ batch: PointBatch) {
      batches.append(batch)
      byteCount += batch.byteCount
    }

    mutating func removeAll() -> [PointBatch] {
      defer { self = KeptRows() }
      return batches
    }
  }

  /// Collects rows until the input ends or pauses, or the rows take `limit` bytes.
  ///
  /// - Returns: whether the input is exhausted.
  private func collect(
    _ rows: inout KeptRows, limit: Int, _ progress: ((Double?, Int) -> Void)?, rowsBefore: Int
  ) throws -> Bool {
    while rows.batches.isEmpty || rows.byteCount < limit {
      guard let batch = try input.next() else { return true }
      rows.append(batch)
      if limit > 0 { progress?(input.progress.map { $0 * Share.reading }, rowsBefore) }
      if input.isExhausted { return true }
      if input.consumePause() { return false }
    }
    return false
  }

  /// The fraction of the progress that each stage contributes, according to its typical duration.
  private enum Share {
    static let reading = 0.1
    static let sampling = 0.8
  }

  /// Identifies rows that are all in memory, and writes them.
  private func lookUp(
    _ batches: [PointBatch], isComplete: Bool, _ summary: inout Summary,
    _ progress: ((Double?, Int) -> Void)?
  ) throws {
    let count = batches.reduce(0) { $0 + $1.count }
    let points: PointSpool
    if batches.count == 1, count <= stacks.partSize(count) {
      points = PointSpool(of: batches[0].coordinates, times: times(of: batches[0]))
    } else {
      points = PointSpool(size: stacks.partSize(count), hasTimes: dated != nil)
      for batch in batches { try points.append(batch.coordinates, times: times(of: batch)) }
    }
    let before = summary.rows
    let part = isComplete && before == 0 ? 1 : input.progress
    // Blocks after the first are reported only after they are written.
    let isFirst = before == 0
    let answers = try sampleValues(points, keepsTiles: !isComplete) { share in
      if isFirst { progress?(part.map { $0 * (Share.reading + Share.sampling * share) }, 0) }
    }
    var row = 0
    for batch in batches {
      try write(batch, answers, row, &summary)
      row += batch.count
      if isFirst || row == count {
        progress?(part.map { $0 * Self.share(written: row, of: count) }, summary.rows)
      }
    }
  }

  private static func share(written row: Int, of count: Int) -> Double {
    let done = Double(row) / Double(max(1, count))
    return Share.reading + Share.sampling + (1 - Share.reading - Share.sampling) * done
  }

  /// The times of a batch's rows; nil if no dates are matched.
  private func times(of batch: PointBatch) -> [Int64]? {
    rowTimes?.read(batch, workers: options.workers)
  }

  private func sampleValues(
    _ points: PointSpool, keepsTiles: Bool, _ progress: (Double) -> Void
  ) throws -> AnswerStore? {
    try stacks.sample(
      points, keepsProvenance: output.needsProvenance, keepsTiles: keepsTiles, resume: resume,
      progress: progress)
  }

  private func write(
    _ batch: PointBatch, _ answers: AnswerStore?, _ row: Int, _ summary: inout Summary
  ) throws {
    let cells = try answers?.answers(row..<row + batch.count, workers: options.workers)
    try write(
      batch,
      MapAnswers(
        rasters: cells ?? [],
        features: source.featureAnswers(
          to: batch.coordinates, keepsPoints: output.needsProvenance),
        remotes: source.remoteAnswers(to: batch.coordinates)), &summary)
  }

  /// Identifies rows that do not fit into memory together, and writes them.
  ///
  /// - Parameter points: the points of the rows read so far.
  private func runSpooled(
    _ points: PointSpool, _ summary: inout Summary, _ progress: ((Double?, Int) -> Void)?
  ) throws {
    while let batch = try input.next() {
      try points.append(batch.coordinates, times: times(of: batch))
      progress?(input.progress.map { $0 * Share.reading }, 0)
    }
    let answers = try sampleValues(points, keepsTiles: true) { share in
      progress?(Share.reading + Share.sampling * share, 0)
    }
    let again = try input.restarted()
    while let batch = try again.next() {
      let times = rowTimes?.values(of: batch, workers: options.workers)
      guard try points.holds(batch.coordinates, times: times, from: summary.rows) else {
        throw changed
      }
      try write(batch, answers, summary.rows, &summary)
      progress?(Self.share(written: summary.rows, of: points.count), summary.rows)
    }
    guard summary.rows == points.count else { throw changed }
  }

  private var changed: PlumbError {
    PlumbError("\(options.points.printable) changed while it was being read")
  }
}

extension PointBatch {
  /// The approximate memory of the rows in bytes.
  fileprivate var byteCount: Int {
    switch rows {
    case .delimited(let rows): rows.block.bytes.count + count * 32
    case .geoJSON(let rows): rows.bytes.count + count * 128
    case .vector(let rows): count * (64 + 48 * (rows.count > 0 ? rows.values(at: 0).count : 0))
    case .columnar(let rows): count * (64 + 48 * rows.columnCount)
    }
  }
}
