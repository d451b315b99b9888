import PlumbCore
import PlumbExpressions
import PlumbLayers
import PlumbRaster

/// Computes the results of rows from the dates that match their times.
///
/// The dates are visited in ascending order, each once for all rows of a part, so that each tile is
/// decoded once per part. A later date replaces an earlier date only if it is nearer.
final class DatedRows {
  private let source: DatedSource
  private let store: AnswerStore
  private let workers: Workers
  private let mask: CellMask?
  /// The stack that is used; nil for all.
  private let only: Int?
  /// Whether further rows need the same tiles.
  private let keepsTiles: Bool
  /// The points of the current part in the CRSs of the rasters, by the index of the CRS; nil if the
  /// CRS has the same coordinates as the CRS of the points.
  private var projected: [Int: PointProjector.Columns?] = [:]

  /// The results of a killed run, which are read instead of the rasters; nil if the run cannot be
  /// resumed.
  private let resume: ResumableAnswers?

  /// - Parameters:
  ///   - only: the stack that is used; nil for all.
  ///   - keepsTiles: whether further rows need the same tiles.
  ///   - resume: the results of a killed run; nil if the run cannot be resumed.
  init(
    _ source: DatedSource, _ store: AnswerStore, only: Int? = nil, keepsTiles: Bool = false,
    workers: Workers, resume: ResumableAnswers? = nil
  ) {
    self.only = only
    (self.source, self.store, self.workers) = (source, store, workers)
    self.keepsTiles = keepsTiles || source.conditionIdentifier !== source.identifier
    self.resume = resume
    mask = source.condition.map { CellMask($0, workers: workers) }
  }

  /// The stacks that have files of a date.
  private struct Event {
    var date: Int64
    var slices: [(stack: Int, slice: Int)]
  }

  /// Computes the results of all rows.
  ///
  /// - Parameters:
  ///   - points: the points of the rows, with their times as in `RowTimes`.
  ///   - progress: called with the fraction that is done.
  func sample(_ points: PointSpool, progress: (Double) -> Void) throws {
    let events = events
    let steps = max(1, events.count * points.partCount)
    var done = 0
    for number in 0..<points.partCount {
      guard let times = try points.times(of: number) else { return }
      projected = [:]
      let part = DatedPart(
        source, store, try points.part(number), times: times, workers: workers)
      let groups = groups(of: part)
      for (index, rows) in groups.enumerated() {
        part.select(rows)
        var ahead = DateFetches()
        for (position, event) in events.enumerated() {
          try WorkCancellation.checkCurrent()
          fetch(events, after: position, part, &ahead)
          try answer(event, part)
          ahead.finish(position)
          // The last group completes a step.
          if index == groups.count - 1 { done += 1 }
          progress(Double(done) / Double(steps))
        }
      }
      for (stack, answer) in part.finish().enumerated() {
        try store.keep(answer, of: stack, part: number)
      }
    }
    projected = [:]
  }

  /// The rows of a part in groups that are processed one after the other.
  ///
  /// If a tile contains several dates of its cells, it is needed again for each date. The tiles of
  /// a group fit into the cache together, so that each is decoded once.
  private func groups(of part: DatedPart) -> [[UInt32]] {
    let stores = source.stacks.map(\.raster).filter(\.hasDatesTogether)
    guard let raster = stores.first, let profile = raster.members.first?.profile else {
      return [part.allRows]
    }
    func bytes(_ raster: Raster) -> Double {
      raster.members.first.map { Double($0.profile.tileByteCount(plane: 0)) } ?? 0
    }
    let grid = profile.grid
    let capacity = Double(source.identifier.sampler.cache.capacity) * 0.75
    let limit = max(1, Int(capacity / stores.reduce(0) { $0 + bytes($1) }))
    guard grid.tileCount > limit else { return [part.allRows] }
    let request = source.request(
      stack: source.stacks.firstIndex { $0.raster === raster } ?? 0, slice: 0)
    let reference = source.identifier.sampler.referenceIndices[request].first ?? 0
    let points = columns(reference, part.allRows, part)
    // Without a tile for each point, all rows form one group.
    guard let tiles = raster.nearestTiles(of: points.coordinates) else { return [part.allRows] }
    var groupOfTile: [Int: Int] = [:]
    for (number, tile) in Set(tiles).sorted().enumerated() { groupOfTile[tile] = number / limit }
    var groups = [[UInt32]](
      repeating: [], count: max(1, (groupOfTile.count + limit - 1) / limit))
    for (row, tile) in zip(part.allRows, tiles) { groups[groupOfTile[tile] ?? 0].append(row) }
    return groups
  }

