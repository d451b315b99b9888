import Foundation
import PlumbTestSupport
import Testing

/// `plumb eval` with fences, locations, and an expression from a file.
@Suite struct EvalTriggerTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "zones.geojson",
      """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"name":"Depot","limit":30},
      "geometry":{"type":"Polygon","coordinates":[[[24,60],[25,60],[25,61],[24,61],[24,60]]]}},
      {"type":"Feature","properties":{"name":"Port","limit":null},
      "geometry":{"type":"Point","coordinates":[26,60]}}]}
      """)
    try folder.write(
      "track.csv",
      """
      id,time,x,y,speed,driver
      bus-1,2026-05-01T12:00:00Z,24.5,60.5,10,Ann
      bus-2,2026-05-01T12:00:01.5Z,30,60.5,,Ben

      """)
  }

  func run(_ arguments: String..., input: String = "") throws -> ProgramRun {
    try ProgramRun(
      TestPaths.program("plumb"), ["eval"] + arguments, input: input, folder: folder.path)
  }

  @Test func `a message for each fence`() throws {
    let text = "$fencefeature.name + ' ' + $FenceNotificationType"
    let entered = try run(text, "--fence", "zones.geojson")
    #expect(entered.output == "Depot entered\nPort entered\n" && entered.errors == "")
    let exited = try run(text, "--fence", "zones.geojson:zones", "--type", "exited")
    #expect(exited.output == "Depot exited\nPort exited\n", "\(exited.errors)")
    let shape = try run("TypeOf(Geometry($fencefeature))", "--fence", "zones.geojson")
    #expect(shape.output == "Polygon\nPoint\n")
  }

  @Test func `a filter for each row of a feed`() throws {
    let fast = try run("$locationupdate.speed > 2", "--location", "track.csv")
    #expect(fast.output == "true\nfalse\n" && fast.errors == "")
    let fields = try run(
      "`${$locationupdate.id} ${$locationupdate.driver} ${Text($locationupdate.timestamp, 'HH:mm:ss')} ${Second(Now())}`",
      "--location", "track.csv")
    #expect(fields.output == "bus-1 Ann 12:00:00 0\nbus-2 Ben 12:00:01 1\n", "\(fields.errors)")
  }

  @Test func `a location by its coordinates`() throws {
    let run = try run(
      "var p = Geometry($feedfeature); [p.x, p.y, $feedfeature.horizontalAccuracy, $locationupdate.id]",
      "--location", "-24.5,60.25,12.5")
    #expect(run.output == "[-24.5,60.25,12.5,\"\"]\n" && run.errors == "")
    let bare = try self.run("$feedfeature.horizontalAccuracy", "--location", "1,2")
    #expect(bare.output == "null\n")
  }

  @Test func `each location with each fence`() throws {
    let text =
      "`${$feedfeature.id}, ${$fencefeature.name}: ${Intersects($feedfeature, $fencefeature)}`"
    let run = try run(text, "--fence", "zones.geojson", "--location", "track.csv")
    #expect(
      run.output
        == "bus-1, Depot: true\nbus-1, Port: false\nbus-2, Depot: false\nbus-2, Port: false\n")
  }

  @Test func `an expression in a file or on standard input`() throws {
    try folder.write("m.arcade", "// the name\nvar n = $fencefeature.name;\nreturn Upper(n)\n")
    #expect(try run("-f", "m.arcade", "--fence", "zones.geojson").output == "DEPOT\nPORT\n")
    #expect(try run("-f", "-", input: "1 +\n1\n").output == "2\n")
    #expect(try run("-f", "-", "--at", "3,4", input: "Geometry($feature).x").output == "3\n")
    try folder.write("mark.arcade", "\u{FEFF}'é'")
    #expect(try run("-f", "mark.arcade").output == "é\n")
    #expect(
      try run("-f", "m.arcade", "--fence", "-", input: "").status != 0, "fences are a file")
  }

  @Test func `locations from standard input`() throws {
    let run = try run(
      "$locationupdate.id", "--location", "-", input: "id,time,x,y\na,0,1,2\nb,1,1,2\n")
    #expect(run.output == "a\nb\n", "\(run.errors)")
  }

  @Test func `Console writes to standard error`() throws {
    let run = try run("Console('n is', 1)\nConsole('a\\nb\\tc')\n'done'")
    #expect(run.output == "done\n" && run.status == 0)
    #expect(run.errors == "n is 1\na\nb\\tc\n")
  }

  @Test func `errors in a file name the file`() throws {
    try folder.write("bad.arcade", "var a = 1;\na +")
    try run("-f", "bad.arcade").expectRefusal(
      "bad.arcade: line 2, column 4: expected a value, but the expression ends")
    try run("-f", "-", input: "[1][2]").expectRefusal("standard input: line 1, column ")
    try run("-f", "none.arcade").expectRefusal("none.arcade")
    try run("-f", ".").expectRefusal("folder")
    try run("-f", "-").expectRefusal("standard input: line 1, column 1: the expression is empty")
    try Data([0x27, 0xFF, 0x27]).write(to: URL(fileURLWithPath: folder.path("latin.arcade")))
    try run("-f", "latin.arcade").expectRefusal("latin.arcade is not UTF-8 text")
  }

  @Test func `missing inputs of an expression`() throws {
    try run("$fencefeature.name").expectRefusal("uses $fencefeature: give --fence FILE")
    try run("$locationupdate.id").expectRefusal("uses $locationupdate: give --location")
    try run("$feedfeature.id", "--fence", "zones.geojson")
      .expectRefusal("uses $feedfeature: give --location")
    try run("$fencefeature.name", "--location", "1,2")
      .expectRefusal("uses $fencefeature: give --fence")
    try run("$feature.name", "--fence", "zones.geojson")
      .expectRefusal("uses $feature: give --feature")
    try run("$fencenotificationtype").expectRefusal("uses $fencenotificationtype")
  }

  @Test func `an evaluation that fails names the row and the fence`() throws {
    let fence = try run("Round($fencefeature.nam)", "--fence", "zones.geojson")
    fence.expectRefusal("fence 0: line 1, column ", "no field nam; did you mean name?")
    let both = try run(
      "[1][Number($feedfeature.id == 'bus-2')]", "--fence", "zones.geojson", "--location",
      "track.csv")
    both.expectRefusal("row 1, fence 0: line 1, column ")
    #expect(both.output == "1\n1\n")
  }

  @Test func `rows that cannot be read are warnings`() throws {
    try folder.write("half.csv", "time,x,y\n0,1,2\nnever,1,2\n2,1,2\n")
    let run = try run("1", "--location", "half.csv")
    #expect(run.output == "1\n1\n" && run.status == 0)
    #expect(run.errors.contains("plumb: warning: ") && run.errors.contains("never"))
    try self.run("1", "--location", "nowhere.csv").expectRefusal("nowhere.csv")
    try self.run("1", "--fence", "nowhere.geojson").expectRefusal("nowhere.geojson")
  }

  @Test(arguments: [
    [], ["1", "-f", "x"], ["1", "--fence", "a", "--feature", "b"],
    ["1", "--location", "1,2", "--at", "1,2"],
    ["1", "--type", "entered"], ["1", "--fence", "a", "--type", "left"],
    ["1", "--location", "0,91"],
    ["1", "--location", "400,1"], ["1", "--location", "1,2,-3"], ["-f", "-", "--location", "-"],
    ["-f"],
  ])
  func `usage errors have status 64`(arguments: [String]) throws {
    let run = try plumb(["eval"] + arguments)
    #expect(run.status == 64 && run.output.isEmpty, "\(run.errors)")
    #expect(run.errors.hasPrefix("Error: "))
  }

  @Test func `the examples of the help work`() throws {
    let help = try run("--help").output
    let examples = help.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("plumb eval ") && ($0.contains("zones") || $0.contains("track")) }
    #expect(examples.count == 3, "\(help)")
    try folder.write("message.arcade", "$fencefeature.name + $feedfeature.horizontalAccuracy")
    for example in examples {
      let run = try shell(
        "\"$PLUMB\"" + example.dropFirst("plumb".count), folder: folder.path)
      #expect(
        run.status == 0 && run.errors == "" && run.lines.count >= 2, "\(example) \(run.errors)")
    }
  }
}
