import PlumbCore
import PlumbExpressions
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The rows of a part, with the results of the dates that were visited so far.
final class DatedPart {
  let points: PointCoordinates
  /// The result of each stack.
  let answers: [RasterAnswer]
  private let source: DatedSource
  private let workers: Workers
  /// The times of all rows of the part, and the object that owns them.
  private let times: UnsafePointer<Int64>
  private let timeBuffer: TrivialBuffer<Int64>
  /// The rows with a point and a time, sorted by time.
  let allRows: [UInt32]
  /// The rows that are processed now, sorted by time.
  private var order: [UInt32]
  /// For each stack, the collector of the values of its dates; empty if the nearest date is used.
  private let collectors: [any DateCollector]
  /// For each stack, whether the cell of a row exists on any date.
  private let hasCell: [TrivialBuffer<Bool>]

  private static let (ok, noValid) = (SampleStatus.ok.rawValue, SampleStatus.noValid.rawValue)
  private static let (outside, transformFailed, readError) = (
    SampleStatus.outside.rawValue, SampleStatus.transformFailed.rawValue,
    SampleStatus.readError.rawValue
  )

  /// - Parameter times: the times of the rows, as in `RowTimes`.
  init(
    _ source: DatedSource, _ store: AnswerStore, _ points: PointCoordinates,
    times timeBuffer: TrivialBuffer<Int64>, workers: Workers
  ) {
    let times = UnsafePointer(timeBuffer.base)
    self.timeBuffer = timeBuffer
    (self.source, self.points, self.times, self.workers) = (source, points, times, workers)
    let count = points.count
    allRows = Self.order(points, times, workers)
    order = allRows
    answers = source.stacks.indices.map { stack in
      let answer = store.makeAnswer(of: stack, count: count)
      Self.clear(answer, points, times)
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

  /// The rows with a point and a time, sorted by time.
  private static func order(
    _ points: PointCoordinates, _ times: UnsafePointer<Int64>, _ workers: Workers
  ) -> [UInt32] {
    let count = points.count
    let keys = TrivialBuffer<UInt64>(count: count)
    var earliest = Int64.max
    for row in 0..<count where times[row] != RowTimes.none { earliest = min(earliest, times[row]) }
    let base = keys.base
    for row in 0..<count {
      let isUsable = (points.status?[row] ?? ok) == ok && times[row] != RowTimes.none
      base[row] = isUsable ? UInt64(times[row] - earliest) : .max
    }
    let sorted = KeySort(keys, count: count, leavingOut: .max, workers: workers)
    let items = sorted.items.base
    return (0..<sorted.count).map { items[$0].index }
  }

  /// Sets the statuses of rows without a result.
  private static func clear(
    _ answer: RasterAnswer, _ points: PointCoordinates, _ times: UnsafePointer<Int64>
  ) {
    let (badTime, count) = (SampleStatus.badTime.rawValue, points.count)
    for column in answer.columns {
      let base = column.status.base
      for row in 0..<count {
        let status = points.status?[row] ?? ok
        base[row] = status != ok ? status : times[row] == RowTimes.none ? badTime : noValid
      }
    }
    if let provenance = answer.provenance {
      for cells in [provenance.member, provenance.column, provenance.row] {
        cells.base.update(repeating: -1, count: count)
      }
    }
    if let dates = answer.dates {
      dates.time.base.update(repeating: RowTimes.none, count: count)
      dates.days.base.update(repeating: .nan, count: count)
      let tried = dates.tried.base
      for row in 0..<count {
        let isUsable = (points.status?[row] ?? ok) == ok && times[row] != RowTimes.none
        tried[row] = isUsable ? 0 : -1
      }
    }
  }

  // MARK: Rows

  /// Restricts the following results to some rows.
  ///
  /// - Parameter rows: some of `allRows`, in their order.
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

  /// The rows for which a date may be used by one of the given stacks; counts the date as tried.
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

  /// Whether a date is nearer to a row than the date that is used so far.
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

  /// The indices of the rows that accept a date of a stack. Records the statuses of the other rows.
  ///
  /// - Parameter verdict: nil without a condition.
  func kept(
    _ rows: [UInt32], _ verdict: Verdict?, _ date: Int64, _ stack: Int
  ) -> [UInt32] {
    let known =
      collectors.isEmpty ? answers[stack].dates.map { UnsafePointer($0.time.base) } : nil
    guard let verdict else { return Array(0..<UInt32(rows.count)) }
    let (truths, statuses) = (verdict.truths.base, verdict.statuses.base)
    var kept: [UInt32] = []
    kept.reserveCapacity(rows.count)
    var others: [UInt32] = []
    for index in 0..<rows.count {
      if let known, !isNearer(date, Int(rows[index]), known) { continue }
      if truths[index] == CellTruth.yes, statuses[index] != Self.readError {
        kept.append(UInt32(index))
      } else if let known, known[Int(rows[index])] != RowTimes.none,
        statuses[index] != Self.readError
      {
        // An earlier date is used.
        continue
      } else {
        others.append(UInt32(index))
      }
    }
    note(others.map { rows[Int($0)] }, others.map { statuses[Int($0)] }, date, stack)
    return kept
  }

  /// Records dates that are not used: a row has the status `outside` only if no date has its cell.
  /// A date that cannot be read is used, so that no other date replaces it.
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
    let (time, days) = (dates.time.base, dates.days.base)
    for row in rows {
      time[Int(row)] = date
      days[Int(row)] = Double(date - times[Int(row)]) / Double(ImageDate.day)
    }
  }

  // MARK: Values

  /// Uses the values of a date.
  ///
  /// - Parameters:
  ///   - values: the values of the rows, or of more rows.
  ///   - positions: the indices of the rows in `values`; nil if `values` has the same rows.
  ///   - members: the indices of the date's files among those of the stack.
  ///   - requiresValue: whether a row without a value does not use the date.
  func accept(
    _ rows: [UInt32], _ values: RasterAnswer, at positions: [UInt32]?, _ date: Int64,
    _ stack: Int, _ members: [Int], requiresValue: Bool
  ) {
    let positions = positions ?? Array(0..<UInt32(rows.count))
    let statuses = values.statuses(at: positions)
    guard collectors.isEmpty else {
      return collect(rows, values, at: positions, statuses, date, stack)
    }
    var (used, dated, others) = ([Int](), [UInt32](), [Int]())
    used.reserveCapacity(rows.count)
    for index in 0..<rows.count {
      let status = statuses[index]
      if requiresValue, status != Self.ok {
        others.append(index)
        continue
      }
      used.append(index)
      if status != Self.outside, status != Self.transformFailed { dated.append(rows[index]) }
    }
    if !others.isEmpty { note(others.map { rows[$0] }, others.map { statuses[$0] }, date, stack) }
    let answer = answers[stack]
    for (from, to) in zip(values.columns, answer.columns) {
      from.copy(to: to, used.map { (Int(positions[$0]), Int(rows[$0])) })
    }
    if let from = values.provenance, let to = answer.provenance {
      for index in used {
        let (position, row) = (Int(positions[index]), Int(rows[index]))
        let member = from.member.base[position]
        to.member.base[row] = member >= 0 ? Int32(members[Int(member)]) : -1
        to.column.base[row] = from.column.base[position]
        to.row.base[row] = from.row.base[position]
      }
    }
    setDates(dated, date, answer)
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

  /// Completes the results that depend on several dates.
  func finish() {
    for (stack, collector) in collectors.enumerated() { collector.finish(answers[stack]) }
    guard collectors.isEmpty, source.condition != nil else { return }
    for (stack, answer) in answers.enumerated() {
      guard let dates = answer.dates else { continue }
      let axis = source.stacks[stack].slices.map(\.date.microseconds)
      let (matching, times) = (source.matching, SharedPointer(times))
      workers.runRanges(points.count, grain: 1 << 15) { _, rows in
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
}

extension ValueColumn {
  /// Copies values and statuses of some rows to another column.
  fileprivate func copy(to target: ValueColumn, _ rows: [(from: Int, to: Int)]) {
    let (statuses, targetStatuses) = (status.base, target.status.base)
    for row in rows { targetStatuses[row.to] = statuses[row.from] }
    guard pixelType == target.pixelType else {
      for row in rows {
        self[row.from]?.store(
          as: target.pixelType, at: target.bytes + row.to * target.pixelType.byteCount)
      }
      return
    }
    func copy<Value>(_ type: Value.Type) {
      let from = bytes.assumingMemoryBound(to: type)
      let to = target.bytes.assumingMemoryBound(to: type)
      for row in rows { to[row.to] = from[row.from] }
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
