import PlumbCore
import PlumbExpressions
import PlumbLayers
import PlumbRaster

/// Answers rows from the dates that match their times.
///
/// The dates are visited in ascending order, each once for all rows of a part, so that each tile is decoded once
/// per part. A later date replaces an earlier one only if it is nearer.
final class DatedRows {
  private let source: DatedSource
  private let store: AnswerStore
  private let workers: Workers
  private let mask: CellMask?
  /// The points of the current part in the CRSs of the rasters, by the index of the CRS; nil if the CRS has the
  /// coordinates of the points.
  private var projected: [Int: PointProjector.Columns?] = [:]

  init(_ source: DatedSource, _ store: AnswerStore, workers: Workers) {
    (self.source, self.store, self.workers) = (source, store, workers)
    mask = source.condition.map { CellMask($0, workers: workers) }
  }

  /// A date of a stack.
  private struct Event {
    var date: Int64
    var stack: Int
    var slice: Int
  }

  /// The rows of a part in the order of their times.
  private struct Part {
    var points: PointCoordinates
    /// The times of all rows of the part.
    var times: UnsafePointer<Int64>
    /// The rows with a point and a time, by time.
    var order: [UInt32]
    var answers: [RasterAnswer]
    /// For each stack, what collects the values of its dates; empty if the nearest date answers.
    var collectors: [any DateCollector]
    /// Whether a date of a stack has the cell of a row, by stack and row.
    var hasCell: [TrivialBuffer<Bool>]