  /// The dates of the stacks that are used, in ascending order.
  private var events: [Event] {
    var events: [Int64: Event] = [:]
    for (number, stack) in source.stacks.enumerated() where only ?? number == number {
      for (index, slice) in stack.slices.enumerated() {
        let date = slice.date.microseconds
        events[date, default: Event(date: date, slices: [])].slices.append((number, index))
      }
    }
    return events.values.sorted { $0.date < $1.date }
  }

  // MARK: Dates

  private func answer(_ event: Event, _ part: DatedPart) throws {
    if source.isFirstOnly {
      for (stack, slice) in event.slices { try answerNearest(event.date, stack, slice, part) }
    } else {
      try answerValid(event, part)
    }
  }

  /// Computes the results of the rows for which a date of a stack is the nearest.
  private func answerNearest(
    _ date: Int64, _ stack: Int, _ slice: Int, _ part: DatedPart
  ) throws {
    guard let range = source.times(of: date, stack, slice) else { return }
    let rows = part.rows(in: range)
    guard !rows.isEmpty else { return }
    source.note(stack: stack, slice: slice)
    let values = try sample(
      source.identifier, source.request(stack: stack, slice: slice), rows, part)
    part.accept(
      rows, values, at: nil, date, stack, source.stacks[stack].slices[slice].members,
      requiresValue: false)
  }

  /// Uses the valid values of a date for the rows to which this date is nearer than the date used
  /// so far. If there are collectors, passes the valid values to them instead.
  private func answerValid(_ event: Event, _ part: DatedPart) throws {
    let range = source.matching.times(
      of: event.date, previous: nil, next: nil, isFirstOnly: false)
    guard let range else { return }
    let stacks = event.slices.map(\.stack)
    let rows = part.candidates(in: range, event.date, stacks)
    guard !rows.isEmpty else { return }
    var inputs: [Int: RasterAnswer] = [:]
    var verdict: DatedPart.Verdict?
    if let mask, let condition = source.condition {
      for stack in source.conditionStacks {
        guard let slice = source.stacks[stack].index(of: event.date) else { return }
        source.note(stack: stack, slice: slice)
        inputs[stack] = try sample(
          source.conditionIdentifier, source.request(stack: stack, slice: slice), rows, part)
      }
      let cells = condition.usedVariables.compactMap { index -> CellInput? in
        let variable = source.variables[index]
        return inputs[variable.stack].map {
          CellInput(index, variable, $0.columns[variable.position])
        }
      }
      verdict = DatedPart.Verdict(mask.truths(cells, count: rows.count), cells.map(\.column))
    }
    for (stack, slice) in event.slices {
      let kept = part.kept(rows, verdict, event.date, stack)
      guard !kept.isEmpty else { continue }
      source.note(stack: stack, slice: slice)
      let members = source.stacks[stack].slices[slice].members
      if let known = inputs[stack], source.conditionIdentifier === source.identifier {
        let chosen = kept.map { rows[Int($0)] }
        part.accept(chosen, known, at: kept, event.date, stack, members, requiresValue: true)
      } else {
        let chosen = kept.map { rows[Int($0)] }
        let values = try sample(
          source.identifier, source.request(stack: stack, slice: slice), chosen, part)
        part.accept(chosen, values, at: nil, event.date, stack, members, requiresValue: true)
      }
    }
  }

