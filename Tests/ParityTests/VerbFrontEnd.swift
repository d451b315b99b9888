import Foundation
import Plumb
import PlumbIO
import PlumbTestSupport
import PlumbVerbs
import Testing

/// A verb run in this process with the defaults of the command.
struct VerbFrontEnd: Sendable {
  let network: OpenedNetwork
  let map: OpenedMap

  init() throws {
    network = try OpenedNetwork.open(path: TestPaths.rasters + "/gas.json")
    let open: @Sendable () throws -> Map = {
      try Map.open(path: TestPaths.rasters + "/cape.json")
    }
    map = OpenedMap(
      try open(), cache: TileCache(capacity: RunContext.defaultCache), reopen: open)
  }

  func perform(_ request: ParityRequest) throws -> ParityResult {
    var result = ParityResult()
    let separator = request.verb == .trace ? "_" : "-"
    let text = Array("{\(request.members(separator: separator))}".utf8)
    guard case .object(let members) = try text.withUnsafeBytes({ try JSONTree($0) }) else {
      throw PlumbError("the options are not an object")
    }
    do {
      var warnings: Set<String> = []
      var context = RunContext(.command) {
        warnings.insert(ParityResult.plain($0.text(FrontEnd.library.spellings)))
      }
      context.isOnlyRun = false
      result.body = String(decoding: try run(request, members, &context), as: UTF8.self)
      result.warnings = warnings
    } catch {
      result.message = PlumbError.line(of: error).text(FrontEnd.command.spellings)
    }
    return result
  }

  private func run(
    _ parityRequest: ParityRequest, _ members: [String: JSONTree], _ context: inout RunContext
  ) throws -> [UInt8] {
    let sink = MemorySink()
    context.sink = sink
    switch parityRequest.verb {
    case .trace:
      var trace = Trace.Request()
      try Trace.options.read(members, into: &trace, by: .library)
      trace.format = trace.format ?? .json
      _ = try Trace.run(trace, on: network, in: context)
    case .identify:
      var request = Identify.Request()
      try Identify.options.read(members, into: &request, by: .service)
      request.rasters = ["map"]
      request.at = parityRequest.points.compactMap { point in
        NumberList.parse(point).map { SIMD2($0[0], $0[1]) }
      }
      request.format = "json"
      _ = try Identify.run(request, on: .map(map), in: context)
    case .sample:
      var request = Identify.Request()
      try Identify.options.read(members, into: &request, by: .service)
      request.rasters = ["map"]
      request.points = .file(TestPaths.root + "/Tests/ParityTests/points.csv")
      let folder = try TemporaryFolder()
      request.output = folder.path + "/rows"
      request.format = request.format ?? "csv"
      context.sink = nil
      _ = try Identify.run(request, on: .map(map), in: context)
      return try Array(Data(contentsOf: URL(fileURLWithPath: folder.path + "/rows")))
    case .buffer, .zonal: preconditionFailure("the command computes areas")
    }
    return sink.bytes
  }
}

/// Compares a front end's answer with the verb's.
func compareResult(
  _ result: ParityResult, _ name: String, _ expected: ParityResult, _ request: ParityRequest
) {
  let about = "\(name): \(request.testDescription): \(result.message) | \(expected.message)"
  #expect(result.body?.trimmed == expected.body?.trimmed, "\(about)")
  guard result.body != nil else {
    #expect(!result.message.isEmpty && !expected.message.isEmpty, "\(about)")
    return
  }
  // Warnings use the option names of the front end. Warnings about files are caused by other tests
  // in this process.
  func ownWarnings(_ warnings: Set<String>) -> Set<String> {
    warnings.filter { !ParityResult.isOfAnotherTest($0) }
  }
  let (found, wanted) = (ownWarnings(result.warnings), ownWarnings(expected.warnings))
  #expect(found.count == wanted.count, "\(about): \(found), \(wanted)")
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .newlines) }
}
