import Foundation
import PlumbTestSupport
import Testing

/// The interface that scripts rely on: events, columns, options and exit statuses of `plumb
/// monitor`.
@Suite struct MonitorCommandTests {
  let scene: MonitorScene

  init() throws { scene = try MonitorScene() }

  @Test("an event is one line with all members, in the order of the contract") func members() throws
  {
    let run = try scene.run(["--fences", "fences.geojson", "--name", "POI"])
    #expect(run.status == 0)
    #expect(
      run.output == """
        {"time":"2026-05-01T10:00:10Z","entity":"bus-1","monitor":"POI","fence":"Box",\
        "fenceId":"7","type":"entered","message":"Box","x":0.5,"y":0.5,"index":1}
        {"time":"2026-05-01T10:02:10Z","entity":"bus-1","monitor":"POI","fence":"Box",\
        "fenceId":"7","type":"exited","message":"Box","x":1.5,"y":0.5,"index":5}

        """)
  }

  @Test("faults are reported by line and by id, and the feed continues") func warnings() throws {
    let run = try scene.run(["--fences", "fences.geojson"])
    for line in [
      "plumb: warning: fence 8: a point needs a buffer distance",
      "plumb: warning: fence 9: its geometry is empty", "plumb: warning: line 4: invalid time",
      "plumb: warning: line 6: the location is older than its entity's last, of 2026-05-01T10:01:10Z",
      "plumb: warning: line 10: invalid point",
    ] {
      #expect(run.errors.contains(line), "\(line)")
    }
    #expect(try scene.run(["--fences", "fences.geojson", "-q"]).errors == "")
  }

  @Test("rules, buffers, dwell, cooldown, crossings and the first fix") func options() throws {
    #expect(try scene.brief(["--rule", "enter"]) == ["entered Box 1"])
    #expect(try scene.brief(["--rule", "exit"]) == ["exited Box 5"])
    #expect(
      try scene.brief(["--buffer", "1000"]) == [
        "entered Box 1", "exited Box 5", "entered Stop 12 7",
      ])
    #expect(
      try scene.brief(["--buffer", "1000", "--no-initial"]) == ["entered Box 1", "exited Box 5"])
    #expect(
      try scene.brief(["--dwell", "60"]) == ["entered Box 1", "dwelt Box 3", "exited Box 5"])
    #expect(try scene.brief(["--dwell", "60.1"]) == ["entered Box 1", "exited Box 5"])
    #expect(try scene.brief(["--cooldown", "3600"]) == ["entered Box 1"])
    #expect(
      try scene.brief(["--crossings"]) == ["entered Box 1", "exited Box 5", "crossed Box 6"])
  }

  @Test("a crossing has the time and place at which the border was crossed") func crossing() throws
  {
    let events = try scene.events(["--crossings"])
    let crossed = try #require(events.last)
    let x = try #require(crossed["x"] as? Double)
    #expect(abs(x - 1) < 1e-9)
    // A quarter of a minute's way from 1.5 to -0.5.
    #expect(crossed["time"] as? String == "2026-05-01T10:02:25Z")
    let second = try #require(crossed["second"] as? [String: Any])
    #expect(second["time"] as? String == "2026-05-01T10:02:55Z")
    #expect(abs(try #require(second["x"] as? Double)) < 1e-9)
    #expect(
      (events.first?["crossing"] as? [String: Any])?["time"] as? String == "2026-05-01T10:00:05Z")
  }

  @Test("discs: with accuracy the default relationship waits until the disc is inside")
  func accuracy() throws {
    try scene.folder.write(
      "discs.csv",
      """
      time,x,y,accuracy
      2026-05-01T10:00:00Z,-0.005,0.5,1000
      2026-05-01T10:01:00Z,0.005,0.5,1000
      2026-05-01T10:02:00Z,0.02,0.5,1000
      2026-05-01T10:03:00Z,0.005,0.5,1000
      2026-05-01T10:04:00Z,-0.005,0.5,1000
      2026-05-01T10:05:00Z,-0.02,0.5,1000
      2026-05-01T10:06:00Z,0.02,0.5,0

      """)
    func brief(_ arguments: String...) throws -> [String] {
      try scene.brief(arguments, feed: "discs.csv")
    }
    #expect(try brief() == ["entered Box 1", "exited Box 4", "entered Box 6"])
    #expect(try brief("--accuracy") == ["entered Box 2", "exited Box 5", "entered Box 6"])
    #expect(
      try brief("--accuracy", "--relationship", "enterIntersectsAndExitDoesNotIntersect") == [
        "entered Box 0", "exited Box 5", "entered Box 6",
      ])
    #expect(
      try brief("--accuracy", "--relationship", "enterContainsAndExitDoesNotContain") == [
        "entered Box 2", "exited Box 3", "entered Box 6",
      ])
  }

  @Test(
    "expressions: messages with more members than the text, filters, and the positions of errors")
  func expressions() throws {
    let events = try scene.events([
      "--message",
      "{message: Upper($fencefeature.name) + ' ' + $feedfeature.speed, "
        + "actions: ['ring'], level: 2}", "--feed-filter", "$locationupdate.speed > 3",
    ])
    try #require(events.count == 2)
    #expect(events[0]["message"] as? String == "BOX 4")
    #expect(events[0]["actions"] as? [String] == ["ring"])
    #expect((events[0]["messageProperties"] as? [String: Any])?["level"] as? Double == 2)
    // The former name of the option.
    #expect(try scene.brief(["--filter", "$locationupdate.speed < 4"]) == [])
    let both = try scene.run([
      "--fences", "fences.geojson", "--filter", "true", "--feed-filter", "true",
    ])
    #expect(both.status == 64 && both.errors.contains("--feed-filter: give one of them"))
    for (option, text, point) in [
      ("--message", "$fencefeature.name +", "line 1, column"),
      ("--message", "$fence.name", "line 1, column 1"), ("--feed-filter", "if (", "line 1, column"),
      ("--feed-filter", "$feedfeature.speed > 3", "line 1, column 1"),
    ] {
      let run = try scene.run(["--fences", "fences.geojson", option, text])
      #expect(run.status == 1 && run.output == "")
      #expect(
        run.errors.contains(point) && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
    // If a message fails, its event is still reported.
    let run = try scene.run(["--fences", "fences.geojson", "--message", "$fencefeature.nam"])
    #expect(run.output.split(separator: "\n").count == 2 && run.status == 0)
    #expect(
      run.errors.contains("line 3: the message: line 1, column 14: the feature has no field nam"))
  }

  @Test("fences by layer, condition and area") func choice() throws {
    #expect(
      try scene.brief(["--where", "kind = 'stop'", "--buffer", "10"]) == ["entered Stop 12 7"])
    #expect(try scene.brief(["--area", "1.5,0,3,1", "--buffer", "10"]) == ["entered Stop 12 7"])
    let layer = try scene.run(["--fences", "fences.geojson:fences"])
    #expect(layer.status == 0 && layer.output.split(separator: "\n").count == 2)
    let unknown = try scene.run(["--fences", "fences.geojson:other"])
    #expect(unknown.status == 1 && unknown.errors.contains("no layer \"other\""))
    let wrong = try scene.run(["--fences", "fences.geojson", "--where", "knd = 'stop'"])
    #expect(wrong.status == 1 && wrong.errors.contains("knd"))
  }

  @Test("a damaged file of fences is named") func damagedFences() throws {
    try scene.folder.write("cut.geojson", String(MonitorScene.fences.prefix(200)))
    let run = try scene.run(["--fences", "cut.geojson"])
    #expect(run.status == 1 && run.output == "")
    #expect(
      run.errors.hasPrefix("plumb: cut.geojson: ") && run.errors.split(separator: "\n").count == 1)
  }

  @Test("csv and geojson have the same data; a file appears only when it is complete")
  func formats() throws {
    let csv = try scene.run(["--fences", "fences.geojson", "--of", "csv", "--explain"])
    let rows = csv.output.split(separator: "\n")
    try #require(rows.count == 3)
    #expect(
      rows[0] == "time,entity,monitor,fence,fenceId,type,message,x,y,index,why")
    #expect(rows[1].hasPrefix("2026-05-01T10:00:10Z,bus-1,fences,Box,7,entered,Box,0.5,0.5,1,"))
    let written = try scene.run(["--fences", "fences.geojson", "-o", "events.geojson"])
    #expect(written.status == 0 && written.output == "")
    let object = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: scene.folder.path("events.geojson"))))
    let features = (object as? [String: Any])?["features"] as? [[String: Any]]
    #expect(features?.count == 2)
    #expect((features?.last?["properties"] as? [String: Any])?["type"] as? String == "exited")
    let again = try scene.run(["--fences", "fences.geojson", "-o", "events.geojson"])
    #expect(again.status == 1 && again.errors.contains("--overwrite"))
    let overwriting = try scene.run([
      "--fences", "fences.geojson", "-o", "track.csv", "--overwrite",
    ])
    #expect(overwriting.status == 1 && overwriting.errors.contains("is an input"))
  }

  @Test("standard input, all at once") func standardInput() throws {
    #expect(
      try scene.brief(feed: "-", input: MonitorScene.track) == ["entered Box 1", "exited Box 5"])
  }

  @Test("regions of rasters: scaled and stored values, nodata outside") func regions() throws {
    // The ground on the mountain above the garden is above 1,000 m.
    try scene.folder.write(
      "climb.csv",
      """
      time,x,y
      2026-05-01T10:00:00Z,18.4325,-33.9880
      2026-05-01T11:00:00Z,18.4095,-33.9680
      2026-05-01T12:00:00Z,18.4325,-33.9880
      2026-05-01T13:00:00Z,10,-33.9880

      """)
    let dem = TestPaths.rasters + "/dem/S34E018.tif"
    func region(_ raster: String, _ expression: String) throws -> [String] {
      let run = try scene.run(["--raster-fence", "\(raster): \(expression)"], feed: "climb.csv")
      #expect(run.status == 0, "\(run.errors)")
      return try run.output.split(separator: "\n").map {
        let event = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        return "\(event?["type"] ?? "") \(event?["index"] ?? "")"
      }
    }
    let heights = try ProgramRun(
      TestPaths.program("plumb"),
      ["identify", dem, "--at", "18.4325,-33.9880", "--at", "18.4095,-33.9680"])
    #expect(heights.status == 0)
    #expect(try region(dem, "$value > 600") == ["entered 1", "exited 2"])
    #expect(try region(dem, "$value > -1000") == ["entered 0", "exited 3"])
    let evi = TestPaths.rasters + "/evi_cape_town.tif"
    #expect(try region(evi, "$value > -2") == ["entered 0", "exited 3"])
    #expect(
      try region(evi, "$stored * 0.0001 > $value - 1e-9 && $stored * 0.0001 < $value + 1e-9")
        == ["entered 0", "exited 3"])
    for (argument, text) in [
      (dem, "expected PATH: EXPR"), ("\(dem): $valu > 3", "there is no global $valu"),
      ("missing.tif: $value > 3", "missing.tif"),
    ] {
      let run = try scene.run(["--raster-fence", argument], feed: "climb.csv")
      #expect(run.status == 1 && run.errors.contains(text), "\(run.errors)")
    }
  }

  @Test("a walk along a line is a feed") func simulated() throws {
    try scene.folder.write(
      "line.json", #"{"paths":[[[-0.5,0.5],[1.5,0.5]]],"spatialReference":{"wkid":4326}}"#)
    let brief = try scene.brief(
      ["--simulate", "--velocity", "1000", "--start", "2026-05-01T10:00:00Z"], feed: "line.json")
    // Inside from 55.7 km, which is second 56; outside from 167 km, which is second 167 or the
    // next.
    #expect(brief == ["entered Box 56", "exited Box 167"])
  }

  @Test(
    "usage errors",
    arguments: [
      ["--fences", "a", "--raster-fence", "b"], [], ["--fences", "a", "--buffer", "-1"],
      ["--fences", "a", "--rule", "leave"], ["--fences", "a", "--dwell", "nan"],
      ["--fences", "a", "--velocity", "3"], ["--fences", "a", "--area", "1,2,3"],
      ["--raster-fence", "a: b", "--crossings"], ["--fences", "a", "--of", "xml"],
    ])
  func usage(_ arguments: [String]) throws {
    let run = try scene.run(arguments)
    #expect(run.status == 64 && run.output == "", "\(arguments)")
  }

  @Test(
    "files that are not feeds",
    arguments: ["missing.csv", "empty.csv", "header.csv", "fences.geojson"])
  func badFeeds(_ feed: String) throws {
    try scene.folder.write("empty.csv", "")
    try scene.folder.write("header.csv", "a,b,c\n")
    let run = try scene.run(["--fences", "fences.geojson", "-q"], feed: feed)
    #expect(run.status == 1 && run.output == "")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test("values of options may begin with a minus sign") func minus() throws {
    #expect(try scene.brief(["--area", "-1,-1,1.5,1"]) == ["entered Box 1", "exited Box 5"])
    #expect(try scene.brief(["--feed-filter", "-$locationupdate.speed < -3"]).count == 2)
    let events = try scene.events(["--message", "-$fencefeature.id"])
    #expect(events.first?["message"] as? String == "-7")
    let run = try scene.run(["--fences", "fences.geojson", "--buffer", "-1"])
    #expect(run.status == 64 && run.errors.contains("--buffer -1: a number of metres, 0 or more"))
  }

  @Test("a message that is nested too deeply keeps its event and is reported, not truncated")
  func deepMessage()
    throws
  {
    let message = "var a = [1]; for (var i = 0; i < 100; i++) { a = [a] } return {message: a}"
    let run = try scene.run(["--fences", "fences.geojson", "--message", message])
    #expect(run.output.split(separator: "\n").count == 2 && run.status == 0)
    #expect(run.errors.contains("line 3: the message: the value nests deeper than 64 levels"))
  }

  @Test(
    "a live feed that is interrupted keeps the events that were reported",
    arguments: ["jsonl", "geojson"])
  func interrupted(format: String) throws {
    let input = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb"))
    process.currentDirectoryURL = URL(fileURLWithPath: scene.folder.path)
    process.arguments = [
      "monitor", "--feed", "-", "--fences", "fences.geojson", "-o", "events." + format,
    ]
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("time,x,y\n1,0.5,0.5\n".utf8))
    // The events are in the file, or in the unfinished file, once the line has been read.
    let path = scene.folder.path + "/events." + format
    try waitUntil("the event is written") {
      try scene.unfinished().contains("entered")
        || (try? String(contentsOfFile: path, encoding: .utf8))?.contains("entered") == true
    }
    process.interrupt()
    try process.waitForExit()
    #expect(process.terminationStatus == 130)
    let text = try String(
      contentsOfFile: scene.folder.path + "/events." + format, encoding: .utf8)
    #expect(text.contains("\"type\":\"entered\"") && text.hasSuffix("}\n"))
    if format == "geojson" { _ = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  }

  @Test("of fields that differ in case, the one with exactly the name is used") func fieldCase()
    throws
  {
    try scene.folder.write(
      "cases.geojson",
      """
      {"type":"FeatureCollection","features":[{"type":"Feature",
      "properties":{"NAME":"loud","name":"quiet","ID":"9","id":"4"},"geometry":{"type":"Polygon",
      "coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}]}
      """)
    let run = try scene.run([
      "--fences", "cases.geojson", "--rule", "enter", "--message",
      "$fencefeature.name",
    ])
    #expect(run.output.contains("\"fence\":\"quiet\",\"fenceId\":\"4\""))
    #expect(run.output.contains("\"message\":\"quiet\""))
  }
}
