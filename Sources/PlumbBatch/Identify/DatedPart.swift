import PlumbCore
import PlumbExpressions
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The rows of a part that have a point and a time, with the results of the dates that were visited so far.
///
/// The rows are numbered in the order of their times, so that the rows that may be matched to a
/// date are adjacent in memory.
final class DatedPart {
  /// The points of the rows.
  let points: PointCoordinates
  /// The result of each stack; the days between dates and rows are computed at the end.
  private let answers: [RasterAnswer]
  private let source: DatedSource
  private let store: AnswerStore
  private let workers: Workers
  /// The times of the rows, and the objects that own the times and the points.
  private let times: UnsafePointer<Int64>
  private let timeBuffer: TrivialBuffer<Int64>
  private let pointBuffers: [TrivialBuffer<Double>]
  /// All rows of the part in their original order, with their times as in `RowTimes`.
  private let whole: (points: PointCoordinates, times: TrivialBuffer<Int64>)
  /// The index of each row in the original order.
  private let indices: [UInt32]
  /// The numbers of all rows.
  let allRows: [UInt32]
  /// The rows that are processed now, in ascending order.
  private var order: [UInt32]
  /// For each stack, the collector of the values of its dates; empty if the nearest date is used.
  private let collectors: [any DateCollector]
  /// For each stack, whether the cell of a row exists on any date.
  private let hasCell: [TrivialBuffer<Bool>]

  // Stored properties would be initialized lazily, which costs a check at each use.
  private static var ok: UInt8 { SampleStatus.ok.rawValue }
  private static var noValid: UInt8 { SampleStatus.noValid.rawValue }
  private static var outside: UInt8 { SampleStatus.outside.rawValue }
  private static var transformFailed: UInt8 { SampleStatus.transformFailed.rawValue }
  private static var readError: UInt8 { SampleStatus.readError.rawValue }

  /// - Parameter times: the times of the rows, as in `RowTimes`.
  init(
    _ source: DatedSource, _ store: AnswerStore, _ points: PointCoordinates,
    times wholeTimes: TrivialBuffer<Int64>, workers: Workers
  ) {
    (self.source, self.store, self.workers) = (source, store, workers)
    whole = (points, wholeTimes)
    let indices = Self.order(points, UnsafePointer(wholeTimes.base), workers)
    self.indices = indices
    let count = indices.count
    allRows = Array(0..<UInt32(count))
    order = allRows
    let (x, y) = (TrivialBuffer<Double>(count: count), TrivialBuffer<Double>(count: count))
    timeBuffer = TrivialBuffer(count: count)
    let (from, target) = (SharedPointer(UnsafePointer(wholeTimes.base)), timeBuffer)
    workers.runRanges(count, grain: Self.grain) { _, rows in
      for row in rows {
        let index = Int(indices[row])
        (x.base[row], y.base[row]) = (points.x[index], points.y[index])
        target.base[row] = from.pointer[index]
      }
    }
    pointBuffers = [x, y]
    self.points = PointCoordinates(x: x.base, y: y.base, count: count)
    let times = UnsafePointer(timeBuffer.base)
    self.times = times
    let kept = self.points
    answers = source.stacks.indices.map { stack in
      let answer = store.makeAnswer(of: stack, count: count)
      Self.clear(answer, kept, times, workers)
      return answer
    }
    hasCell = source.stacks.map { _ in TrivialBuffer(count: count, zeroed: true) }
    collectors = source.stacks.indices.compactMap { stack in
      let bands = source.identifier.sampler.requests[source.request(stack: stack, slice: 0)].bands
      return switch source.matching.result {
      case .nearest: nil
      case .interpolated: InterpolationCollector(bands: bands.count, rows: count, times: times)
      case .reduced(let list): ReductionCollector(list, bands: bands.count, rows: count)
      }
    }
  }

  /// The number of rows that a worker processes at a time.
  private static let grain = 1 << 15

