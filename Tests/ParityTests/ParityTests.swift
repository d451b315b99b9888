import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// A request has the same result in every front end, and an invalid request is an error in each of
/// them. The Python tests send the requests of `requests.jsonl` to the package and to the command.
@Suite struct ParityTests {
  private static let folder = TestPaths.root + "/Tests/ParityTests"
  private static let points = Result {
    try String(contentsOfFile: folder + "/points.csv", encoding: .utf8)
  }

  private static func requests(
    _ count: Int, seed: UInt64, _ make: (inout RequestGenerator) -> ParityRequest
  ) -> [ParityRequest] {
    var generator = RequestGenerator(seed: seed)
    return (0..<count).map { _ in make(&generator) }
  }

  private static let traces = requests(150, seed: 1) { $0.trace() }
  private static let atPoints = requests(80, seed: 2) { $0.identify() }
  private static let files = requests(35, seed: 3) { $0.sample() }
  private static let areas = requests(35, seed: 4) { $0.buffer() }

  /// The command's results. Several runs are executed at the same time.
  private static func outcomes(
    _ requests: [ParityRequest], _ command: CommandFrontEnd
  ) throws -> [ParityResult] {
    let outcomes = Mutex([Int: Result<ParityResult, any Error>]())
    DispatchQueue.concurrentPerform(iterations: requests.count) { index in
      let outcome = Result { try command.perform(requests[index]) }
      outcomes.withLock { $0[index] = outcome }
    }
    let all = outcomes.withLock { $0 }
    return try requests.indices.map { index in try #require(all[index]).get() }
  }

  private static let service = Result {
    Service(
      try ServiceCatalog(
        maps: [TestPaths.rasters + "/cape.json"], networks: [TestPaths.rasters + "/gas.json"],
        .init()))
  }

  /// Compares a result with the command's.
  private static func compare(
    _ outcome: ParityResult, _ name: String, with command: ParityResult, _ request: ParityRequest
  ) {
    #expect(
      (outcome.body == nil) == (command.body == nil),
      "\(name): \(request.testDescription): \(outcome.message) | \(command.message)")
    guard outcome.body != nil, command.body != nil else { return }
    #expect(outcome.body == command.body, "\(name): \(request.testDescription)")
    // GDAL's warnings are global to the process, so files of other tests cause some of them.
    let warnings = outcome.warnings.filter { !ParityResult.isOfAnotherTest($0) }
    #expect(
      warnings.symmetricDifference(command.warnings).isEmpty,
      "\(name): \(request.testDescription): \(warnings) | \(command.warnings)")
  }

  /// - Parameter answers: the results to compare with; nil for those of the command.
  private static func check(
    _ requests: [ParityRequest], with outcomes: [ParityResult]? = nil, includesC: Bool,
    minimumResults: Int
  ) throws {
    let command = try outcomes ?? self.outcomes(requests, CommandFrontEnd(folder: folder))
    let front = ServiceFrontEnd(service: try service.get(), points: try points.get())
    let cFrontEnd = includesC ? try CFrontEnd() : nil
    defer { cFrontEnd?.close() }
    for (request, expected) in zip(requests, command) {
      compare(try front.perform(request), "/api", with: expected, request)
      if let cFrontEnd { compare(cFrontEnd.perform(request), "C", with: expected, request) }
    }
    let count = command.count { $0.body != nil }
    #expect(count >= minimumResults, "\(count) answers")
    #expect(requests.count - count >= 5, "\(requests.count - count) errors")
  }

  @Test func `traces are the same`() throws {
    let verb = try VerbFrontEnd()
    try Self.check(
      Self.traces, with: Self.traces.map(verb.perform), includesC: true, minimumResults: 35)
  }

  @Test func `results at points are the same`() throws {
    try Self.check(Self.atPoints, includesC: true, minimumResults: 25)
  }

  @Test func `rows are the same`() throws {
    try Self.check(Self.files, includesC: false, minimumResults: 5)
  }

  @Test func `areas are the same`() throws {
    try Self.check(Self.areas, includesC: false, minimumResults: 5)
  }

  /// Writes the file if PLUMB_WRITE_REQUESTS is set in the environment.
  @Test func `the file for Python contains the requests`() throws {
    let all = Self.traces + Self.atPoints + Self.files + Self.areas
    let text = all.map { $0.json + "\n" }.joined()
    let path = Self.folder + "/requests.jsonl"
    if ProcessInfo.processInfo.environment["PLUMB_WRITE_REQUESTS"] != nil {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let expectedText = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      expectedText == text, "write it again: PLUMB_WRITE_REQUESTS=1 swift test --filter ParityTests"
    )
  }
}
