import PlumbCore
import PlumbIO
import PlumbRaster

/// The results of rasters in a resume folder. A killed run leaves its results there, and the next run adds
/// further results.
final class ResumableAnswers {
  private let folder: ResumeFolder
  private let number: UInt64
  private var count: UInt64 = 0

  /// The minimum number of units into which the requests of a run are divided, if there are as many
  /// requests.
  private static let unitCount = 25

  /// - Parameter number: distinguishes the stores of a run.
  init(_ folder: ResumeFolder, number: UInt64) { (self.folder, self.number) = (folder, number) }

  private func key(_ part: Int, _ request: Int) -> UInt64 {
    number << 56 | UInt64(part) << 32 | UInt64(request)
  }

  // MARK: Requests

  /// Divides requests into units. The requests of a unit are read together, and each unit is a small part of
  /// the work.
  ///
  /// - Parameter total: the number of all requests.
  func units(of requests: [Int], _ total: Int) -> [[Int]] {
    let size = max(1, total / Self.unitCount)
    return stride(from: 0, to: requests.count, by: size).map {
      Array(requests[$0..<min(requests.count, $0 + size)])
    }
  }

  /// Copies the stored results of requests to `store`.
  ///
  /// - Returns: false if no result is stored for a request.
  func restore(_ requests: [Int], to store: AnswerStore) throws -> Bool {
    let parts = store.parts
    guard
      parts.indices.allSatisfy({ part in requests.allSatisfy { folder.has(key(part, $0)) } })
    else { return false }
    for (part, rows) in parts.enumerated() {
      for request in requests {
        let answer = store.makeAnswer(of: request, count: rows.count)
        guard try folder.restore(key(part, request), into: Self.memory(answer)) else {
          return false
        }
        try store.keep(answer, of: request, part: part)
      }
    }
    return true
  }

  /// Adds the results of requests, except results with cells that could not be read. The next run tries again
  /// to read these cells.
  func keep(_ requests: [Int], of store: AnswerStore) throws {
    // Cancelled work has no results.
    try WorkCancellation.checkCurrent()
    for part in store.parts.indices {
      for request in requests {
        let answer = try store.answer(of: request, part: part)
        if Self.isRead(answer) {
          try folder.keep(Self.memory(answer), as: key(part, request))
        }
      }
    }
  }

  /// Whether all cells of a result could be read.
  private static func isRead(_ answer: RasterAnswer) -> Bool {
    answer.columns.allSatisfy { column in
      let statuses = UnsafeBufferPointer(start: column.status.base, count: column.count)
      return !statuses.contains(SampleStatus.readError.rawValue)
    }
  }

  /// The number of rows that are processed together, so that they are a small part of the work.
  ///
  /// - Parameter total: the number of all rows.
  static func unitSize(_ size: Int, of total: Int) -> Int { min(size, max(1, total / unitCount)) }

  // MARK: Steps

  /// One request at some rows, in a run whose steps depend on each other.
  struct Step {
    fileprivate let key: UInt64
    /// A checksum of the request and its rows, which shows that a stored result belongs to the step.
    fileprivate let sum: UInt64
    /// A number that is stored with the result for the following steps.
    var size = 0
  }

  /// The next step of a run.
  func nextStep(_ request: Int, _ rows: [UInt32]) -> Step {
    count += 1
    let sum =
      UInt64(rows.withUnsafeBytes { ZlibPacking.checksum($0) }) << 32
      | UInt64(truncatingIfNeeded: request)
    return Step(key: number << 56 | count, sum: sum)
  }

  /// Sets a result and the size of a step to the stored values.
  ///
  /// - Returns: false if the result is unknown.
  func restore(_ step: inout Step, to answer: RasterAnswer) throws -> Bool {
    let known = TrivialBuffer<UInt64>(count: 2, zeroed: true)
    return try withExtendedLifetime(known) {
      guard try folder.restore(step.key, into: Self.memory(known) + Self.memory(answer)),
        known.base[0] == step.sum
      else { return false }
      step.size = Int(truncatingIfNeeded: known.base[1])
      return true
    }
  }

  /// Adds the result of a step, unless some of its cells could not be read. The next run tries again to read
  /// these cells.
  func keep(_ answer: RasterAnswer, of step: Step) throws {
    try WorkCancellation.checkCurrent()
    guard Self.isRead(answer) else { return }
    let sum = TrivialBuffer([step.sum, UInt64(step.size)])
    try withExtendedLifetime(sum) {
      try folder.keep(Self.memory(sum) + Self.memory(answer), as: step.key)
    }
  }

  private static func memory(_ words: TrivialBuffer<UInt64>) -> [UnsafeMutableRawBufferPointer] {
    [UnsafeMutableRawBufferPointer(start: words.base, count: 8 * words.count)]
  }

  private static func memory(_ answer: RasterAnswer) -> [UnsafeMutableRawBufferPointer] {
    AnswerStore.memory(answer).map(\.bytes)
  }
}
