import Foundation
@testable import Plumb
@testable import PlumbIO
import PlumbTestSupport
@testable import PlumbVerbs
import Testing

/// Compares each option table with its request, with the command, and with the allowed JSON
/// members.
@Suite struct OptionTableTests {
  /// Checks the table of a request that can be made without values.
  private static func checkFields<Request: Equatable>(
    _ table: OptionTable<Request>, _ empty: Request
  ) {
    let fields = Mirror(reflecting: empty).children.compactMap(\.label)
    #expect(table.options.count == fields.count, "\(fields)")
    #expect(Set(table.options.map(\.option)).count == fields.count)
    for option in table.options {
      #expect(!option.help.description.isEmpty && !option.group.isEmpty)
      #expect(option.values(empty).isEmpty, "\(option.option)")
      #expect(option.missing.count < FrontEnd.allCases.count, "\(option.option)")
      for reason in option.missing.values { #expect(!reason.isEmpty) }
      for reason in option.missingWords.values.flatMap(\.values) { #expect(!reason.isEmpty) }
      // A client must not name a file of the server.
      if [.path, .picture].contains(option.kind) {
        #expect(!option.isOffered(by: .service), "\(option.option)")
      }
    }
  }

  @Test func `each field has an option and each option has a field`() {
    Self.checkFields(Trace.options, Trace.Request())
    Self.checkFields(Buffer.options, Buffer.Request())
    Self.checkFields(Identify.options, Identify.Request())
    Self.checkFields(Monitor.options, Monitor.Request())
    Self.checkFields(Info.options, Info.Request())
    Self.checkFields(Draw.options, Draw.Request())
    Self.checkFields(Eval.options, Eval.Request())
    Self.checkFields(Locate.options, Locate.Request())
    Self.checkFields(Zonal.options, Zonal.Request())
    Self.checkFields(Stack.options, Stack.Request())
  }

  /// The arguments of the command that do not belong to a request, for all verbs or for one verb.
  private static let commandArguments: Set<String> = [
    "--help", "--version", "--quiet", "--encoding", "--allow-outside", "--allow-host", "--token",
    // These verbs add the explanation to the run, not to the request.
    "identify --explain", "trace --explain",
    // The hidden former name of --feed-filter.
    "monitor --filter",
  ]

  /// The arguments of a verb, from its help.
  private static func arguments(of verb: String) throws -> [[String: Any]] {
    let run = try ProgramRun(TestPaths.program("plumb"), [verb, "--experimental-dump-help"])
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let command = try #require(root["command"] as? [String: Any])
    return try #require(command["arguments"] as? [[String: Any]])
  }

  /// Whether an argument of the command is an option of a table.
  private static func isOption(_ argument: [String: Any], _ option: Setting) -> Bool {
    spellings(of: argument).contains(FrontEnd.command.spelling(of: option))
      || isPositional(argument, option)
  }

  private static func spellings(of argument: [String: Any]) -> [String] {
    let names = argument["names"] as? [[String: Any]] ?? []
    return names.compactMap { $0["name"] as? String }.flatMap { ["-" + $0, "--" + $0] }
  }

  private static func isPositional(_ argument: [String: Any], _ option: Setting) -> Bool {
    argument["kind"] as? String == "positional"
      && argument["valueName"] as? String == option.rawValue
  }

  private static func checkCommand<Request>(
    _ verb: String, _ table: OptionTable<Request>
  ) throws {
    let arguments = try arguments(of: verb)
    for option in table.options(of: .command) {
      let stem = FrontEnd.command.spelling(of: option.option)
      let argument = try #require(
        arguments.first { isOption($0, option.option) }, "\(verb) \(stem)")
      checkArgument(argument, option, help: table.help(of: option.option, for: .command))
    }
    for argument in arguments {
      let isKnown = table.options(of: .command).contains { isOption(argument, $0.option) }
      let isOfCommand = spellings(of: argument).contains {
        commandArguments.contains($0) || commandArguments.contains("\(verb) \($0)")
      }
      // A table or the list above has the argument, but not both.
      #expect(isKnown != isOfCommand, "\(verb) \(argument["valueName"] as? String ?? "")")
    }
  }

  private static func checkArgument<Request>(
    _ argument: [String: Any], _ option: VerbOption<Request>, help: String
  ) {
    let stem = FrontEnd.command.spelling(of: option.option)
    #expect(argument["abstract"] as? String == help)
    if !isPositional(argument, option.option) {
      #expect(argument["sectionTitle"] as? String == option.group, "\(stem)")
    }
    #expect((argument["kind"] as? String == "flag") == (option.kind == .flag), "\(stem)")
    #expect(argument["allValues"] as? [String] ?? [] == option.words(of: .command), "\(stem)")
    if !option.valueName.isEmpty {
      #expect(argument["valueName"] as? String == option.valueName, "\(stem)")
    }
    let repeats = [.texts, .points, .numbers].contains(option.kind) || option.option == .band
    #expect(argument["isRepeating"] as? Bool == repeats, "\(stem)")
    // The command passes only the given options to the request, so that the verb selects the default.
    // The help contains the default of the table.
    #expect(argument["defaultValue"] as? String == nil, "\(stem)")
    if case .text(let word)? = option.defaultValue, !word.isEmpty {
      let parts = help.split(separator: "Default: ", maxSplits: 1)
      #expect(parts.count == 2 && parts[1].contains(word), "\(stem)")
    }
  }

  @Test func `the command has the options of the tables`() throws {
    try Self.checkCommand("trace", Trace.options)
    try Self.checkCommand("buffer", Buffer.options)
    try Self.checkCommand("identify", Identify.options)
    try Self.checkCommand("monitor", Monitor.options)
    try Self.checkCommand("info", Info.options)
    try Self.checkCommand("draw", Draw.options)
    try Self.checkCommand("eval", Eval.options)
    try Self.checkCommand("zonal", Zonal.options)
    try Self.checkCommand("stack", Stack.options)
  }

  private static func checkReading<Request: Equatable>(
    _ table: OptionTable<Request>, _ empty: Request, _ frontEnd: FrontEnd
  ) throws {
    for option in table.options(of: frontEnd) {
      var request = empty
      let name = frontEnd.spelling(of: option.option)
      let violation = #expect(throws: OptionViolation.self) {
        try table.read([name: .list([.list([])])], into: &request, by: frontEnd)
      }
      #expect(violation?.messageTemplate.settings.first == option.option)
      #expect(request == empty)
      try table.read([name: .null], into: &request, by: frontEnd)
      #expect(request == empty)
    }
  }