  /// The indices of the rows with a point and a time, sorted by time.
  private static func order(
    _ points: PointCoordinates, _ times: UnsafePointer<Int64>, _ workers: Workers
  ) -> [UInt32] {
    let keys = TrivialBuffer<UInt64>(count: points.count)
    var earliest = Int64.max
    for row in 0..<points.count where times[row] != RowTimes.none {
      earliest = min(earliest, times[row])
    }
    let (first, shared) = (earliest, SharedPointer(times))
    workers.runRanges(points.count, grain: grain) { _, rows in
      let times = shared.pointer
      for row in rows {
        keys.base[row] =
          isUsable(points, times, row) ? UInt64(times[row] - first) : .max
      }
    }
    let sorted = KeySort(keys, count: points.count, leavingOut: .max, workers: workers)
    let items = sorted.items.base
    return (0..<sorted.count).map { items[$0].index }
  }

  /// Whether a row has a point and a time.
  @inline(__always)
  private static func isUsable(
    _ points: PointCoordinates, _ times: UnsafePointer<Int64>, _ row: Int
  ) -> Bool {
    (points.status?[row] ?? ok) == ok && times[row] != RowTimes.none
  }

  /// Sets the statuses of rows without a result.
  private static func clear(
    _ answer: RasterAnswer, _ points: PointCoordinates, _ times: UnsafePointer<Int64>,
    _ workers: Workers
  ) {
    let shared = SharedPointer(times)
    workers.runRanges(points.count, grain: grain) { _, rows in
      clear(answer, rows, points, shared.pointer)
    }
  }

  private static func clear(
    _ answer: RasterAnswer, _ rows: Range<Int>, _ points: PointCoordinates,
    _ times: UnsafePointer<Int64>
  ) {
    let badTime = SampleStatus.badTime.rawValue
    for column in answer.columns {
      let base = column.status.base
      for row in rows {
        let status = points.status?[row] ?? ok
        base[row] = status != ok ? status : times[row] == RowTimes.none ? badTime : noValid
      }
    }
    if let provenance = answer.provenance {
      for cells in [provenance.member, provenance.column, provenance.row] {
        (cells.base + rows.lowerBound).update(repeating: -1, count: rows.count)
      }
    }
    if let dates = answer.dates {
      (dates.time.base + rows.lowerBound).update(repeating: RowTimes.none, count: rows.count)
      let tried = dates.tried.base
      for row in rows { tried[row] = isUsable(points, times, row) ? 0 : -1 }
    }
  }

  // MARK: Rows

  /// Sets the rows that are processed from now on.
  ///
  /// - Parameter rows: some of `allRows`, in ascending order.
  func select(_ rows: [UInt32]) { order = rows }

