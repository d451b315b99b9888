import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// Searches cells around the points of rows without a valid date, in the order of their distance.
/// The dates of each cell are matched by the same rules as the dates at the points themselves.
final class NearbyCells {
  private let source: DatedSource
  private let store: AnswerStore
  /// The radius in micrometres.
  private let radius: Int64
  private let workers: Workers
  private let reference: SpatialReference
  private let toDegrees: Transformation
  /// The results of a killed run; nil if the run cannot be resumed.
  private let resume: ResumableAnswers?

  /// A row without a valid date.
  private struct Row {
    var number: Int
    /// The longitude and the latitude of its point.
    var point: SIMD2<Double>
    var time: Int64
  }

  /// The approximate number of cells that are tried together.
  private static let chunkSize = 1 << 20

  /// - Parameters:
  ///   - store: the results at the points themselves.
  ///   - radius: the radius in metres.
  ///   - resume: the results of a killed run; nil if the run cannot be resumed.
  /// - Throws: if the points have no CRS.
  init(
    _ source: DatedSource, _ store: AnswerStore, radius: Double, workers: Workers,
    resume: ResumableAnswers? = nil
  ) throws {
    guard let reference = source.identifier.reference, reference.isGeoreferenced else {
      throw PlumbError(
        messageTemplate: "\(.search) needs points and rasters with a CRS", code: .unsupported)
    }
    (self.source, self.store, self.workers) = (source, store, workers)
    self.radius = Int64((min(radius, 1e8) * CellLattice.precision).rounded())
    (self.reference, self.resume) = (reference, resume)
    toDegrees = try Transformation(from: reference, to: .wgs84)
  }

  /// Searches cells for all rows without a valid date, and records the distance of the cell of each
  /// result.
  ///
  /// - Parameter progress: called with the fraction that is done.
  func search(_ points: PointSpool, progress: (Double) -> Void) throws {
    let steps = Double(max(1, source.stacks.count * points.partCount))
    var done = 0.0
    for stack in source.stacks.indices {
      let lattices = try CellLattice.list(
        of: source.stacks[stack].raster, points: reference, workers)
      for part in 0..<points.partCount {
        guard let times = try points.times(of: part) else { return }
        let answer = try store.answer(of: stack, part: part)
        let rows = unanswered(answer, try points.part(part), times)
        try search(rows, stack, lattices, answer) { progress((done + $0) / steps) }
        try store.update(answer, of: stack, part: part)
        done += 1
      }
    }
  }

  /// Returns the rows without a valid date although a date is in the window. Sets the distance of
  /// each row: 0 if it has a value, and NaN otherwise.
  private func unanswered(
    _ answer: RasterAnswer, _ points: PointCoordinates, _ times: TrivialBuffer<Int64>
  ) -> [Row] {
    guard let dates = answer.dates, let distance = dates.distance?.base else { return [] }
    var rows: [Row] = []
    for row in 0..<points.count {
      let isAnswered = dates.time.base[row] != RowTimes.none
      let status = answer.status(at: row)
      distance[row] = isAnswered && status == .ok ? 0 : .nan
      guard !isAnswered, status == .noValid || status == .outside, dates.tried.base[row] > 0 else {
        continue
      }
      var (x, y) = (points.x[row], points.y[row])
      toDegrees.apply(x: &x, y: &y, count: 1)
      guard x.isFinite, y.isFinite, y.magnitude <= 90 else { continue }
      rows.append(Row(number: row, point: SIMD2(x, y), time: times.base[row]))
    }
    return rows
  }

  /// Searches in rings. The outer radius of each ring is about twice that of the previous one.
  ///
  /// - Parameter progress: called with the fraction of the area that is done.
  private func search(
    _ rows: [Row], _ stack: Int, _ lattices: [CellLattice], _ answer: RasterAnswer,
    _ progress: (Double) -> Void
  ) throws {
    guard !rows.isEmpty else { return }
    var rows = rows
    let width = lattices.compactMap { $0.cellWidth(at: rows[0].point) }.max() ?? .infinity
    var inner: Int64 = -1
    var outer = min(radius, Int64(min(2 * width * CellLattice.precision, 1e15)))
    while true {
      var left: [Row] = []
      var (start, size) = (0, 256)
      while start < rows.count {
        try WorkCancellation.checkCurrent()
        if resume != nil { size = ResumableAnswers.unitSize(size, of: rows.count) }
        let chunk = Array(rows[start..<min(rows.count, start + size)])
        let most = try resumed(chunk, stack, answer, &left) { left in
          let cells = try cells(around: chunk, lattices, farther: inner, within: outer)
          left += try answerRows(chunk, cells, stack, lattices, answer)
          return cells.map(\.count).max() ?? 0
        }
        start += chunk.count
        let share = Double(start) / Double(rows.count)
        let (hole, disc) = (Double(max(0, inner)), Double(outer))
        progress(
          (hole * hole + share * (disc * disc - hole * hole)) / (Double(radius) * Double(radius)))
        // The next rows are likely to have about as many cells.
        size = max(1, min(4 * size, Self.chunkSize / max(most, 1)))
      }
      guard outer < radius, !left.isEmpty else { return }
      // The rows have the same order whether they were searched or restored from a killed run.
      left.sort { $0.number < $1.number }
      (rows, inner) = (left, outer)
      outer = min(radius, 2 * outer + 1)
    }
  }

