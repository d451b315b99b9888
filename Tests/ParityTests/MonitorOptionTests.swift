import CPlumb
import Foundation
import Plumb
import PlumbC
import PlumbIO
import PlumbService
import PlumbTestSupport
import PlumbVerbs
import Testing

/// The options of `monitor`, alone and in pairs, have the same outcome in the verb, the command and
/// C; a server's monitor accepts the same options.
@Suite struct MonitorOptionTests {
  private typealias Option = (setting: Setting, json: String, arguments: [String])

  private static let track = TestPaths.rasters + "/walk.csv"

  /// Each option with a value, in JSON and as arguments.
  private static let options: [Option] = [
    (.whereClause, #""id <> 2""#, ["--where", "id <> 2"]),
    (.area, "[18.43,-33.99,18.434,-33.98]", ["--area", "18.43,-33.99,18.434,-33.98"]),
    (.rule, #""exit""#, ["--rule", "exit"]), (.buffer, "5", ["--buffer", "5"]),
    (.accuracy, "true", ["--accuracy"]),
    (
      .relationship, #""enter-intersects-and-exit-does-not-intersect""#,
      ["--relationship", "enter-intersects-and-exit-does-not-intersect"]
    ),
    (
      .feedFilter, #""$locationupdate.horizontalaccuracy < 5""#,
      ["--feed-filter", "$locationupdate.horizontalaccuracy < 5"]
    ),
    (.dwell, "20", ["--dwell", "20"]), (.cooldown, "60", ["--cooldown", "60"]),
    (.crossings, "true", ["--crossings"]), (.noInitial, "true", ["--no-initial"]),
    (.forget, "30", ["--forget", "30"]),
    (.message, #""$fencefeature.name + '!'""#, ["--message", "$fencefeature.name + '!'"]),
    (.name, #""walk""#, ["--name", "walk"]), (.explain, "true", ["--explain"]),
    (.maxAhead, "0.5", ["--max-ahead", "0.5"]), (.id, #""nope""#, ["--id", "nope"]),
    (.dwell, "-1", ["--dwell", "-1"]), (.forget, "0", ["--forget", "0"]),
  ]

  private static let fences: Option = (
    .fences, "[\"\(TestPaths.rasters)/garden_sections.geojson\"]",
    ["--fences", TestPaths.rasters + "/garden_sections.geojson"]
  )
  private static let region: Option = (
    .rasterFence, "[\"\(TestPaths.rasters)/dem: $value > 90\"]",
    ["--raster-fence", TestPaths.rasters + "/dem: $value > 90"]
  )

  private static let cases: [[Option]] = [[fences], [region], [fences, region], []].flatMap {
    base in
    var cases = [base]
    for (index, option) in options.enumerated() {
      cases.append(base + [option])
      // Pairs of options with each kind of fence.
      guard base.count == 1 else { continue }
      for other in options[..<index] where other.setting != option.setting {
        cases.append(base + [option, other])
      }
    }
    return cases
  }

  private static func json(_ options: [Option], _ frontEnd: FrontEnd) -> String {
    let members = options.map { option in
      // The option of C is the inverse of this option.
      let value = frontEnd == .library && option.setting == .noInitial ? "false" : option.json
      return "\"\(frontEnd.spelling(of: option.setting))\":\(value)"
    }
    return "{\(members.joined(separator: ","))}"
  }

  // MARK: Front ends

  private static func verb(_ options: [Option], _ folder: TemporaryFolder) -> String? {
    do {
      var request = Monitor.Request()
      let text = Array(json(options, .service).utf8)
      guard case .object(let members) = try text.withUnsafeBytes({ try JSONTree($0) }) else {
        return nil
      }
      try Monitor.options.read(members, into: &request, by: .service)
      let output = folder.path("events.jsonl")
      (request.feed, request.output, request.overwrites) = (track, output, true)
      _ = try Monitor.run(request, in: RunContext(.command) { _ in }) { _ in }
      return try String(contentsOfFile: output, encoding: .utf8)
    } catch {
      return nil
    }
  }

  private static func library(_ options: [Option]) -> String? {
    let ofFeed = Set(Monitor.Part.follow.options.options.map(\.option))
    let opening = options.filter { !ofFeed.contains($0.setting) }
    let feed = options.filter { ofFeed.contains($0.setting) }
    var handle: OpaquePointer?
    guard
      CPlumb.plumb_monitor_open(nil, json(opening, .library), nil, nil, &handle) == PLUMB_OK,
      let handle
    else { return nil }
    defer { _ = CPlumb.plumb_monitor_close(handle) }
    guard CPlumb.plumb_monitor_follow(handle, track, json(feed, .library), nil, nil) == PLUMB_OK
    else { return nil }
    var text = ""
    var more: CInt = 1
    while more == 1 {
      var lines: UnsafeMutablePointer<CChar>?
      guard CPlumb.plumb_monitor_next(handle, nil, nil, &more, &lines, nil, nil) == PLUMB_OK
      else { return nil }
      if let lines {
        text += String(cString: lines)
        CPlumb.plumb_free(lines)
      }
    }
    return text
  }

  /// Whether a server accepts the options.
  private static func isServed(_ options: [Option], _ folder: TemporaryFolder) throws -> Bool {
    let path = try folder.write("m.json", json(options, .service))
    return
      (try? LiveMonitor(
        name: "m", path: path, MonitorLimits(), Workers(count: 1), access: .anywhere)) != nil
  }

  @Test func `options and their pairs have the same outcome`() throws {
    let folder = try TemporaryFolder()
    var outcomes = 0
    for options in Self.cases {
      let expected = Self.verb(options, folder)
      outcomes += expected == nil ? 0 : 1
      let about = "\(options.flatMap(\.arguments))"
      #expect(Self.library(options) == expected, "C: \(about)")
      // The feed is unknown, and so is the entity column.
      guard !options.contains(where: { $0.setting == .id }) else { continue }
      #expect(try Self.isServed(options, folder) == (expected != nil), "/monitors: \(about)")
    }
    #expect(outcomes > 150 && Self.cases.count - outcomes > 50, "\(outcomes)")
    var random = SeededGenerator(seed: 39)
    for options in Self.cases.shuffled(using: &random).prefix(15) {
      let run = try ProgramRun(
        TestPaths.program("plumb"),
        ["monitor", "--feed", Self.track, "-q"] + options.flatMap(\.arguments))
      let expected = Self.verb(options, folder)
      #expect(run.status == 0 ? run.output == expected : expected == nil, "\(options)")
    }
  }
}
