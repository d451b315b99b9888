import PlumbCore
import PlumbLayers
import PlumbRaster

/// Samples the rasters one after the other, each for all rows of a run or for as many rows as fit
/// into memory.
final class StackedRows: SampleParts {
  typealias Failure = any Error

  private let identifier: RasterIdentifier
  private let points: PointSpool
  private let limits: RowLimits
  private let workers: Workers
  /// The results of a killed run, which are read instead of the rasters; nil if the run cannot be
  /// resumed.
  private let resume: ResumableAnswers?
  /// The results, which are complete after `sample` has returned.
  let answers: AnswerStore
  /// The points in each CRS of the current group of rasters, by the index of the CRS; nil if points
  /// have the same coordinates in this CRS as in the CRS of the points.
  private var projected: [Int: PointSpool?] = [:]

  /// - Parameters:
  ///   - points: the points of all rows, in the CRS of the points.
  ///   - resume: the results of a killed run; nil if the run cannot be resumed.
  init(
    _ identifier: RasterIdentifier, points: PointSpool, keepsProvenance: Bool, limits: RowLimits,
    workers: Workers, resume: ResumableAnswers? = nil
  ) {
    (self.workers, self.resume) = (workers, resume)
    self.identifier = identifier
    self.points = points
    self.limits = limits
    answers = AnswerStore(
      identifier.sampler, rows: (0..<points.partCount).map { points.rows(of: $0) },
      keepsProvenance: keepsProvenance, limit: limits.answerBytes)
  }

  /// Reads all rasters, each for all rows.
  ///
  /// - Parameters:
  ///   - keepsTiles: whether following rows may need the same tiles.
  ///   - progress: called with the fraction of rasters that are done.
  func sample(keepsTiles: Bool, progress: (Double) -> Void) throws {
    let sampler = identifier.sampler
    // Points are transformed once for all rasters with the same CRS.
    let groups = sampler.groups.sorted {
      let (first, second) = (sampler.referenceIndices[$0[0]], sampler.referenceIndices[$1[0]])
      return first.lexicographicallyPrecedes(second)
    }
    var done = 0
    for group in groups {
      let references = sampler.referenceIndices[group[0]]
      projected = projected.filter { references.contains($0.key) }
      if isOrderedByTile(group) {
        try StoreSeries(
          identifier: identifier, points: points, workers: workers, limit: limits.answerBytes
        ).sample(group, into: answers)
        done += group.count
        progress(Double(done) / Double(sampler.requests.count))
        continue
      }
      for unit in resume?.units(of: group, sampler.requests.count) ?? [group] {
        if try resume?.restore(unit, to: answers) != true {
          try sampler.sample(unit, self, keepsTiles: keepsTiles)
          try resume?.keep(unit, of: answers)
        }
        done += unit.count
        progress(Double(done) / Double(sampler.requests.count))
      }
    }
    projected = [:]
  }

  /// Whether the points of a group are read in the order of their tiles. This is the case if tiles
  /// contain several dates and the results do not fit into memory. In the order of rows, the
  /// requests would be read in shares whose results fit into memory, and each share would decode
  /// all tiles again.
  private func isOrderedByTile(_ group: [Int]) -> Bool {
    let sampler = identifier.sampler
    return resume == nil && sampler.resampling == .nearest
      && group.allSatisfy { sampler.requests[$0].raster.hasDatesTogether }
      && shares(of: group).count > points.partCount
  }

  // MARK: SampleParts

  var partCount: Int { points.partCount }

  func shares(of requests: [Int]) -> [[Int]] {
    let limit = limits.answerBytes / 2
    let rows = points.rows(of: 0).count
    var shares: [[Int]] = []
    var bytes = 0
    for request in requests {
      let size = answers.rowBytes(of: request) * rows
      if shares.isEmpty || bytes + size > limit {
        shares.append([])
        bytes = 0
      }
      shares[shares.count - 1].append(request)
      bytes += size
    }
    return shares
  }

  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool, _ body: (SamplePart) -> Void
  ) throws(any Error) {
    let count = points.rows(of: part).count
    for reference in references where projected[reference] == nil { try project(reference) }
    let coordinates = try references.map {
      try ((projected[$0] ?? nil) ?? points).part(part)
    }
    let targets = try requests.map {
      isFirst ? answers.makeAnswer(of: $0, count: count) : try answers.answer(of: $0, part: part)
    }
    body(SamplePart(points: coordinates, range: 0..<count, answers: targets))
    for (request, answer) in zip(requests, targets) {
      try answers.keep(answer, of: request, part: part)
    }
  }

  private func project(_ reference: Int) throws {
    func columns(_ part: Int) throws -> PointProjector.Columns? {
      identifier.columns(of: try points.part(part), inReference: reference)
    }
    if points.partCount == 1 {
      projected[reference] = .some(try columns(0).map { PointSpool(of: $0) })
      return
    }
    var spool: PointSpool?
    for number in 0..<points.partCount {
      guard let columns = try columns(number) else { break }
      let target = spool ?? PointSpool(size: max(1, points.rows(of: 0).count))
      spool = target
      try withExtendedLifetime(columns) { try target.append(columns.coordinates) }
    }
    projected[reference] = .some(spool)
  }
}
