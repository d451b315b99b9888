import PlumbCore

/// A long batch of points, divided into parts, and the storage for each part's answers. For each
/// share of a raster's tiles, a sampler iterates over all parts.
package protocol SampleParts {
  associatedtype Failure: Error
  /// The number of parts.
  var partCount: Int { get }

  /// Divides the requests of one group into lists, such that the answers to the requests of one
  /// list for one part fit into memory together.
  func shares(of requests: [Int]) -> [[Int]]

  /// Calls `body` with a part's points and the memory for its answers, and stores the answers
  /// afterwards.
  ///
  /// - Parameters:
  ///   - part: the part, from 0.
  ///   - references: the indices of the sampler's CRSs in which the points are needed.
  ///   - requests: the requests whose answers are needed; empty if only the points are needed.
  ///   - isFirst: whether nothing has been written to these answers yet.
  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool,
    _ body: (SamplePart) -> Void
  ) throws(Failure)
}

/// Some points of a batch, and their answers.
package struct SamplePart {
  /// The points in each requested CRS.
  package var points: [PointCoordinates]
  /// The range of the part's points in `points`.
  package var range: Range<Int>
  /// The answers to the requests. Row `i` of an answer is point `i` of `points`.
  package var answers: [RasterAnswer]

  package init(points: [PointCoordinates], range: Range<Int>, answers: [RasterAnswer]) {
    self.points = points
    self.range = range
    self.answers = answers
  }
}

/// The parts of a batch whose points and answers are all in memory.
struct MemoryParts: SampleParts {
  typealias Failure = Never

  let coordinates: [PointCoordinates]
  let answers: [RasterAnswer]
  /// The number of points per part.
  let limit: Int
  let shouldContinue: () -> Bool

  private var count: Int { coordinates.first?.count ?? 0 }

  var partCount: Int { (count + limit - 1) / limit }

  func shares(of requests: [Int]) -> [[Int]] { [requests] }

  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool,
    _ body: (SamplePart) -> Void
  ) throws(Never) {
    guard shouldContinue() else { return }
    body(
      SamplePart(
        points: references.map { coordinates[$0] },
        range: part * limit..<min(count, (part + 1) * limit),
        answers: requests.map { answers[$0] }))
  }
}