  /// Searches cells for some rows, or restores the results of a killed run if these are known.
  ///
  /// - Parameters:
  ///   - left: the rows without a valid date, to which such rows of the chunk are added.
  ///   - search: searches the cells, adds the rows without a valid date to its argument, and
  ///     returns the largest number of cells of a row.
  /// - Returns: the largest number of cells of a row.
  private func resumed(
    _ chunk: [Row], _ stack: Int, _ answer: RasterAnswer, _ left: inout [Row],
    _ search: (inout [Row]) throws -> Int
  ) throws -> Int {
    guard let resume else { return try search(&left) }
    var step = resume.nextStep(stack, chunk.map { UInt32($0.number) })
    let part = store.makeAnswer(of: stack, count: chunk.count)
    if try resume.restore(&step, to: part) {
      for (index, row) in chunk.enumerated() {
        part.copyRow(index, to: answer, at: row.number)
        if !Self.isAnswer(part, index) { left.append(row) }
      }
      return step.size
    }
    step.size = try search(&left)
    for (index, row) in chunk.enumerated() { answer.copyRow(row.number, to: part, at: index) }
    try resume.keep(part, of: step)
    return step.size
  }

  /// The cells in a ring around each point, in the order in which they are tried.
  private func cells(
    around rows: [Row], _ lattices: [CellLattice], farther inner: Int64, within outer: Int64
  ) throws -> [[CellLattice.Candidate]] {
    try workers.map(rows.count) { (worker, job) throws(PlumbError) in
      var found: [CellLattice.Candidate] = []
      for (number, lattice) in lattices.enumerated() {
        try lattice.candidates(
          around: rows[job].point, farther: inner, within: outer, number: Int32(number),
          worker: worker, into: &found)
      }
      found.sort(by: CellLattice.Candidate.precedes)
      return found
    }
  }

  /// Computes the results of rows from the first of their cells with a valid date.
  ///
  /// - Returns: the rows without such a cell.
  private func answerRows(
    _ rows: [Row], _ cells: [[CellLattice.Candidate]], _ stack: Int, _ lattices: [CellLattice],
    _ answer: RasterAnswer
  ) throws -> [Row] {
    var open = Array(rows.indices)
    var (start, size) = (0, 4)
    var exhausted: [Row] = []
    while !open.isEmpty {
      var points: [SIMD2<Double>] = []
      var times: [Int64] = []
      var first: [Int] = []
      for index in open {
        let tried = cells[index].dropFirst(start).prefix(size)
        first.append(points.count)
        points += centres(of: Array(tried), lattices)
        times += [Int64](repeating: rows[index].time, count: tried.count)
      }
      guard !points.isEmpty else { break }
      let found = try values(at: points, times, stack)
      var next: [Int] = []
      for (position, index) in open.enumerated() {
        let end = position + 1 < open.count ? first[position + 1] : points.count
        if let hit = (first[position]..<end).first(where: { Self.isAnswer(found, $0) }) {
          found.copyRow(hit, to: answer, at: rows[index].number)
          let cell = cells[index][start + hit - first[position]]
          let isRead = answer.status(at: rows[index].number) == .ok
          answer.dates?.distance?.base[rows[index].number] =
            isRead ? Double(cell.distance) / CellLattice.precision : .nan
        } else if cells[index].count > start + size {
          next.append(index)
        } else {
          exhausted.append(rows[index])
        }
      }
      (open, start, size) = (next, start + size, 2 * size)
    }
    return exhausted + open.map { rows[$0] }
  }

  /// Whether a cell has a valid date, or a date that cannot be read. In both cases, no cell farther
  /// away is used for the row.
  private static func isAnswer(_ answer: RasterAnswer, _ index: Int) -> Bool {
    answer.dates?.time.base[index] != RowTimes.none || answer.status(at: index) == .readError
  }

  private func centres(
    of cells: [CellLattice.Candidate], _ lattices: [CellLattice]
  ) -> [SIMD2<Double>] {
    guard lattices.count > 1 else { return lattices[0].centres(of: cells, worker: 0) }
    return cells.flatMap { lattices[Int($0.lattice)].centres(of: [$0], worker: 0) }
  }

  /// The values of a stack on the matching dates at some points.
  private func values(
    at points: [SIMD2<Double>], _ times: [Int64], _ stack: Int
  ) throws -> RasterAnswer {
    let columns = PointProjector.Columns(count: points.count)
    for (index, point) in points.enumerated() {
      (columns.x.base[index], columns.y.base[index]) = (point.x, point.y)
      let isUsable = point.x.isFinite && point.y.isFinite
      columns.status.base[index] =
        (isUsable ? SampleStatus.ok : .transformFailed).rawValue
    }
    return try withExtendedLifetime(columns) {
      let spool = PointSpool(of: columns.coordinates, times: times)
      let found = AnswerStore(
        store.sampler, rows: [0..<points.count], keepsProvenance: store.keepsProvenance,
        keepsDates: true, keepsDistances: true, limit: .max)
      try DatedRows(source, found, only: stack, keepsTiles: true, workers: workers)
        .sample(spool) { _ in }
      return try found.answer(of: stack, part: 0)
    }
  }
}