  /// The rows with times in a range.
  func rows(in range: ClosedRange<Int64>) -> [UInt32] {
    func first(_ isBefore: (Int64) -> Bool) -> Int {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if isBefore(times[Int(order[middle])]) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return Array(order[first { $0 < range.lowerBound }..<first { $0 <= range.upperBound }])
  }

  /// Returns the rows for which one of the given stacks may use a date, and counts the date as
  /// tried.
  func candidates(in range: ClosedRange<Int64>, _ date: Int64, _ stacks: [Int]) -> [UInt32] {
    let rows = rows(in: range)
    guard collectors.isEmpty else { return rows }
    let known = stacks.compactMap { answers[$0].dates }
    for dates in known {
      let tried = dates.tried.base
      for row in rows { tried[Int(row)] += 1 }
    }
    let pointers = known.map { UnsafePointer($0.time.base) }
    return rows.filter { row in
      pointers.contains { isNearer(date, Int(row), $0) }
    }
  }

  /// Whether a date is nearer to a row than the date used so far.
  @inline(__always)
  private func isNearer(_ date: Int64, _ row: Int, _ known: UnsafePointer<Int64>) -> Bool {
    let time = times[row]
    return known[row] == RowTimes.none
      || (date - time).magnitude < (known[row] - time).magnitude
  }

  /// The truth of the condition at some rows, and the statuses of its inputs.
  struct Verdict {
    let truths: TrivialBuffer<UInt8>
    /// The status of each row: `readError` if an input has this status, otherwise the status of the
    /// first input without a value.
    let statuses: TrivialBuffer<UInt8>

    init(_ truths: TrivialBuffer<UInt8>, _ inputs: [ValueColumn]) {
      self.truths = truths
      let count = truths.count
      statuses = TrivialBuffer(count: count)
      let target = statuses.base
      target.update(repeating: DatedPart.ok, count: count)
      for input in inputs {
        let status = input.status.base
        for index in 0..<count
        where target[index] == DatedPart.ok || status[index] == DatedPart.readError {
          target[index] = status[index]
        }
      }
    }

    /// The status of a row: `ok` if the condition is true, `readError` if an input cannot be read,
    /// and otherwise `noValid`.
    func status(at row: Int) -> UInt8 {
      if statuses.base[row] == DatedPart.readError { return DatedPart.readError }
      return truths.base[row] == CellTruth.yes ? DatedPart.ok : DatedPart.noValid
    }
  }

  /// Returns the indices of the rows for which a date of a stack is accepted, and records the
  /// statuses of the other rows.
  ///
  /// - Parameter verdict: nil if there is no condition.
  func kept(
    _ rows: [UInt32], _ verdict: Verdict?, _ date: Int64, _ stack: Int
  ) -> [UInt32] {
    guard let verdict else { return Array(0..<UInt32(rows.count)) }
    let known =
      collectors.isEmpty ? answers[stack].dates.map { UnsafePointer($0.time.base) } : nil
    let (jobs, size) = (workers.count, (rows.count + workers.count - 1) / workers.count)
    guard rows.count > Self.grain / 4 else {
      return kept(rows, 0..<rows.count, verdict, known, date, stack)
    }
    // Each job changes only its own rows.
    let (part, dates) = (SharedPointer(Unmanaged.passUnretained(self)), SharedPointer(known))
    return Array(
      workers.map(jobs) { _, job in
        let range = min(rows.count, job * size)..<min(rows.count, (job + 1) * size)
        return part.pointer.takeUnretainedValue().kept(
          rows, range, verdict, dates.pointer, date, stack)
      }.joined())
  }

  private func kept(
    _ rows: [UInt32], _ range: Range<Int>, _ verdict: Verdict, _ known: UnsafePointer<Int64>?,
    _ date: Int64, _ stack: Int
  ) -> [UInt32] {
    let (truths, statuses) = (verdict.truths.base, verdict.statuses.base)
    var kept: [UInt32] = []
    kept.reserveCapacity(range.count)
    var others: [UInt32] = []
    for index in range {
      if let known, !isNearer(date, Int(rows[index]), known) { continue }
      if truths[index] == CellTruth.yes, statuses[index] != Self.readError {
        kept.append(UInt32(index))
      } else if let known, known[Int(rows[index])] != RowTimes.none,
        statuses[index] != Self.readError
      {
        // The row keeps the earlier date that has a value.
        continue
      } else {
        others.append(UInt32(index))
      }
    }
    note(others.map { rows[Int($0)] }, others.map { statuses[Int($0)] }, date, stack)
    return kept
  }

  /// Records the statuses of some rows on a date, without copying values. A row has the status `outside`
  /// only if its cell exists on no date. A date that cannot be read counts as used, so that no date
  /// farther from the row's time replaces it.
  private func note(_ rows: [UInt32], _ statuses: [UInt8], _ date: Int64, _ stack: Int) {
    let answer = answers[stack]
    let (hasCell, known) = (hasCell[stack].base, answer.dates?.time.base)
    let columns = answer.columns.map(\.status.base)
    var failed: [UInt32] = []
    for index in 0..<rows.count {
      let (row, status) = (Int(rows[index]), statuses[index])
      if status == Self.readError {
        failed.append(rows[index])
        continue
      }
      if let known, known[row] != RowTimes.none { continue }
      if status != Self.outside, status != Self.transformFailed { hasCell[row] = true }
      let shown = hasCell[row] ? Self.noValid : status
      for column in columns { column[row] = shown }
    }
    guard collectors.isEmpty else {
      for row in failed {
        collectors[stack].addFailure(row: Int(row), distance: date - times[Int(row)])
      }
      return
    }
    for row in failed { for column in columns { column[Int(row)] = Self.readError } }
    if let provenance = answer.provenance {
      for cells in [provenance.member, provenance.column, provenance.row] {
        for row in failed { cells.base[Int(row)] = -1 }
      }
    }
    setDates(failed, date, answer)
  }

  private func setDates(_ rows: [UInt32], _ date: Int64, _ answer: RasterAnswer) {
    guard let dates = answer.dates else { return }
    let time = dates.time.base
    for row in rows { time[Int(row)] = date }
  }

  // MARK: Values

  /// Copies the values of a date to the results of rows, or passes them to the stack's collector.
  ///
  /// - Parameters:
  ///   - values: the values of the rows; may contain further rows if `positions` is not nil.
  ///   - positions: the indices of the rows in `values`; nil if `values` has the same rows.
  ///   - members: the indices of the date's files among those of the stack.
  ///   - requiresValue: whether a row uses the date only if it has a value on the date.
  func accept(
    _ rows: [UInt32], _ values: RasterAnswer, at positions: [UInt32]?, _ date: Int64,
    _ stack: Int, _ members: [Int], requiresValue: Bool
  ) {
    let positions = positions ?? Array(0..<UInt32(rows.count))
    let statuses = values.statuses(at: positions)
    guard collectors.isEmpty else {
      return collect(rows, values, at: positions, statuses, date, stack)
    }
    var (from, used, dated, others) = ([UInt32](), [UInt32](), [UInt32](), [Int]())
    from.reserveCapacity(rows.count)
    used.reserveCapacity(rows.count)
    dated.reserveCapacity(rows.count)
    for index in 0..<rows.count {
      let status = statuses[index]
      if requiresValue, status != Self.ok {
        others.append(index)
        continue
      }
      from.append(positions[index])
      used.append(rows[index])
      if status != Self.outside, status != Self.transformFailed { dated.append(rows[index]) }
    }
    if !others.isEmpty { note(others.map { rows[$0] }, others.map { statuses[$0] }, date, stack) }
    values.copy(from[...], to: answers[stack], used[...]) { $0 < 0 ? -1 : Int32(members[Int($0)]) }
    setDates(dated, date, answers[stack])
  }

  /// Passes the values of a date to the collector of its stack.
  private func collect(
    _ rows: [UInt32], _ values: RasterAnswer, at positions: [UInt32], _ statuses: [UInt8],
    _ date: Int64, _ stack: Int
  ) {
    let bands = source.bands(of: stack)
    let scaling = bands.map { source.isScaled && $0.isScaled ? $0 : nil }
    let types = bands.map(\.pixelType)
    var statuses = statuses
    // A row has no statistics if one of its bands cannot be read.
    for column in values.columns {
      for index in 0..<rows.count
      where column.status.base[Int(positions[index])] == Self.readError {
        statuses[index] = Self.readError
      }
    }
    note(rows, statuses, date, stack)
    let collector = collectors[stack]
    for (band, column) in values.columns.enumerated() {
      for index in 0..<rows.count where statuses[index] == Self.ok {
        guard let cell = column[Int(positions[index])] else { continue }
        let row = Int(rows[index])
        let value = scaling[band].map { $0.scaled(cell) } ?? cell.real
        if let value, !value.isNaN {
          collector.add(
            value, key: cell.orderKey(of: types[band]), band: band, row: row,
            distance: date - times[row])
        }
      }
    }
  }

  /// Completes the results, and returns those of each stack for all rows of the part, in their
  /// original order.
  func finish() -> [RasterAnswer] {
    for (stack, collector) in collectors.enumerated() { collector.finish(answers[stack]) }
    if collectors.isEmpty, source.condition != nil { rankDates() }
    let (indices, allRows, times) = (indices, allRows, timeBuffer)
    return answers.enumerated().map { stack, answer in
      let result = store.makeAnswer(of: stack, count: whole.points.count)
      if indices.count < whole.points.count {
        Self.clear(result, whole.points, UnsafePointer(whole.times.base), workers)
        result.dates?.days.base.update(repeating: .nan, count: whole.points.count)
      }
      workers.runRanges(allRows.count, grain: Self.grain) { _, rows in
        let targets = indices[rows]
        answer.copy(allRows[rows], to: result, targets) { $0 }
        guard let from = answer.dates, let to = result.dates else { return }
        for (row, target) in zip(rows, targets) {
          let date = from.time.base[row]
          to.time.base[Int(target)] = date
          to.days.base[Int(target)] =
            date == RowTimes.none
            ? .nan : Double(date - times.base[row]) / Double(ImageDate.day)
          to.tried.base[Int(target)] = from.tried.base[row]
        }
      }
      return result
    }
  }

  /// Counts the dates that were tried for rows with a date.
  private func rankDates() {
    for (stack, answer) in answers.enumerated() {
      guard let dates = answer.dates else { continue }
      let axis = source.stacks[stack].slices.map(\.date.microseconds)
      let (matching, times) = (source.matching, SharedPointer(times))
      workers.runRanges(points.count, grain: Self.grain) { _, rows in
        let (time, tried) = (dates.time.base, dates.tried.base)
        for row in rows where time[row] != RowTimes.none {
          tried[row] = Int32(matching.rank(of: time[row], at: times.pointer[row], among: axis))
        }
      }
    }
  }
}

extension RasterAnswer {
  /// The statuses of some rows.
  fileprivate func statuses(at positions: [UInt32]) -> [UInt8] {
    guard columns.count == 1 else { return positions.map { status(at: Int($0)).rawValue } }
    let base = columns[0].status.base
    return positions.map { base[Int($0)] }
  }

