import Foundation
import Plumb
import PlumbIO
import PlumbTestSupport
import PlumbVerbs

/// A verb run in this process with the defaults of the command.
struct VerbFrontEnd: Sendable {
  let network: OpenedNetwork

  init() throws {
    network = try OpenedNetwork.open(path: TestPaths.rasters + "/gas.json")
  }

  func answer(_ request: ParityRequest) throws -> ParityAnswer {
    precondition(request.verb == .trace, "other verbs are not moved yet")
    var answer = ParityAnswer()
    let text = Array("{\(request.members(separator: "_"))}".utf8)
    guard case .object(let members) = try text.withUnsafeBytes({ try JSONTree($0) }) else {
      throw PlumbError("the options are not an object")
    }
    do {
      var trace = Trace.Request()
      try Trace.options.read(members, into: &trace, by: .library)
      trace.format = trace.format ?? .json
      let sink = MemorySink()
      var warnings: Set<String> = []
      var context = RunContext(.command) {
        warnings.insert(ParityAnswer.plain($0.text(FrontEnd.library.spellings)))
      }
      context.sink = sink
      _ = try Trace.run(trace, on: network, in: context)
      answer.body = String(decoding: sink.bytes, as: UTF8.self)
      answer.warnings = warnings
    } catch {
      answer.message = PlumbError.line(of: error).text(FrontEnd.command.spellings)
    }
    return answer
  }
}
