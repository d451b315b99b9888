import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import PlumbVerbs
import Testing

/// The options of `trace`, alone and in pairs, have the same outcome through every front end that
/// has them.
@Suite struct TraceOptionTests {
  private static let document =
    #"{"traceType":"isolation","traceLocations":[{"traceLocationType":"startingPoint","#
    + #""globalId":"M0054","terminalId":1}],"traceConfiguration":{"filterBarriers":"#
    + #"[{"name":"Category","type":"category","operator":"equal","value":"Isolating"}]}}"#

  private static func value(
    _ option: Setting, _ document: String
  ) -> ParityRequest.Value? {
    switch option {
    case .type: .text("isolation")
    case .start: .list(["M0054:Load"])
    case .barrier: .list(["V0049"])
    case .filterBarrier: .list(["V0045"])
    case .filterCategory: .text("Isolating")
    case .filter: .text("category('Isolating')")
    case .condition: .text("lifecyclestatus >= 0")
    case .inoperable: .list(["V0031"])
    case .oneWay: .text("open")
    case .includeIsolated, .segments, .shapes: .flag
    case .cost: .text("length")
    case .domain: .text("Pipeline")
    case .tier: .text("Pipe Distribution System")
    case .request: .file(document, json: Self.document)
    case .format: .text("geojson")
    default: nil
    }
  }

  /// Tests each option alone, each pair of options, and both together with a complete trace of two
  /// types.
  private static func cases(_ document: String) -> [ParityRequest] {
    let values = Trace.options.options(of: .library).map(\.option).compactMap { option in
      value(option, document).map { (option, $0) }
    }
    let bases: [[ParityRequest.Option]] = [
      [], [("type", .text("isolation")), ("start", .list(["M0054:Load"]))],
      [
        ("type", .text("shortest-path")), ("start", .list(["M0054:Load", "V0031"])),
        ("cost", .text("length")),
      ],
      [("type", .text("upstream")), ("start", .list(["M0054:Load"]))],
    ]
    return ParityRequest.cases(.trace, values, bases: bases)
  }

  @Test func `options and their pairs have the same outcome`() throws {
    let folder = try TemporaryFolder()
    let document = try folder.write("request.json", Self.document)
    let cases = Self.cases(document)
    let verb = try VerbFrontEnd()
    let library = try CFrontEnd()
    defer { library.close() }
    let service = ServiceFrontEnd(
      service: Service(
        try ServiceCatalog(maps: [], networks: [TestPaths.rasters + "/gas.json"], .init())),
      points: "")
    let served = Set(Trace.options.options(of: .service).map(\.option.rawValue))
    var outcomes = 0
    for request in cases {
      let expected = try verb.perform(request)
      outcomes += expected.body == nil ? 0 : 1
      compareResult(library.perform(request), "C", expected, request)
      if request.options.allSatisfy({ served.contains($0.stem) }) {
        compareResult(try service.perform(request), "/api", expected, request)
      }
    }
    #expect(cases.count > 400 && outcomes > 100 && cases.count - outcomes > 100, "\(outcomes)")
    // The command builds its request itself.
    var random = SeededGenerator(seed: 37)
    let command = CommandFrontEnd(folder: folder.path)
    let typed = Set(Trace.options.options(of: .command).map(\.option.rawValue))
    let possible = cases.filter { $0.options.allSatisfy { typed.contains($0.stem) } }
    for request in possible.shuffled(using: &random).prefix(30) {
      var spawned = request
      if !request.options.contains(where: { $0.stem == "format" }) {
        spawned.options.append(("format", .text("json")))
      }
      compareResult(
        try command.perform(spawned), "command", try verb.perform(request), request)
    }
  }

  /// A client must not name a file of the server.
  @Test func `a request to the server is JSON, not a path`() throws {
    var request = Trace.Request()
    #expect(throws: OptionViolation.self) {
      try Trace.options.read(["request": .text("/etc/passwd")], into: &request, by: .service)
    }
    #expect(request.request == nil)
  }
}