  /// Copies the values, statuses and cells of some rows to another answer.
  ///
  /// - Parameter member: the number of a file in the other answer.
  fileprivate func copy(
    _ rows: ArraySlice<UInt32>, to target: RasterAnswer, _ targets: ArraySlice<UInt32>,
    member: (Int32) -> Int32
  ) {
    for (from, to) in zip(columns, target.columns) { from.copy(rows, to: to, targets) }
    guard let from = provenance, let to = target.provenance else { return }
    for (row, target) in zip(rows, targets) {
      let (row, target) = (Int(row), Int(target))
      to.member.base[target] = member(from.member.base[row])
      to.column.base[target] = from.column.base[row]
      to.row.base[target] = from.row.base[row]
    }
  }
}

extension ValueColumn {
  /// Copies values and statuses of some rows to another column.
  fileprivate func copy(
    _ rows: ArraySlice<UInt32>, to target: ValueColumn, _ targets: ArraySlice<UInt32>
  ) {
    let (statuses, targetStatuses) = (status.base, target.status.base)
    for (row, target) in zip(rows, targets) { targetStatuses[Int(target)] = statuses[Int(row)] }
    guard pixelType == target.pixelType else {
      for (row, index) in zip(rows, targets) {
        self[Int(row)]?.store(
          as: target.pixelType, at: target.bytes + Int(index) * target.pixelType.byteCount)
      }
      return
    }
    func copy<Value>(_ type: Value.Type) {
      let from = bytes.assumingMemoryBound(to: type)
      let to = target.bytes.assumingMemoryBound(to: type)
      for (row, target) in zip(rows, targets) { to[Int(target)] = from[Int(row)] }
    }
    switch pixelType.byteCount {
    case 1: copy(UInt8.self)
    case 2: copy(UInt16.self)
    case 4: copy(UInt32.self)
    case 8: copy(UInt64.self)
    default: copy(SIMD2<UInt64>.self)
    }
  }
}
