import PlumbCore

/// The points of a long batch part by part, and where the answers of each part are kept: what a
/// sampler goes through once for every share of a raster's tiles.
package protocol SampleParts {
  associatedtype Failure: Error
  /// How many parts there are.
  var partCount: Int { get }

  /// Requests of one group in lists whose answers for a part fit into memory together.
  func shares(of requests: [Int]) -> [[Int]]

  /// Gives `body` a part's points and the room for its answers, and keeps what it leaves there.
  ///
  /// - Parameters:
  ///   - part: from 0.
  ///   - references: those of the sampler's, by index, that the points are wanted in.
  ///   - requests: those whose answers are wanted; none when only the points are.
  ///   - isFirst: whether nothing of these answers is known yet.
  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool,
    _ body: (SamplePart) -> Void
  ) throws(Failure)
}

/// Some points of a batch, and their answers.
package struct SamplePart {
  /// The points in each reference that was wanted.
  package var points: [PointCoordinates]
  /// Which of them.
  package var range: Range<Int>
  /// The answers of each request that was wanted: rows as in `points`.
  package var answers: [RasterAnswer]

  package init(points: [PointCoordinates], range: Range<Int>, answers: [RasterAnswer]) {
    self.points = points
    self.range = range
    self.answers = answers
  }
}

/// Points and answers that are all in memory.
struct MemoryParts: SampleParts {
  typealias Failure = Never

  let coordinates: [PointCoordinates]
  let answers: [RasterAnswer]
  /// Points of a part.
  let limit: Int
  let goesOn: () -> Bool

  private var count: Int { coordinates.first?.count ?? 0 }

  var partCount: Int { (count + limit - 1) / limit }

  func shares(of requests: [Int]) -> [[Int]] { [requests] }

  func withPart(
    _ part: Int, references: [Int], requests: [Int], isFirst: Bool,
    _ body: (SamplePart) -> Void
  ) throws(Never) {
    guard goesOn() else { return }
    body(
      SamplePart(
        points: references.map { coordinates[$0] },
        range: part * limit..<min(count, (part + 1) * limit),
        answers: requests.map { answers[$0] }))
  }
}
