import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Synchronization
import Testing

/// Monitors with locations from clients.
struct MonitorTests {
  // MARK: Locations

  @Test(arguments: [
    ("application/json", #"{"id":"a","time":1777630000,"lon":0.5,"lat":0.5}"#),
    ("application/json", #"[{"device":"a","timestamp":"2026-05-01T10:00:00Z","x":"0.5","y":0.5}]"#),
    ("application/json", "\n [ ]\n"),
    (
      "application/geo+json",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"a","#
        + #""time":1777630000},"geometry":{"type":"Point","coordinates":[0.5,0.5]}}]}"#
    ),
    (
      "application/json",
      "{\"type\":\"Feature\",\n\"properties\":{\"id\":\"a\",\"time\":1777630000},\n"
        + #""geometry":{"type":"Point","coordinates":[0.5,0.5]}}"#
    ),
    (
      "application/x-ndjson; charset=utf-8",
      "{\"id\":\"a\",\"time\":1777630000,\"longitude\":0.5,\"latitude\":0.5}\n\n"
    ),
    ("text/csv", "id,time,lon,lat\na,1777630000,0.5,0.5\n"),
    ("text/csv", "id;time;x;y\r\na;2026-05-01T10:06:40Z;0.5;0.5"),
    ("text/tab-separated-values", "id\ttime\tx\ty\na\t1777630000\t0.5\t0.5\n"),
    ("", "id,time,lon,lat\na,1777630000,0.5,0.5\n"),
    ("text/plain", #"{"id":"a","time":1777630000,"lon":0.5,"lat":0.5}"#),
    (
      "application/gpx+xml",
      #"<gpx><trk><name>a</name><trkseg><trkpt lon="0.5" lat="0.5">"#
        + "<time>2026-05-01T10:06:40Z</time></trkpt></trkseg></trk></gpx>"
    ),
  ])
  func locationsComeInMostForms(type: String, body: String) throws {
    let scene = try LiveScene()
    let receipt = try scene.post(body, type: type)
    let count = body.contains("[ ]") ? 0 : 1
    #expect(receipt.count("accepted") == count && receipt.count("refused") == 0, "\(receipt)")
    #expect(try scene.brief() == (count == 0 ? [] : ["a entered Box"]))
  }

  @Test func ownTracks() throws {
    let scene = try LiveScene(#""accuracy":true"#)
    func send(_ body: String, sender: String = "") throws -> String {
      let reply = scene.sendRequest(
        .post, "/locations", body, type: "application/json", sender: sender)
      #expect(reply.status == 200)
      return String(decoding: try reply.bytes(), as: UTF8.self)
    }
    let pointMembers = #""lat":0.5,"lon":0.5,"acc":12,"vel":36,"cog":90,"batt":5"#
    #expect(
      try send(
        #"{"_type":"location","tst":1777630000,"tid":"AB","topic":"owntracks/u/d",\#(pointMembers)}"#
      )
        == "[]")
    #expect(
      try send(#"{"_type":"location","tst":1777630000,\#(pointMembers)}"#, sender: "v/w") == "[]")
    #expect(try send(#"{"_type":"location","tst":1777630000,"tid":"CD",\#(pointMembers)}"#) == "[]")
    #expect(try send(#"{"_type":"lwt","tst":1777630000}"#) == "[]")
    #expect(try send(#"{"_type":"encrypted","data":"x"}"#, sender: "v/w") == "[]")
    // A late location must not be sent again.
    #expect(try send(#"{"_type":"location","tst":1,"tid":"CD",\#(pointMembers)}"#) == "[]")
    #expect(try scene.brief() == ["u/d entered Box", "v/w entered Box", "CD entered Box"])
    #expect(scene.sendRequest(.post, "/locations", #"{"_type":"location","lat":0"#).status == 400)
  }

  /// The app sends a location again unless the status confirms that it was received.
  @Test func ownTracksReceivesAnErrorWithoutCapacity() throws {
    var limits = MonitorLimits()
    limits.entities = 1
    let scene = try LiveScene("", limits)
    func send(_ tracker: String) -> Int {
      scene.sendRequest(
        .post, "/locations",
        #"{"_type":"location","tst":1777630000,"tid":"\#(tracker)","lat":0.5,"lon":0.5}"#,
        type: "application/json"
      ).status
    }
    for (tracker, status) in [("A", 200), ("B", 503), ("A", 200)] {
      #expect(send(tracker) == status)
    }
    #expect(try scene.brief() == ["A entered Box"])
  }

  @Test func badRowsHarmNoOthers() throws {
    let scene = try LiveScene()
    let good = LiveScene.location("a", 0, 0.5)
    let list = try scene.post(
      "[7, \(good), {\"id\":\"b\"}, {\"id\":\"c\",\"time\":1,\"lon\":999,\"lat\":0}, {\"a\" 1}, \(good)]"
    )
    #expect(list.count("accepted") == 2 && list.count("refused") == 4, "\(list)")
    #expect(try list.list("refusals").compactMap { $0["row"] as? Int } == [0, 2, 3, 4])
    let lines = try scene.post("\(good)\n{broken\n\(good)", type: "application/x-ndjson")
    #expect(lines.count("accepted") == 2)
    #expect(try lines.list("refusals").compactMap { $0["line"] as? Int } == [2])
    let table = try scene.post(
      "id,time,x,y\na,1777630001,0.5,0.5\na,x,0,0\n\"a,1777630001\na,1777630002,0.5,0.5\n",
      type: "text/csv")
    #expect(table.count("accepted") == 2 && table.count("refused") == 2, "\(table)")
    // The locations before the truncation are processed.
    let truncated = try scene.post("[\(LiveScene.location("z", 0, 0.5)), {\"id\":")
    #expect(truncated.count("accepted") == 1 && truncated["error"] is String, "\(truncated)")
    #expect(try scene.brief() == ["a entered Box", "z entered Box"])
  }

  @Test func lateAndFutureLocationsAreRefused() throws {
    let scene = try LiveScene()
    try scene.post(LiveScene.location("a", 10, 0.5))
    // A location with the same time is not late.
    let again = try scene.post(LiveScene.location("a", 10, 5))
    #expect(again.count("accepted") == 1 && again.count("events") == 1)
    let late = try scene.post(LiveScene.location("a", 9, 0.5))
    #expect(
      try late.refusals() == [
        "the location is older than its entity's last, of 2026-05-01T10:06:50Z"
      ])
    let future = try scene.post(
      #"{"id":"a","time":9999999999,"lon":0.5,"lat":0.5}"#, status: 400)
    #expect(try future.refusals()[0].contains("ahead of the clock"))
    #expect(try future.refusals()[0].contains("max-ahead changes the limit"))
    let free = try LiveScene(#""max-ahead":"inf""#)
    #expect(
      try free.post(#"{"id":"a","time":9999999999,"lon":0.5,"lat":0.5}"#).count("accepted") == 1)
  }

  @Test(arguments: [
    ("application/json", "", 400), ("application/json", "nonsense", 400),
    ("application/json", "[1,2]", 400), ("text/csv", "a,b\n1,2\n", 400),
    ("image/png", "x", 415), ("application/gpx+xml", "<html/>", 400),
    ("application/json", String(repeating: "[", count: 100_000), 400),
    ("application/json", String(repeating: #"{"a":"#, count: 600), 400),
    ("text/csv", "\0\0\0\0", 400), ("application/json", "[1] x", 400),
  ])
  func whatIsNoFeedIsRefused(type: String, body: String, status: Int) throws {
    let scene = try LiveScene()
    #expect(scene.sendRequest(.post, "/locations", body, type: type).status == status)
    #expect(scene.events.isEmpty)
  }

  @Test func entitiesAreBounded() throws {
    var limits = MonitorLimits()
    limits.entities = 3
    let scene = try LiveScene("", limits)
    let all = (0..<5).map { LiveScene.location("e\($0)", 0, 0.5) }.joined(separator: ",")
    let receipt = try scene.post("[\(all)]")
    #expect(receipt.count("accepted") == 3 && receipt.count("refused") == 2)
    #expect(try receipt.refusals()[0].contains("the maximum number of entities, 3"))
    #expect(try scene.post(LiveScene.location("e1", 1, 5)).count("events") == 1)
    let long = LiveScene.location(String(repeating: "n", count: 300), 0, 0.5)
    #expect(try scene.post(long).refusals()[0].contains("over 256 bytes"))
    // Entities without locations for a sufficient time are removed to make room.
    let forgetful = try LiveScene(#""forget":60"#, limits)
    try forgetful.post("[\(all)]")
    #expect(try forgetful.post(LiveScene.location("f", 100, 0.5)).count("accepted") == 1)
    #expect(try forgetful.brief().last == "f entered Box")
  }

  /// The size of parts depends on the fences, which another request may replace between two parts.
  @Test func rowsAreProcessedOnceWhileFencesAreReplaced() throws {
    let scene = try LiveScene()
    func fences(_ count: Int) -> String {
      let features = (1...count).map {
        #"{"type":"Feature","id":\#($0),"properties":{},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}"#
      }
      return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }
    let (many, few) = (fences(1500), fences(1))
    let rows = (0..<4000).map { LiveScene.location("e\($0 % 20)", $0, Double($0 % 3)) }
    let body = "[\(rows.joined(separator: ","))]"
    #expect(scene.sendRequest(.put, "/fences", many).status == 200)
    let isDone = Atomic(false)
    DispatchQueue.concurrentPerform(iterations: 2) { worker in
      if worker == 0 {
        let receipt = try? scene.post(body)
        #expect(receipt?.count("accepted") == rows.count && receipt?.count("refused") == 0)
        isDone.store(true, ordering: .relaxed)
      } else {
        var turn = 0
        while !isDone.load(ordering: .relaxed) {
          #expect(scene.sendRequest(.put, "/fences", turn % 2 == 0 ? few : many).status == 200)
          turn += 1
        }
      }
    }
  }

  @Test func staysInsideFencesAreBounded() throws {
    var limits = MonitorLimits()
    limits.stays = 30
    let scene = try LiveScene("", limits)
    let all = (0..<10).map { LiveScene.location("e\($0)", 0, 0.5) }.joined(separator: ",")
    #expect(try scene.post("[\(all)]").count("events") == 10)
    func fences(_ count: Int) -> String {
      let features = (1...count).map {
        #"{"type":"Feature","id":\#($0),"properties":{},"geometry":{"type":"Polygon","coordinates":[[[0,0],[\#(9 + $0),0],[9,1],[0,1],[0,0]]]}}"#
      }
      return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    }
    // Both former fences change, and contain all entities; other fences take effect with the next
    // location.
    #expect(scene.sendRequest(.put, "/fences", fences(2)).status == 200)
    #expect(scene.sendRequest(.put, "/fences", fences(20)).status == 200)
    #expect(try scene.post("[\(all)]").count("events") == 180)
    let full = try scene.post(LiveScene.location("f", 0, 0.5))
    #expect(full.count("refused") == 1)
    #expect(try full.refusals()[0].contains("the maximum number of stays"))
    let refused = scene.sendRequest(.put, "/fences", fences(19).replacing("[9,1]", with: "[9,2]"))
    let reason = String(decoding: try refused.bytes(), as: UTF8.self)
    #expect(refused.status == 422 && reason.contains("more than 30 times"), "\(reason)")
    #expect(scene.sendRequest(.put, "/fences", LiveScene.fences).status == 200)
  }

  @Test func verticesOfAFenceAreBounded() throws {
    let scene = try LiveScene("")
    func fences(_ rings: [Int], before: String = "") -> String {
      let features = rings.enumerated().map { id, count in
        var points = ""
        for number in 0..<count { points += "[\(Double(number) / Double(count)),0]," }
        return
          #"{"type":"Feature","id":\#(id),"properties":{"a":"]}\"["},"geometry":{"type":"Polygon","coordinates":[[\#(points)[1,1],[0,0]]]}}"#
      }
      return
        #"{"type":"FeatureCollection",\#(before)"features":[\#(features.joined(separator: ","))]}"#
    }
    // Each fence is within the limit, but all of them together are not.
    #expect(scene.sendRequest(.put, "/fences", fences([30_000, 240_000])).status == 200)
    let other = String(repeating: "[],{},", count: 260_000)
    for body in [fences([3, 270_000, 3]), fences([3], before: #""others":[\#(other)1],"#)] {
      let refused = scene.sendRequest(.put, "/fences", body)
      let reason = String(decoding: try refused.bytes(), as: UTF8.self)
      #expect(refused.status == 413 && reason.contains("more than 250000 vertices"))
    }
  }

  // MARK: The same as the command

  /// Random tracks, cut at random and sent in any format, give exactly the lines of the command.
  @Test(arguments: [
    (1, ""), (2, #""buffer":20000"#), (3, #""crossings":true,"explain":true"#),
    (4, #""dwell":30,"cooldown":20,"forget":100,"no-initial":true"#),
    (5, #""rule":"exit","name":"zones","message":"`${$feedfeature.note} ${$fencefeature.kind}`""#),
    (6, #""accuracy":true,"feed-filter":"$locationupdate.note != 'skip'""#),
  ])
  func eventsAreThoseOfTheCommand(seed: UInt64, options: String) throws {
    let scene = try LiveScene(options)
    var random = SeededGenerator(seed: seed)
    var rows: [[String]] = []
    for step in 0..<600 {
      let isBad = Int.random(in: 0..<40, using: &random) == 0
      let time = 1_777_600_000 + step * 2 - (Int.random(in: 0..<30, using: &random) == 0 ? 50 : 0)
      rows.append([
        "e\(Int.random(in: 0..<6, using: &random))", isBad ? "never" : "\(time)",
        "\(Double.random(in: -0.5...3.5, using: &random))",
        "\(Double.random(in: -0.3...1.3, using: &random))",
        "\(Int.random(in: 0..<30000, using: &random))",
        Int.random(in: 0..<9, using: &random) == 0 ? "skip" : "n\(step)",
      ])
    }
    let header = ["id", "time", "lon", "lat", "accuracy", "note"]
    let table = { (rows: ArraySlice<[String]>) in
      ([header] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
    }
    try scene.folder.write("track.csv", table(rows[...]))
    var flags: [String] = []
    let members = try #require(
      JSONSerialization.jsonObject(with: Data("{\(options)}".utf8)) as? [String: Any])
    for (name, value) in members {
      let isFlag = ["crossings", "explain", "no-initial", "accuracy"].contains(name)
      flags += isFlag ? ["--" + name] : ["--" + name, "\(value)"]
    }
    let run = try ProgramRun(
      TestPaths.program("plumb"),
      ["monitor", "--feed", "track.csv", "--fences", "fences.geojson"] + flags,
      folder: scene.folder.path)
    var next = 0
    while next < rows.count {
      let end = min(rows.count, next + Int.random(in: 1...80, using: &random))
      let part = rows[next..<end]
      let objects = part.map { row in
        "{"
          + zip(header, row).map { name, value in
            Double(value) == nil ? #""\#(name)":"\#(value)""# : #""\#(name)":\#(value)"#
          }.joined(separator: ",") + "}"
      }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: _ = scene.sendRequest(.post, "/locations", table(part), type: "text/csv")
      case 1:
        _ = scene.sendRequest(
          .post, "/locations", objects.joined(separator: "\n"), type: "application/x-ndjson")
      default:
        _ = scene.sendRequest(
          .post, "/locations", "[" + objects.joined(separator: ",") + "]", type: "application/json")
      }
      next = end
    }
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count > 20, "\(run.errors)")
    #expect(scene.events == lines)
  }

  // MARK: Fences

  @Test func unchangedFencesKeepWhoIsInside() throws {
    let scene = try LiveScene()
    func put(_ text: String, status: Int = 200) throws -> [String: Any] {
      let reply = scene.sendRequest(.put, "/fences", text, type: "application/geo+json")
      #expect(reply.status == status)
      return try TestService.object(reply)
    }
    let both = "[\(LiveScene.location("a", 0, 0.5)),\(LiveScene.location("b", 0, 2.5))]"
    try scene.post(both)
    let same = try put(LiveScene.fences)
    #expect(same.count("same") == 2 && same.count("events") == 0, "\(same)")
    #expect(try scene.post(both.replacing("000,", with: "001,")).count("events") == 0)
    // One fence moves, the other stays.
    let moved = try put(
      LiveScene.fences.replacing(
        "[2,0],[3,0],[3,1],[2,1],[2,0]", with: "[2,0],[4,0],[4,1],[2,1],[2,0]"))
    #expect(moved.count("same") == 1 && moved.count("changed") == 1, "\(moved)")
    #expect(moved.count("events") == 0)
    try scene.post(both.replacing("000,", with: "002,"))
    #expect(try scene.brief() == ["a entered Box", "b entered East"])
    // The fence shrinks so that it no longer contains the last location, and grows again.
    let shrunk = try put(
      LiveScene.fences.replacing(
        "[2,0],[3,0],[3,1],[2,1],[2,0]", with: "[2,0],[2.1,0],[2.1,1],[2,1],[2,0]"))
    #expect(shrunk.count("events") == 1 && shrunk["lastEventId"] is String)
    #expect(try scene.brief().suffix(1) == ["b exited East"])
    #expect(scene.events.last?.contains(#""reason":"fence_changed""#) == true)
    #expect(try put(LiveScene.fences).count("events") == 1)
    #expect(try scene.brief().suffix(1) == ["b entered East"])
    // A changed attribute is also a change but causes no event; a removed fence is exited.
    #expect(
      try put(LiveScene.fences.replacing(#""Box","kind":"area""#, with: #""Box","kind":"zone""#))
        .count("changed") == 1)
    let fewer = try put(#"{"type":"FeatureCollection","features":[]}"#)
    #expect(fewer.count("removed") == 2 && fewer["warnings"] is [Any])
    #expect(fewer.count("events") == 2)
    #expect(try scene.brief().suffix(2) == ["a exited Box", "b exited East"])
    #expect(scene.events.last?.contains(#""reason":"fence_removed""#) == true)
    let count = scene.events.count
    try scene.post(both.replacing("000,", with: "003,"))
    #expect(scene.events.count == count)
    _ = try put(LiveScene.fences)
    try scene.post(both.replacing("000,", with: "004,"))
    #expect(try scene.brief().suffix(2) == ["a entered Box", "b entered East"])
    for body in ["", "[]", "{", "<VRT/>", #"{"type":"FeatureCollection"}"#] {
      #expect(scene.sendRequest(.put, "/fences", body).status == 400, "\(body)")
    }
    let twice = LiveScene.fences.replacing("\"id\":2", with: "\"id\":1")
    #expect(scene.sendRequest(.put, "/fences", twice).status == 400)
    // These requests changed nothing.
    #expect(try put(LiveScene.fences).count("same") == 2)
  }

  @Test func fencesAreGeoJSON() throws {
    let scene = try LiveScene(#""buffer":1000"#)
    let plain = scene.sendRequest(.get, "/fences", query: "buffered=false")
    let put = scene.sendRequest(
      .put, "/fences", String(decoding: try plain.bytes(), as: UTF8.self))
    #expect(try TestService.object(put).count("same") == 2)
    let features = try TestService.object(scene.sendRequest(.get, "/fences")).list("features")
    #expect(features.compactMap { $0["id"] as? Int } == [1, 2])
    let rings = try features[0].object("geometry")["coordinates"] as? [[[Double]]]
    let west = try #require(rings?.first?.map { $0[0] }.min())
    // A kilometre west of the square.
    #expect(west < -0.0089 && west > -0.0091)
  }

  // MARK: Replay

  @Test func tracksAreReplayed() throws {
    let scene = try LiveScene()
    // The rows are sorted by entity, as loggers write tracks; the earliest location is in the
    // middle.
    let track =
      "id,time,x,y\n"
      + (0..<20).map { "b,\(1_777_600_001 + $0),\($0 % 2 == 0 ? 0.5 : 5),0.5\n" }.joined()
      + (0..<20).map { "a,\(1_777_600_000 + $0),\($0 % 2 == 0 ? 0.5 : 5),0.5\n" }.joined()
    func replay(_ speed: String) throws -> [String] {
      let before = scene.events.count
      let reply = scene.sendRequest(
        .post, "/replay", track, type: "text/csv", query: "speed=\(speed)")
      #expect(reply.status == 202)
      try waitUntil("the replay ends") {
        try TestService.object(scene.sendRequest(.get, "/replay"))["running"] as? Bool == false
      }
      #expect(try TestService.object(scene.sendRequest(.get, "/replay")).count("done") == 40)
      return Array(try scene.brief().dropFirst(before))
    }
    let fast = try replay("max")
    #expect(fast.count == 40 && fast[0] == "b entered Box")
    // The same track, now sorted by time.
    let timed = try replay("200")
    #expect(timed.count == 40 && timed[0] == "a entered Box" && timed[1] == "b entered Box")
    #expect(timed.sorted() == fast.sorted())
    // Only one replay can run at a time; it can be ended.
    #expect(scene.sendRequest(.post, "/replay", track, type: "text/csv").status == 202)
    #expect(scene.sendRequest(.post, "/replay", track, type: "text/csv").status == 409)
    let ended = try TestService.object(scene.sendRequest(.delete, "/replay"))
    #expect(ended["running"] as? Bool == false && (ended.count("done") ?? 40) < 40)
    #expect(scene.sendRequest(.delete, "/replay").status == 404)
    for query in ["speed=-1", "speed=fast", "speed=nan"] {
      #expect(
        scene.sendRequest(.post, "/replay", track, type: "text/csv", query: query).status == 400)
    }
    #expect(scene.sendRequest(.post, "/replay", "id,time,x,y\n", type: "text/csv").status == 400)
  }

  /// An unreadable row is reported, and a track that contains only such rows is not started.
  @Test func unreadableRowsOfTracksAreReported() throws {
    let scene = try LiveScene()
    let head = "id,time,x,y\n"
    for rows in ["a,noon,0.5,0.5\n", "a,noon,0.5,0.5\nb,1777600000,east,0.5\n"] {
      let reply = scene.sendRequest(.post, "/replay", head + rows, type: "text/csv")
      #expect(reply.status == 400 && reply.failure?.contains("noon") == true)
    }
    #expect(scene.sendRequest(.get, "/replay").status == 404)
    let track = head + "a,noon,0.5,0.5\na,1777600000,0.5,0.5\na,1777600001,0.5,north\n"
    let reply = scene.sendRequest(.post, "/replay", track, type: "text/csv", query: "speed=max")
    #expect(reply.status == 202)
    try waitUntil("the replay ends") {
      try TestService.object(scene.sendRequest(.get, "/replay"))["running"] as? Bool == false
    }
    let state = try TestService.object(scene.sendRequest(.get, "/replay"))
    #expect(state.count("accepted") == 1 && state.count("refused") == 2)
    #expect(try state.list("refusals").map { $0.count("row") } == [0, 2])
    #expect(try TestService.object(scene.sendRequest(.get, "")).count("refused") == 2)
    // A truncated row is reported with its position.
    let truncated = #"[{"id":"a","time":1777600000,"lon":0.5,"lat":0.5},{"id":"a","time":17776"#
    #expect(
      scene.sendRequest(.post, "/replay", truncated, type: "application/json", query: "speed=max")
        .status == 202)
    try waitUntil("the replay ends") {
      try TestService.object(scene.sendRequest(.get, "/replay"))["running"] as? Bool == false
    }
    let broken = try TestService.object(scene.sendRequest(.get, "/replay"))
    #expect(broken.count("accepted") == 1 && broken["error"] is String)
  }

  // MARK: Addresses and files

  @Test func addressesAndMethods() throws {
    let scene = try LiveScene()
    let facts = try TestService.object(scene.sendRequest(.get, ""))
    #expect(facts["status"] as? String == "started" && facts.count("fences") == 2)
    for (method, path, status) in [
      (ServiceRequest.Method.post, "", 405), (.get, "/locations", 405), (.put, "/replay", 405),
      (.delete, "/fences", 405), (.get, "/other", 404), (.get, "/fences/1", 404),
      (.get, "/replay", 404), (.get, "s/../m", 404),
    ] { #expect(scene.sendRequest(method, path).status == status, "\(method) \(path)") }
  }

  @Test(arguments: [
    ("{}", "give exactly one of fences and raster-fence"), ("[]", "not a JSON object"),
    ("{", "invalid"),
    (
      #"{"fences":"fences.geojson","feed":"x.csv"}"#,
      "feed is not an option here: clients send the locations"
    ),
    (#"{"fences":"fences.geojson","bufer":1}"#, "unknown option bufer"),
    (#"{"fences":"fences.geojson","fences":null}"#, "the member fences is repeated"),
    (#"{"fences":"fences.geojson","buffer":-1}"#, "buffer -1: a number of metres, 0 or more"),
    (#"{"fences":"fences.geojson","dwell":-1}"#, "dwell -1: a number of seconds, 0 or more"),
    (#"{"fences":"fences.geojson","forget":0}"#, "forget 0: a number of seconds above 0"),
    (#"{"fences":"fences.geojson","rule":"in"}"#, "rule: in is not one of"),
    (#"{"fences":"fences.geojson","message":"1 +"}"#, "the message"),
    (#"{"fences":"fences.geojson","where":"x = 'a"}"#, "m.json"),
    (#"{"fences":"fences.geojson","area":[1,2,3]}"#, "area: an extent, xmin"),
    (#"{"fences":"missing.geojson"}"#, "missing.geojson"),
    (#"{"fences":"../fences.geojson"}"#, "outside the folder"),
    (#"{"fences":"/etc/passwd"}"#, "outside the folder"),
    (#"{"fences":"link.geojson"}"#, "outside the folder"),
    (#"{"raster-fence":"../r.tif: $value > 1"}"#, "outside the folder"),
    (#"{"raster-fence":"/vsicurl/http://localhost/r.tif: $value > 1"}"#, "outside the folder"),
  ])
  func wrongFilesSayWhatIsWrong(text: String, message: String) throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    try outside.write("fences.geojson", LiveScene.fences)
    try folder.write("fences.geojson", LiveScene.fences)
    try folder.write("m.json", text)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.geojson"),
      withDestinationPath: outside.path("fences.geojson"))
    let error = #expect(throws: PlumbError.self) {
      try LiveMonitor(name: "m", path: folder.path("m.json"), .init(), Workers(count: 1))
    }
    let line = error?.line.text() ?? ""
    #expect(line.contains(message) && !line.contains("\n") && line.contains("m.json"), "\(line)")
  }

  // MARK: Entities and their fences

  @Test func positionsHaveTheEventToContinueFrom() throws {
    let scene = try LiveScene()
    func entities(_ query: String = "", status: Int = 200) throws -> [String: Any] {
      let reply = scene.sendRequest(.get, "/entities", query: query)
      #expect(reply.status == status)
      return try TestService.object(reply)
    }
    #expect(try entities().list("entities").isEmpty)
    try scene.post(
      "[" + LiveScene.location("a", 0, 0.5) + "," + LiveScene.location("b", 1, 2.5) + ","
        + LiveScene.location("c", 2, 9) + "]")
    try scene.post(LiveScene.location("a", 5, 0.6))
    let found = try entities()
    #expect(found["count"] as? Int == 3)
    #expect(
      found["lastEventId"] as? String == scene.monitor.log.id(scene.monitor.log.last))
    let list = try found.list("entities")
    // The most recent event first.
    #expect(list.map { $0["entity"] as? String } == ["a", "c", "b"])
    #expect(list[0]["x"] as? Double == 0.6)
    let stay = try #require(try list[0].list("inside").first)
    #expect(stay["fence"] as? String == "Box" && stay["fenceId"] as? String == "1")
    #expect(try list[1].list("inside").isEmpty)
    #expect(try list[2].list("inside").first?["fence"] as? String == "East")
    // The entity left the fence.
    try scene.post(LiveScene.location("b", 8, 5))
    let later = try entities("limit=1")
    #expect(later["count"] as? Int == 3)
    #expect(try later.list("entities").map { $0["entity"] as? String } == ["b"])
    #expect(try later.list("entities")[0].list("inside").isEmpty)
    _ = try entities("limit=x", status: 400)
    #expect(scene.sendRequest(.post, "/entities", "{}").status == 405)
  }
}