  @Test(arguments: [FrontEnd.library, .service])
  func `values of the wrong kind and unknown options are refused`(frontEnd: FrontEnd) throws {
    try Self.checkReading(Trace.options, Trace.Request(), frontEnd)
    try Self.checkReading(Buffer.options, Buffer.Request(), frontEnd)
    try Self.checkReading(Identify.options, Identify.Request(), frontEnd)
    try Self.checkReading(Monitor.options, Monitor.Request(), frontEnd)
    try Self.checkReading(Info.options, Info.Request(), frontEnd)
    var request = Trace.Request()
    let unknown = #expect(throws: OptionViolation.self) {
      try Trace.options.read(["strat": .text("A")], into: &request, by: frontEnd)
    }
    #expect(unknown?.message == "unknown option strat; did you mean start?")
  }

  private static func checkTables<Request: Equatable>(
    _ table: OptionTable<Request>, _ empty: Request
  ) {
    for frontEnd in [FrontEnd.library, .service] {
      for name in ["output", "table", "append", "overwrite"] {
        var request = empty
        let violation = #expect(throws: OptionViolation.self) {
          try table.read([name: .text("t")], into: &request, by: frontEnd)
        }
        let message = violation?.message ?? ""
        #expect(message.hasPrefix("\(name) is not an option here: "), "\(message)")
      }
    }
  }

  @Test func `only the command writes tables of databases`() {
    Self.checkTables(Trace.options, Trace.Request())
    Self.checkTables(Buffer.options, Buffer.Request())
    Self.checkTables(Identify.options, Identify.Request())
    Self.checkTables(Monitor.options, Monitor.Request())
    Self.checkTables(Zonal.options, Zonal.Request())
  }

  @Test func `the options of a table are those of a database`() {
    func monitor(_ change: (inout Monitor.Request) -> Void) -> String? {
      var request = Monitor.Request()
      (request.feed, request.fences, request.outputTable) = ("-", .files(["f"]), "t")
      request.output = "PG:dbname=town"
      change(&request)
      return Monitor.options.violation(of: request, by: .command)?.messageTemplate
        .text(FrontEnd.command.spellings)
    }
    func trace(_ change: (inout Trace.Request) -> Void) -> String? {
      var request = Trace.Request(.upstream)
      (request.network, request.starts, request.outputTable) = ("n", ["a"], "t")
      request.output = "PG:dbname=town"
      change(&request)
      return Trace.options.violation(of: request, by: .command)?.messageTemplate
        .text(FrontEnd.command.spellings)
    }
    #expect(monitor { _ in } == nil && trace { _ in } == nil)
    #expect(monitor { $0.appends = true } == nil && trace { $0.appends = true } == nil)
    let database = "--table needs -o with the address of a database"
    #expect(monitor { $0.output = nil } == database && trace { $0.output = nil } == database)
    let format = "--of cannot be combined with --table: a format is for files"
    #expect(monitor { $0.format = .gpkg } == format && trace { $0.format = .gpkg } == format)
    let modes = "--append cannot be combined with --overwrite: give one of them"
    #expect(monitor { ($0.appends, $0.overwrites) = (true, true) } == modes)
    #expect(trace { ($0.appends, $0.overwrites) = (true, true) } == modes)
    // A monitor also appends to files.
    #expect(monitor { ($0.outputTable, $0.appends) = (nil, true) } == nil)
    let table = "--append needs --table"
    #expect(trace { ($0.outputTable, $0.appends) = (nil, true) } == table)
  }

  @Test(arguments: [
    (#"{"max-deviation":0,"geodesic":true}"#, "the largest deviation: a number of metres above 0"),
    (#"{"max-deviation":-1,"geodesic":true}"#, "a number of metres above 0 is expected"),
    (#"{"max-deviation":"x"}"#, "a number of metres above 0 is expected"),
    (#"{"max-deviation":1}"#, "the largest deviation needs geodesic measuring"),
    (#"{"curve":"loxodrome"}"#, "the curve of edges needs geodesic measuring"),
    (#"{"curve":"bent","geodesic":true}"#, "the curve of edges: bent is not one of geodesic, "),
    (#"{"unit":"parsec"}"#, "the unit: parsec is not one of m, km, ft, us-ft, mi, nmi, deg"),
    (#"{"distance-field":"w"}"#, "the column of distances cannot be combined with a point"),
    (#"{"distance":[1,"x"]}"#, "the distance: a number or a list of numbers is expected"),
    (#"{"distance":null}"#, "give the distance or the column of distances"),
    (#"{"at":null}"#, "give the features or a point"),
    (#"{"at":[[1,2,3]]}"#, "a point: a list of points [x, y] is expected"),
    (#"{"features":{"type":"FeatureCollection"}}"#, "the features cannot be combined with a point"),
  ])
  func `values out of range and options that exclude each other`(
    json: String, line: String
  ) throws {
    let base = #"{"at":[[18,-34]],"distance":[1],"# + json.dropFirst()
    guard case .object(var members) = try Array(base.utf8).withUnsafeBytes({ try JSONTree($0) })
    else { return }
    if json.contains("distance-field") { members["distance"] = nil }
    let violation = #expect(throws: OptionViolation.self) {
      var request = Buffer.Request()
      try Buffer.options.read(members, into: &request, by: .service)
      try Buffer.options.check(request, by: .service)
    }
    let message = try #require(violation?.message)
    #expect(message.contains(line), "\(message)")
  }

  @Test func `numbers and points have the forms of each front end`() throws {
    func read(_ json: String, _ frontEnd: FrontEnd) throws -> Buffer.Request {
      var request = Buffer.Request()
      guard case .object(let members) = try Array(json.utf8).withUnsafeBytes({ try JSONTree($0) })
      else { return request }
      try Buffer.options.read(members, into: &request, by: frontEnd)
      return request
    }
    for at in ["[[1,2],[3,4]]", #"["1,2","3,4"]"#] {
      #expect(try read("{\"at\":\(at)}", .service).points == [SIMD2(1, 2), SIMD2(3, 4)])
    }
    for at in ["[1,2]", #""1,2""#, "[[1,2]]"] {
      #expect(try read("{\"at\":\(at)}", .service).points == [SIMD2(1, 2)])
    }
    for distance in ["[1,2.5]", #""1,2.5""#, #"["1",2.5]"#] {
      #expect(try read("{\"distance\":\(distance)}", .service).distances == [1, 2.5])
    }
    #expect(try read(#"{"geodesic":"true"}"#, .service).isGeodesic)
    #expect(throws: OptionViolation.self) { try read(#"{"geodesic":"true"}"#, .library) }
    #expect(throws: OptionViolation.self) { try read(#"{"max_deviation":"1"}"#, .library) }
    #expect(try read(#"{"max_deviation":1,"threads":2}"#, .library).threads == 2)
    #expect(throws: OptionViolation.self) {
      try Buffer.options.check(read(#"{"threads":0}"#, .library), by: .library)
    }
  }
}