    /// The rows with times in a range.
    func rows(in range: ClosedRange<Int64>) -> ArraySlice<UInt32> {
      func first(_ isBefore: (Int64) -> Bool) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
          let middle = (low + high) / 2
          if isBefore(times[Int(order[middle])]) { low = middle + 1 } else { high = middle }
        }
        return low
      }
      return order[first { $0 < range.lowerBound }..<first { $0 <= range.upperBound }]
    }
  }

  /// Answers all rows.
  ///
  /// - Parameters:
  ///   - times: the time of each row, as in `RowTimes`.
  ///   - progress: called with the fraction that is done.
  func sample(
    _ points: PointSpool, _ times: [Int64], progress: (Double) -> Void
  ) throws {
    let events = source.stacks.enumerated().flatMap { number, stack in
      stack.slices.enumerated().map {
        Event(date: $1.date.microseconds, stack: number, slice: $0)
      }
    }.sorted { ($0.date, $0.stack) < ($1.date, $1.stack) }
    let steps = max(1, events.count * points.partCount)
    var done = 0
    for number in 0..<points.partCount {
      let rows = points.rows(of: number)
      let coordinates = try points.part(number)
      projected = [:]
      try times.withUnsafeBufferPointer { times in
        guard let base = times.baseAddress else { return }
        let part = makePart(coordinates, base + rows.lowerBound)
        for event in events {
          try WorkCancellation.checkCurrent()
          answer(event, part)
          done += 1
          progress(Double(done) / Double(steps))
        }
        finish(part)
        for (stack, answer) in part.answers.enumerated() {
          try store.keep(answer, of: stack, part: number)
        }
      }
    }
    projected = [:]
  }

  private func makePart(_ points: PointCoordinates, _ times: UnsafePointer<Int64>) -> Part {
    let count = points.count
    let ok = SampleStatus.ok.rawValue
    let keys = TrivialBuffer<UInt64>(count: count)
    var earliest = Int64.max
    for row in 0..<count where times[row] != RowTimes.none { earliest = min(earliest, times[row]) }
    for row in 0..<count {
      let isUsable = (points.status?[row] ?? ok) == ok && times[row] != RowTimes.none
      keys.base[row] = isUsable ? UInt64(times[row] - earliest) : .max
    }
    let sorted = KeySort(keys, count: count, leavingOut: .max, workers: workers)
    let order = (0..<sorted.count).map { sorted.items.base[$0].index }
    let answers = source.stacks.indices.map { stack in
      let answer = store.makeAnswer(of: stack, count: count)
      Self.clear(answer, points, times)
      return answer
    }
    return Part(
      points: points, times: times, order: order, answers: answers,
      collectors: collectors(count, times),
      hasCell: source.stacks.map { _ in TrivialBuffer(count: count, zeroed: true) })
  }

  private func collectors(
    _ rows: Int, _ times: UnsafePointer<Int64>
  ) -> [any DateCollector] {
    source.identifier.sampler.requests.isEmpty
      ? []
      : source.stacks.indices.compactMap { stack in
        let request = source.request(stack: stack, slice: 0)
        let bands = source.identifier.sampler.requests[request].bands.count
        return switch source.matching.result {
        case .nearest: nil
        case .interpolated: InterpolationCollector(bands: bands, rows: rows, times: times)
        case .reduced(let list): ReductionCollector(list, bands: bands, rows: rows)
        }
      }
  }

  /// Sets the statuses of rows without an answer.
  private static func clear(
    _ answer: RasterAnswer, _ points: PointCoordinates, _ times: UnsafePointer<Int64>
  ) {
    let (ok, none) = (SampleStatus.ok.rawValue, SampleStatus.noValid.rawValue)
    for column in answer.columns {
      for row in 0..<points.count {
        let status = points.status?[row] ?? ok
        column.status.base[row] =
          status != ok
          ? status : times[row] == RowTimes.none ? SampleStatus.badTime.rawValue : none
      }
    }
    if let provenance = answer.provenance {
      for cells in [provenance.member, provenance.column, provenance.row] {
        cells.base.update(repeating: -1, count: points.count)
      }
    }
    if let dates = answer.dates {
      dates.time.base.update(repeating: RowTimes.none, count: points.count)
      dates.days.base.update(repeating: .nan, count: points.count)
      dates.tried.base.update(repeating: 0, count: points.count)
    }
  }

  // MARK: Dates

  /// Answers the rows for which a date may be the nearest.
  private func answer(_ event: Event, _ part: Part) {
    let slices = source.stacks[event.stack].slices
    let range = source.matching.times(
      of: event.date,
      previous: event.slice > 0 ? slices[event.slice - 1].date.microseconds : nil,
      next: event.slice + 1 < slices.count ? slices[event.slice + 1].date.microseconds : nil,
      isFirstOnly: source.isFirstOnly)
    guard let range else { return }
    var rows = Array(part.rows(in: range))
    guard !rows.isEmpty else { return }
    let own = source.request(stack: event.stack, slice: event.slice)
    guard let mask else {
      accept(rows, sample(source.identifier, own, rows, part), nil, event, part)
      return
    }
    let answer = part.answers[event.stack]
    if part.collectors.isEmpty {
      if let dates = answer.dates { for row in rows { dates.tried.base[Int(row)] += 1 } }
      rows.removeAll { !isNearer(event.date, Int($0), part, answer) }
      guard !rows.isEmpty else { return }
    }
    guard let inputs = inputs(event.date, rows, part) else { return }
    let truths = mask.truths(inputs, count: rows.count)
    // Rows whose condition is true, and those whose condition cannot be read.
    var kept: [UInt32] = []
    for (index, row) in rows.enumerated() {
      let status = Self.status(inputs, at: index)
      if truths.base[index] == CellTruth.yes {
        kept.append(row)
      } else if status == .readError {
        addFailure(Int(row), event, part)
      } else {
        noteCell(status, Int(row), event.stack, part)
      }
    }
    if !kept.isEmpty {
      accept(kept, sample(source.identifier, own, kept, part), source.condition, event, part)
    }
  }

  /// Whether a date is nearer to a row than the date that answers so far.
  private func isNearer(
    _ date: Int64, _ row: Int, _ part: Part, _ answer: RasterAnswer
  ) -> Bool {
    guard let known = answer.dates?.time.base[row], known != RowTimes.none else { return true }
    let time = part.times[row]
    return (date - time).magnitude < (known - time).magnitude
  }

  /// Keeps the status of a row without an answer: outside only if no date has its cell.
  private func noteCell(_ status: SampleStatus, _ row: Int, _ stack: Int, _ part: Part) {
    let answer = part.answers[stack]
    guard (answer.dates?.time.base[row] ?? RowTimes.none) == RowTimes.none else { return }
    let isMissing = status == .outside || status == .transformFailed
    if !isMissing { part.hasCell[stack].base[row] = true }
    let shown = part.hasCell[stack].base[row] ? SampleStatus.noValid : status
    for column in answer.columns { column.status.base[row] = shown.rawValue }
  }

  /// Marks a row whose date cannot be read; another date does not answer in its place.
  private func addFailure(_ row: Int, _ event: Event, _ part: Part) {
    guard part.collectors.isEmpty else {
      part.collectors[event.stack].addFailure(row: row, distance: event.date - part.times[row])
      return
    }
    let status = SampleStatus.readError.rawValue
    for column in part.answers[event.stack].columns { column.status.base[row] = status }
    setDate(row, event, part)
  }

  private func setDate(_ row: Int, _ event: Event, _ part: Part) {
    guard let dates = part.answers[event.stack].dates else { return }
    dates.time.base[row] = event.date
    dates.days.base[row] =
      Double(event.date - part.times[row]) / Double(ImageDates.ImageDate.day)
  }

  /// Copies the values of a date to its rows.
  ///
  /// - Parameter condition: the condition that the rows meet; nil if the date answers without a value.
  private func accept(
    _ rows: [UInt32], _ values: RasterAnswer, _ condition: CellCondition?, _ event: Event,
    _ part: Part
  ) {
    guard part.collectors.isEmpty else { return collect(rows, values, event, part) }
    let answer = part.answers[event.stack]
    let members = source.stacks[event.stack].slices[event.slice].members
    for (index, row) in rows.enumerated() {
      let row = Int(row)
      let status = values.status(at: index)
      if condition != nil, status != .ok, status != .readError {
        noteCell(status, row, event.stack, part)
        continue
      }
      for (from, to) in zip(values.columns, answer.columns) {
        to.status.base[row] = from.status.base[index]
        let (size, target) = (from.pixelType.byteCount, to.bytes + row * to.pixelType.byteCount)
        if from.pixelType == to.pixelType {
          target.copyMemory(from: from.bytes + index * size, byteCount: size)
        } else if let value = from[index] {
          value.store(as: to.pixelType, at: target)
        }
      }
      if let from = values.provenance, let to = answer.provenance {
        let member = from.member.base[index]
        to.member.base[row] = member >= 0 ? Int32(members[Int(member)]) : -1
        to.column.base[row] = from.column.base[index]
        to.row.base[row] = from.row.base[index]
      }
      if status != .outside, status != .transformFailed { setDate(row, event, part) }
    }
  }

  /// Passes the values of a date to the collector of its stack.
  private func collect(
    _ rows: [UInt32], _ values: RasterAnswer, _ event: Event, _ part: Part
  ) {
    let collector = part.collectors[event.stack]
    let request = source.identifier.sampler.requests[
      source.request(stack: event.stack, slice: event.slice)]
    let scaling = request.bands.map { band -> Band? in
      let band = request.raster.bands[band]
      return source.isScaled && band.isScaled ? band : nil
    }
    for (index, row) in rows.enumerated() {
      let row = Int(row)
      let distance = event.date - part.times[row]
      let status = values.status(at: index)
      if values.columns.contains(where: { $0.status(at: index) == .readError }) {
        collector.addFailure(row: row, distance: distance)
        continue
      }
      guard status == .ok else {
        noteCell(status, row, event.stack, part)
        continue
      }
      noteCell(.ok, row, event.stack, part)
      for (band, column) in values.columns.enumerated() {
        guard let cell = column[index] else { continue }
        let value = scaling[band].map { $0.scaled(cell) } ?? cell.real
        if let value, !value.isNaN {
          collector.add(value, band: band, row: row, distance: distance)
        }
      }
    }
  }

  /// Completes the results that depend on several dates.
  private func finish(_ part: Part) {
    for (stack, collector) in part.collectors.enumerated() {
      collector.finish(part.answers[stack])
    }
    guard part.collectors.isEmpty else { return }
    guard source.condition != nil else { return }
    for (stack, answer) in part.answers.enumerated() {
      guard let dates = answer.dates else { continue }
      let axis = source.stacks[stack].slices.map(\.date.microseconds)
      for row in 0..<part.points.count where dates.time.base[row] != RowTimes.none {
        dates.tried.base[row] = Int32(
          source.matching.rank(of: dates.time.base[row], at: part.times[row], among: axis))
      }
    }
  }

  // MARK: Values

  /// One request at some rows.
  private struct Subset: SampleParts {
    typealias Failure = Never

    let points: [Int: PointProjector.Columns]
    let count: Int
    let answer: RasterAnswer

    var partCount: Int { 1 }

    func shares(of requests: [Int]) -> [[Int]] { [requests] }

    func withPart(
      _ part: Int, references: [Int], requests: [Int], isFirst: Bool, _ body: (SamplePart) -> Void
    ) throws(Never) {
      let coordinates = references.map { reference -> PointCoordinates in
        guard let columns = points[reference] else {
          preconditionFailure("the points are known in all CRSs of the raster")
        }
        return columns.coordinates
      }
      body(
        SamplePart(
          points: coordinates, range: 0..<count, answers: requests.isEmpty ? [] : [answer]))
    }
  }

  /// The values of a request at some rows.
  private func sample(
    _ identifier: RasterIdentifier, _ request: Int, _ rows: [UInt32], _ part: Part
  ) -> RasterAnswer {
    let sampler = identifier.sampler
    let answer = sampler.makeAnswer(
      of: request, count: rows.count, keepsProvenance: store.keepsProvenance)
    var points: [Int: PointProjector.Columns] = [:]
    for reference in Set(sampler.referenceIndices[request]) {
      points[reference] = columns(reference, rows, part)
    }
    // Stacks with the same dates may use the same tiles.
    sampler.sample(
      [request], Subset(points: points, count: rows.count, answer: answer),
      keepsTiles: source.condition != nil)
    return answer
  }

  /// The points of some rows in the CRS of a raster.
  private func columns(
    _ reference: Int, _ rows: [UInt32], _ part: Part
  ) -> PointProjector.Columns {
    if projected[reference] == nil {
      projected[reference] = .some(
        source.identifier.columns(of: part.points, inReference: reference))
    }
    let known = projected[reference] ?? nil
    let points = known?.coordinates ?? part.points
    let columns = PointProjector.Columns(count: rows.count)
    for (index, row) in rows.enumerated() {
      columns.x.base[index] = points.x[Int(row)]
      columns.y.base[index] = points.y[Int(row)]
      columns.status.base[index] = points.status?[Int(row)] ?? SampleStatus.ok.rawValue
    }
    return columns
  }

  // MARK: Conditions

  /// The values that the condition uses on a date; nil if a stack has no such date.
  private func inputs(_ date: Int64, _ rows: [UInt32], _ part: Part) -> [CellInput]? {
    guard let condition = source.condition else { return nil }
    var answers: [Int: RasterAnswer] = [:]
    for stack in source.conditionStacks {
      guard let slice = source.stacks[stack].index(of: date) else { return nil }
      answers[stack] = sample(
        source.conditionIdentifier, source.request(stack: stack, slice: slice), rows, part)
    }
    return condition.usedVariables.compactMap { index in
      let variable = source.variables[index]
      return answers[variable.stack].map {
        CellInput(index, variable, $0.columns[variable.position])
      }
    }
  }

  /// The status of a row whose condition is not true: that of the first input without a value.
  private static func status(_ inputs: [CellInput], at index: Int) -> SampleStatus {
    var found = SampleStatus.ok
    for input in inputs {
      let status = input.column.status(at: index)
      if status == .readError { return status }
      if found == .ok { found = status }
    }
    return found
  }
}
