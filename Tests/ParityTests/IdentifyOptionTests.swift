import Foundation
@testable import Plumb
@testable import PlumbService
import PlumbTestSupport
@testable import PlumbVerbs
import Testing

/// The options of `identify`, alone and in pairs, have the same outcome through every front end
/// that has them.
@Suite struct IdentifyOptionTests {
  private static func value(_ option: Setting) -> ParityRequest.Value? {
    switch option {
    case .layer: .text("clinics")
    case .whereClause: .text("BEDS > 50")
    case .tolerance: .text("2km")
    case .scale: .number("50000")
    case .maxResults: .number("3")
    case .popupsOnly, .scaled, .status, .strict: .flag
    case .band: .number("1")
    case .resampling: .text("bilinear")
    case .xColumn: .text("lon")
    case .yColumn: .text("lat")
    case .crs: .text("EPSG:4326")
    case .format: .text("jsonl")
    case .types: .text("text")
    case .date, .from: .text("2020-01-01")
    case .to: .text("2021-01-01")
    case .when: .text("when")
    case .match: .text("nearest")
    case .within: .text("16d")
    case .valid: .text("dem > 0")
    case .search: .text("100m")
    case .interpolate: .text("linear")
    case .reduce: .text("mean")
    case .series, .long: .flag
    default: nil
    }
  }

  /// The options that the tests do not set: the points and the map, which each front end receives in its
  /// own way; the numbers of layers, which only a server has; the cells of a raster, which a map does
  /// not have.
  private static let others: Set<Setting> = [.at, .map, .points, .layers, .pixel, .pixels]

  @Test func `each option has a value here`() {
    for part in [Identify.Part.points, .table, .mapPoint] {
      for option in Self.settings(part) where !Self.others.contains(option) {
        #expect(Self.value(option) != nil, "\(option)")
      }
    }
  }

  private static let bases: [[ParityRequest.Option]] = [
    [], [("layer", .text("clinics")), ("tolerance", .text("2km"))], [("layer", .text("dem"))],
    [("layer", .text("nope"))],
  ]

  private static let service = Result {
    Service(try ServiceCatalog(maps: [TestPaths.rasters + "/cape.json"], networks: [], .init()))
  }

  private static func front() throws -> ServiceFrontEnd {
    ServiceFrontEnd(
      service: try service.get(),
      points: try String(
        contentsOfFile: TestPaths.root + "/Tests/ParityTests/points.csv", encoding: .utf8))
  }

  /// The command builds its request itself.
  private static func checkCommand(_ cases: [ParityRequest], _ verb: VerbFrontEnd) throws {
    var random = SeededGenerator(seed: 38)
    let command = CommandFrontEnd(folder: TestPaths.root + "/Tests/ParityTests")
    for request in cases.shuffled(using: &random).prefix(20) {
      compareResult(try command.perform(request), "command", try verb.perform(request), request)
    }
  }

  private static func values(_ options: [Setting]) -> [(Setting, ParityRequest.Value)] {
    options.compactMap { option in value(option).map { (option, $0) } }
  }

  private static func settings(_ part: Identify.Part) -> [Setting] {
    part.options.options(of: part.frontEnd).map(\.option)
  }

  @Test func `options and their pairs have the same outcome at points`() throws {
    let served = Self.settings(.points).filter { $0 != .format }
    let ofC = Set(Self.settings(.mapPoint).map(\.rawValue) + ["crs"])
    let cases = ParityRequest.cases(
      .identify, Self.values(served), bases: Self.bases, points: ["18.86,-33.93", "18.425,-33.92"])
    let verb = try VerbFrontEnd()
    let library = try CFrontEnd()
    defer { library.close() }
    let front = try Self.front()
    var outcomes = 0
    for request in cases {
      let expected = try verb.perform(request)
      outcomes += expected.body == nil ? 0 : 1
      compareResult(try front.perform(request), "/api", expected, request)
      if request.options.allSatisfy({ ofC.contains($0.stem) }) {
        compareResult(library.perform(request), "C", expected, request)
      }
    }
    #expect(cases.count > 200 && outcomes > 60 && cases.count - outcomes > 60, "\(outcomes)")
    try Self.checkCommand(cases, verb)
  }

  @Test func `options and their pairs have the same outcome for tables`() throws {
    let cases = ParityRequest.cases(
      .sample, Self.values(Self.settings(.table)), bases: Self.bases)
    let verb = try VerbFrontEnd()
    let front = try Self.front()
    var outcomes = 0
    for request in cases {
      let expected = try verb.perform(request)
      outcomes += expected.body == nil ? 0 : 1
      compareResult(try front.perform(request), "/api", expected, request)
    }
    #expect(cases.count > 300 && outcomes > 80 && cases.count - outcomes > 60, "\(outcomes)")
    try Self.checkCommand(cases, verb)
  }
}