  // MARK: Dates with files at URLs

  /// The tiles of later dates that are being fetched.
  private struct DateFetches {
    /// The first date whose tiles have not been requested.
    var next = 0
    private var fetches: [Int: [TileFetch]] = [:]

    /// The number of dates with tiles that are being fetched.
    var count: Int { fetches.count }

    mutating func add(_ some: [TileFetch], of date: Int) {
      if !some.isEmpty { fetches[date] = some }
    }

    mutating func finish(_ date: Int) { fetches[date] = nil }
  }

  /// Starts to fetch the tiles of dates whose files are at URLs, so that the requests for different
  /// dates do not wait for one another.
  private func fetch(
    _ events: [Event], after position: Int, _ part: DatedPart, _ ahead: inout DateFetches
  ) {
    // With a condition, the earlier dates determine which rows need a later date.
    let limit = source.isFirstOnly ? 16 : 4
    while ahead.next < events.count, ahead.next <= position + 64, ahead.count < limit {
      let event = events[ahead.next]
      var fetches: [TileFetch] = []
      for (stack, slice) in event.slices {
        fetches += self.fetches(event.date, stack, slice, source.identifier, part)
      }
      if !source.isFirstOnly {
        for stack in source.conditionStacks {
          guard source.conditionIdentifier !== source.identifier,
            let slice = source.stacks[stack].index(of: event.date)
          else { continue }
          fetches += self.fetches(event.date, stack, slice, source.conditionIdentifier, part)
        }
      }
      ahead.add(fetches, of: ahead.next)
      ahead.next += 1
    }
  }

  private func fetches(
    _ date: Int64, _ stack: Int, _ slice: Int, _ identifier: RasterIdentifier, _ part: DatedPart
  ) -> [TileFetch] {
    let request = source.request(stack: stack, slice: slice)
    let sampler = identifier.sampler
    let raster = sampler.requests[request].raster
    guard raster.members.contains(where: \.isRemote), !raster.hasDatesTogether,
      let range = source.times(of: date, stack, slice)
    else { return [] }
    let rows = part.rows(in: range)
    guard !rows.isEmpty else { return [] }
    let points = sampler.referenceIndices[request].map { columns($0, rows, part) }
    // The columns own the memory of the coordinates.
    return withExtendedLifetime(points) { sampler.prefetch(request, points.map(\.coordinates)) }
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
    _ identifier: RasterIdentifier, _ request: Int, _ rows: [UInt32], _ part: DatedPart
  ) throws -> RasterAnswer {
    let sampler = identifier.sampler
    let answer = sampler.makeAnswer(
      of: request, count: rows.count, keepsProvenance: store.keepsProvenance)
    let step = resume?.nextStep(request, rows)
    if let resume, var known = step, try resume.restore(&known, to: answer) { return answer }
    var points: [Int: PointProjector.Columns] = [:]
    for reference in Set(sampler.referenceIndices[request]) {
      points[reference] = columns(reference, rows, part)
    }
    // If values are interpolated, the condition reads the same tiles a second time. A tile with
    // several dates is needed for each of its dates.
    let keepsTiles =
      self.keepsTiles || sampler.requests[request].raster.hasDatesTogether
    sampler.sample(
      [request], Subset(points: points, count: rows.count, answer: answer), keepsTiles: keepsTiles)
    if let resume, let step { try resume.keep(answer, of: step) }
    return answer
  }

  /// The points of some rows in the CRS of a raster.
  private func columns(
    _ reference: Int, _ rows: [UInt32], _ part: DatedPart
  ) -> PointProjector.Columns {
    if projected[reference] == nil {
      projected[reference] = .some(
        source.identifier.columns(of: part.points, inReference: reference))
    }
    let known = projected[reference] ?? nil
    let points = known?.coordinates ?? part.points
    return points.columns(at: rows)
  }
}
