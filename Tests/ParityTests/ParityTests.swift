import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// A request gives the same answer through each front end, and a bad request an error through each.
/// Python's tests send the requests of `requests.jsonl` to the package and to the command.
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

  /// The command's answers, with several runs at the same time.
  private static func answers(
    _ requests: [ParityRequest], _ command: CommandFrontEnd
  ) throws -> [ParityAnswer] {
    let answers = Mutex([Int: Result<ParityAnswer, any Error>]())
    DispatchQueue.concurrentPerform(iterations: requests.count) { index in
      let answer = Result { try command.answer(requests[index]) }
      answers.withLock { $0[index] = answer }
    }
    let all = answers.withLock { $0 }
    return try requests.indices.map { index in try #require(all[index]).get() }
  }

  private static let service = Result {
    Service(
      try ServiceCatalog(
        maps: [TestPaths.rasters + "/cape.json"], networks: [TestPaths.rasters + "/gas.json"],
        .init()))
  }

  /// Compares an answer with the command's.
  private static func compare(
    _ answer: ParityAnswer, _ name: String, with command: ParityAnswer, _ request: ParityRequest
  ) {
    #expect(
      (answer.body == nil) == (command.body == nil),
      "\(name): \(request.testDescription): \(answer.message) | \(command.message)")
    guard answer.body != nil, command.body != nil else { return }
    #expect(answer.body == command.body, "\(name): \(request.testDescription)")
    // GDAL's warnings are process-wide: files of other tests cause some of them.
    let warnings = answer.warnings.filter { !$0.hasPrefix(ParityAnswer.otherFiles) }
    #expect(
      warnings.symmetricDifference(command.warnings).isEmpty,
      "\(name): \(request.testDescription): \(warnings) | \(command.warnings)")
  }

  /// - Parameter answers: the answers to compare with; nil for those of the command.
  private static func check(
    _ requests: [ParityRequest], with answers: [ParityAnswer]? = nil, asksC: Bool,
    minimumAnswers: Int
  ) throws {
    let command = try answers ?? self.answers(requests, CommandFrontEnd(folder: folder))
    let front = ServiceFrontEnd(service: try service.get(), points: try points.get())
    let ownC = asksC ? try CFrontEnd() : nil
    defer { ownC?.close() }
    for (request, expected) in zip(requests, command) {
      compare(try front.answer(request), "/api", with: expected, request)
      if let ownC { compare(ownC.answer(request), "C", with: expected, request) }
    }
    let count = command.count { $0.body != nil }
    #expect(count >= minimumAnswers, "\(count) answers")
    #expect(requests.count - count >= 5, "\(requests.count - count) errors")
  }

  @Test func `traces are the same`() throws {
    let verb = try VerbFrontEnd()
    try Self.check(
      Self.traces, with: Self.traces.map(verb.answer), asksC: true, minimumAnswers: 35)
  }

  @Test func `results at points are the same`() throws {
    try Self.check(Self.atPoints, asksC: true, minimumAnswers: 25)
  }

  @Test func `rows are the same`() throws {
    try Self.check(Self.files, asksC: false, minimumAnswers: 5)
  }

  @Test func `areas are the same`() throws {
    try Self.check(Self.areas, asksC: false, minimumAnswers: 5)
  }

  /// Writes the file if PLUMB_WRITE_REQUESTS is set in the environment.
  @Test func `the file for Python contains the requests`() throws {
    let all = Self.traces + Self.atPoints + Self.files + Self.areas
    let text = all.map { $0.json + "\n" }.joined()
    let path = Self.folder + "/requests.jsonl"
    if ProcessInfo.processInfo.environment["PLUMB_WRITE_REQUESTS"] != nil {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let held = try String(contentsOfFile: path, encoding: .utf8)
    #expect(held == text, "write it again: PLUMB_WRITE_REQUESTS=1 swift test --filter ParityTests")
  }
}
