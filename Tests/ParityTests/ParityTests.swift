import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// The same request gives the same answer through each front end, a bad one an error through each.
/// Those of Python are compared with the command's in its own tests.
@Suite struct ParityTests {
  private static let points = "name,lon,lat\na,18.6,-34.1\nb,18.42,-33.96\nc,nowhere,1\nd,2,48\n"

  private static func requests(
    _ count: Int, seed: UInt64, _ make: (inout RequestGenerator) -> ParityRequest
  ) -> [ParityRequest] {
    var generator = RequestGenerator(seed: seed)
    return (0..<count).map { _ in make(&generator) }
  }

  /// The command's answers, a few runs at once.
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
    #expect(
      answer.warnings.symmetricDifference(command.warnings).isEmpty,
      "\(name): \(request.testDescription): \(answer.warnings) | \(command.warnings)")
  }

  private static func check(
    _ requests: [ParityRequest], asksC: Bool, leastAnswers: Int
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("points.csv", points)
    let command = try answers(requests, CommandFrontEnd(folder: folder.path))
    let front = ServiceFrontEnd(service: try service.get(), points: points)
    let ownC = asksC ? try CFrontEnd() : nil
    defer { ownC?.close() }
    for (request, expected) in zip(requests, command) {
      compare(try front.answer(request), "/api", with: expected, request)
      if let ownC { compare(ownC.answer(request), "C", with: expected, request) }
    }
    let count = command.count { $0.body != nil }
    #expect(count >= leastAnswers, "\(count) answers")
    #expect(requests.count - count >= 5, "\(requests.count - count) errors")
  }

  @Test func traces() throws {
    try Self.check(
      Self.requests(150, seed: 1) { $0.trace() }, asksC: true, leastAnswers: 35)
  }

  @Test func points() throws {
    try Self.check(
      Self.requests(80, seed: 2) { $0.identify() }, asksC: true, leastAnswers: 25)
  }

  @Test func files() throws {
    try Self.check(
      Self.requests(35, seed: 3) { $0.sample() }, asksC: false, leastAnswers: 5)
  }

  @Test func areas() throws {
    try Self.check(
      Self.requests(35, seed: 4) { $0.buffer() }, asksC: false, leastAnswers: 5)
  }
}
