import Foundation
import PlumbTestSupport
import Synchronization
import Testing

/// Events of monitors over real connections.
@Suite(.serialized) struct MonitorStreamTests {
  /// A server with the monitor `m` of a square of one degree.
  private struct Scene {
    let folder: TemporaryFolder
    let server: RunningServer

    init(_ flags: [String] = [], _ options: String = "", files: Int? = nil) throws {
      folder = try TemporaryFolder()
      try folder.write(
        "fences.geojson",
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":"#
          + #"{"name":"Box"},"geometry":{"type":"Polygon","#
          + #""coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}]}"#)
      try folder.write("m.json", #"{"fences":"fences.geojson"\#(options)}"#)
      server = try RunningServer(["--monitor", "m=" + folder.path("m.json")] + flags, files: files)
    }

    /// Sends locations of `a`, alternately inside and outside, so that each causes an event.
    func post(_ steps: Range<Int>, _ headers: [String: String] = [:]) throws {
      let rows = steps.map { "a,\(1_777_600_000 + $0),\($0 % 2 == 0 ? 0.5 : 5),0.5\n" }
      let reply = try server.request(
        "POST", "/monitor/m/locations", ["Content-Type": "text/csv"].merging(headers) { $1 },
        body: Array(("id,time,x,y\n" + rows.joined()).utf8))
      #expect(
        reply.status == 200 && reply.text.contains("\"events\":\(steps.count)"), "\(reply.text)")
    }

    func listen(_ path: String = "/monitor/m/events", _ headers: [String: String] = [:]) throws
      -> Wire
    {
      let wire = try Wire(server)
      try wire.sendRequest(server, path, headers)
      try wire.read(until: "\n\n")
      return wire
    }

    /// A number in the description.
    func count(_ name: String) throws -> Int {
      let reply = try server.request("/monitor/m")
      let value = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
      return try #require(value?[name] as? Int)
    }
  }

  private let events = "/monitor/m/events"

  // MARK: Server-sent events

  @Test func eventsAreSentAsTheyCome() throws {
    let scene = try Scene()
    let wire = try scene.listen()
    #expect(wire.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(wire.text.contains("Content-Type: text/event-stream; charset=utf-8\r\n"))
    // The opening event is not shown; it contains the position from which to continue.
    let opening = try #require(wire.blocks.first)
    let run = try #require(opening["id"]?.split(separator: "-").first)
    #expect(opening["id"] == "\(run)-0" && wire.events.isEmpty)
    try scene.post(0..<3)
    try wire.read(events: 3)
    #expect(wire.events.map { $0["event"] } == ["entered", "exited", "entered"])
    #expect(wire.events.map { $0["id"] } == (1...3).map { "\(run)-\($0)" })
    let track = (0..<3).map { "a,\(1_777_600_000 + $0),\($0 % 2 == 0 ? 0.5 : 5),0.5\n" }
    try scene.folder.write("track.csv", "id,time,x,y\n" + track.joined())
    let command = try ProgramRun(
      TestPaths.program("plumb"),
      ["monitor", "--feed", "track.csv", "--fences", "fences.geojson"], folder: scene.folder.path)
    #expect(
      wire.events.compactMap { $0["data"] }
        == command.output.split(separator: "\n").map(String.init))
    #expect(try scene.count("subscribers") == 1)
    wire.leave()
    try waitUntil("the stream ends") { try scene.count("subscribers") == 0 }
  }

  @Test func clientsGoOnWhereTheyWere() throws {
    let scene = try Scene(["--keep-events", "5"])
    let first = try scene.listen()
    try scene.post(0..<2)
    try first.read(events: 2)
    let last = try #require(first.events.last?["id"])
    first.leave()
    try scene.post(2..<5)
    // The token is sent in a header, or in the address if a client cannot set headers.
    for (path, headers) in [
      (events, ["Last-Event-ID": last]), (events + "?lastEventId=\(last)", [:]),
    ] {
      let again = try scene.listen(path, headers)
      try again.read(events: 3)
      #expect(again.events.map { $0["event"] } == ["entered", "exited", "entered"])
    }
    let later = try scene.listen(events, ["Last-Event-ID": last])
    try scene.post(5..<6)
    try later.read(events: 4)
    #expect(later.events.count == 4)
    // Events that are no longer stored are reported as missing, but not those of another run of the
    // server.
    try scene.post(6..<12)
    let run = last.split(separator: "-")[0]
    for (id, lost) in [(last, "5"), ("0old-2", "null"), ("garbage", "null")] {
      let wire = try scene.listen(events, ["Last-Event-ID": id])
      try wire.read(events: 6)
      #expect(wire.events[0]["event"] == "gap")
      #expect(
        wire.events[0]["data"] == #"{"after":"\#(id)","next":"\#(run)-8","lost":\#(lost)}"#)
      #expect(wire.events.dropFirst().map { $0["id"] } == (8...12).map { "\(run)-\($0)" })
    }
  }

  @Test func aSlowReaderIsDisconnectedAndOthersContinue() throws {
    let message = #","message":"'\#(String(repeating: "x", count: 1000))'""#
    let scene = try Scene(["--max-queue", "1MB", "--keep-events", "1000"], message)
    let slow = try Wire(scene.server, bufferSize: 1 << 16)
    try slow.sendRequest(scene.server, events)
    let quick = try scene.listen()
    #expect(try scene.count("subscribers") == 2)
    var step = 0
    // The system buffers some megabytes for a client that does not read.
    while try scene.count("subscribers") == 2 {
      try #require(step < 40_000)
      try scene.post(step..<step + 200)
      step += 200
      try quick.read(until: "\"index\":\(step - 1)}")
    }
    let ids = quick.events.compactMap { $0["id"]?.split(separator: "-").last }
    #expect(ids == (1...step).map { Substring("\($0)") })
    // On a connection that was cut, the events are received in order, followed by the end or by
    // nothing.
    slow.readAll()
    let got = slow.events
    let numbers = got.compactMap { $0["id"]?.split(separator: "-").last.flatMap { Int($0) } }
    #expect(numbers == Array(1..<numbers.count + 1) && numbers.count < step)
    if let end = got.last, end["event"] == "end" {
      #expect(end["data"]?.contains("too slow") == true)
    }
    #expect(scene.server.logs("too slow"))
  }

  /// Subscribers that join while events are distributed get each later event once, in order.
  @Test func subscribersJoinBetweenEvents() throws {
    let scene = try Scene(["--max-queue", "16MB"])
    let poster = try Wire(scene.server)
    var listeners: [Wire] = []
    let (posts, size) = (20, 60)
    for post in 0..<posts {
      let rows = (post * size..<(post + 1) * size).map {
        "a,\(1_777_600_000 + $0),\($0 % 2 == 0 ? 0.5 : 5),0.5\n"
      }
      let body = "id,time,x,y\n" + rows.joined()
      try poster.send(
        Array(
          ("POST /monitor/m/locations HTTP/1.1\r\nHost: 127.0.0.1:\(scene.server.port)\r\n"
            + "Content-Type: text/csv\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8))
      listeners.append(try scene.listen())
    }
    let end = posts * size
    for wire in listeners {
      let opening = try #require(wire.blocks.first?["id"]?.split(separator: "-").last)
      let start = try #require(Int(opening))
      try wire.read(events: end - start)
      let numbers = wire.events.map { $0["id"]?.split(separator: "-").last.flatMap { Int($0) } }
      #expect(numbers == Array(start + 1..<end + 1))
    }
  }

  @Test func listenersAreBounded() throws {
    let scene = try Scene(["--max-subscribers", "2"])
    let wires = [try scene.listen(), try scene.listen()]
    let third = try scene.server.request(events)
    #expect(third.status == 503 && third.text == "2 clients are already subscribed\n")
    wires[0].leave()
    try waitUntil("the stream ends") { try scene.count("subscribers") <= 1 }
    _ = try scene.listen()
  }

  @Test func theEndOfTheServerIsAnnounced() throws {
    let scene = try Scene()
    let (wire, socket) = (try scene.listen(), try Wire(scene.server))
    _ = try socket.upgrade(scene.server, events)
    _ = try socket.message()
    scene.server.signal(SIGTERM)
    #expect(try socket.closeCode() == 1001)
    wire.readAll()
    #expect(wire.events.last?["event"] == "end")
    #expect(wire.events.last?["data"] == #"{"reason":"the server is shutting down"}"#)
    socket.leave()
    wire.leave()
    #expect(scene.server.status() == 0)
  }

  @Test func aReloadLeavesMonitorsAsTheyAre() throws {
    let scene = try Scene()
    let wire = try scene.listen()
    try scene.post(0..<1)
    scene.server.signal(SIGHUP)
    #expect(scene.server.logs("reloaded"))
    try scene.post(1..<2)
    try wire.read(events: 2)
    #expect(wire.events.map { $0["event"] } == ["entered", "exited"])
  }

  // MARK: WebSocket

  @Test func eventsAreMessages() throws {
    let scene = try Scene()
    let wire = try Wire(scene.server)
    let head = try wire.upgrade(scene.server, events)
    #expect(head.hasPrefix("HTTP/1.1 101 "))
    // The example of RFC 6455, 1.3.
    #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    let opening = try wire.message()
    #expect(opening["event"] as? String == "open")
    try scene.post(0..<300)
    var ids: [String] = []
    for _ in 0..<300 {
      let message = try wire.message()
      let data = try #require(message["data"] as? [String: Any])
      #expect(
        data["entity"] as? String == "a" && data["type"] as? String == message["event"] as? String)
      ids.append(try #require(message["id"] as? String))
    }
    let run = try #require(ids[0].split(separator: "-").first)
    #expect(ids == (1...300).map { "\(run)-\($0)" })
    let again = try Wire(scene.server)
    _ = try again.upgrade(scene.server, events + "?lastEventId=\(run)-299")
    #expect(try again.message()["id"] as? String == "\(run)-300")
    // A ping between the parts of a message.
    try wire.send(frame: 1, Array("he".utf8), isLast: false)
    try wire.send(frame: 9, Array("are you there".utf8))
    try wire.send(frame: 0, Array("llo".utf8))
    let pong = try wire.frame()
    #expect(pong.opcode == 10 && pong.content == Array("are you there".utf8))
    try wire.send(frame: 8, [3, 232])
    #expect(try wire.closeCode() == 1000)
    #expect(!wire.more())
  }

  @Test func whatTheProtocolForbidsEndsTheConnection() throws {
    let scene = try Scene()
    let text = Array("x".utf8)
    let cases: [(code: Int, send: (Wire) throws -> Void)] = [
      (1002, { try $0.send(frame: 1, text, isMasked: false) }),
      (1002, { try $0.send(frame: 1, text, reserved: 0x40) }),
      (1002, { try $0.send(frame: 3, text) }),
      (1002, { try $0.send(frame: 0, text) }),
      (
        1002,
        {
          try $0.send(frame: 1, text, isLast: false)
          try $0.send(frame: 1, text)
        }
      ),
      (1002, { try $0.send(frame: 9, text, isLast: false) }),
      (1002, { try $0.send(frame: 9, [UInt8](repeating: 1, count: 200)) }),
      (1003, { try $0.send(frame: 2, text) }),
      (1007, { try $0.send(frame: 1, [0xC3, 0x28]) }),
      (1009, { try $0.send(frame: 1, [UInt8](repeating: 97, count: 70_000)) }),
      (1009, { try $0.send([0x81, 0xFF] + [UInt8](repeating: 0xFF, count: 8)) }),
      (
        1009,
        {
          try $0.send(frame: 1, [UInt8](repeating: 97, count: 60_000), isLast: false)
          try $0.send(frame: 0, [UInt8](repeating: 97, count: 60_000))
        }
      ),
    ]
    for (index, one) in cases.enumerated() {
      let wire = try Wire(scene.server)
      _ = try wire.upgrade(scene.server, events)
      try one.send(wire)
      #expect(try wire.closeCode() == one.code, "case \(index)")
    }
    try waitUntil("the stream ends") { try scene.count("subscribers") == 0 }
  }

  @Test func handshakesAreChecked() throws {
    let scene = try Scene(["--cors", "https://maps.example.org"])
    let cases: [(headers: [String: String], path: String, status: String)] = [
      (["Sec-WebSocket-Key": ""], events, "400"), (["Sec-WebSocket-Version": "12"], events, "400"),
      (["Connection": "close"], events, "400"), (["Host": "evil.example"], events, "421"),
      (["Origin": "https://evil.example"], events, "403"),
      (["Origin": "https://maps.example.org"], events, "101"),
      ([:], "/monitor/other/events", "404"),
    ]
    for (headers, path, status) in cases {
      let head = try Wire(scene.server).upgrade(scene.server, path, headers)
      #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(headers): \(head)")
    }
    let shared = try scene.listen(events, ["Origin": "https://maps.example.org"])
    #expect(shared.text.contains("Access-Control-Allow-Origin: https://maps.example.org\r\n"))
    #expect(!(try scene.listen(events, ["Origin": "https://evil.example"])).text.contains("Allow"))
  }

  // MARK: Requests

  @Test func tokensAreNeededEverywhere() throws {
    let folder = try TemporaryFolder()
    try folder.write("tokens", "secret\n")
    let scene = try Scene(["--token-file", folder.path("tokens")])
    for (method, path) in [
      ("GET", events), ("GET", "/monitor/m"), ("POST", "/monitor/m/locations"),
      ("PUT", "/monitor/m/fences"), ("DELETE", "/monitor/m/replay"),
    ] {
      #expect(try scene.server.request(method, path).status == 401, "\(method) \(path)")
    }
    #expect(try Wire(scene.server).upgrade(scene.server, events).hasPrefix("HTTP/1.1 401"))
    let wire = try scene.listen(events + "?token=secret")
    let bearer = ["Authorization": "Bearer secret"]
    _ = try scene.listen(events, bearer)
    try scene.post(0..<1, bearer)
    try wire.read(events: 1)
    wire.leave()
    #expect(scene.server.logs("the client went"))
    #expect(!scene.server.log.contains("secret"))
  }

  @Test func methodsAndOrigins() throws {
    let scene = try Scene()
    let fences = try scene.server.request("/monitor/m/fences?buffered=false").body
    #expect(
      try scene.server.request(
        "PUT", "/monitor/m/fences", ["Content-Length": "\(fences.count)"], body: fences
      ).text.contains("\"same\":1"))
    for method in ["PUT", "DELETE"] {
      #expect(try scene.server.request(method, "/health").status == 405)
      #expect(
        try scene.server.request(
          method, "/monitor/m/replay", ["Origin": "https://evil.example"]
        ).status == 403)
    }
    let reply = try scene.server.request("OPTIONS", "/monitor/m/fences")
    #expect(reply.head.contains("GET, POST, PUT, DELETE"))
    #expect(try scene.server.request("HEAD", events).status == 200)
    try scene.post(0..<2)
    let metrics = try scene.server.request("/metrics").text
    #expect(metrics.contains("operation=\"monitor_fences\""))
    #expect(
      metrics.contains("plumb_monitor_locations_total{monitor=\"m\",result=\"accepted\"} 2\n"))
  }

  @Test func bodiesAreBounded() throws {
    let scene = try Scene(["--max-body", "1kB"])
    let reply = try scene.server.request(
      "POST", "/monitor/m/locations", ["Content-Type": "text/csv"],
      body: [UInt8](repeating: 65, count: 5000))
    #expect(reply.status == 413)
  }

  /// A stream may be requested on a connection that has already been used for other requests.
  @Test func eventsFollowOtherReplies() throws {
    let scene = try Scene()
    let wire = try Wire(scene.server)
    let host = "Host: 127.0.0.1:\(scene.server.port)\r\n\r\n"
    try wire.send(
      Array("GET /monitor/m HTTP/1.1\r\n\(host)GET /monitor/m/events HTTP/1.1\r\n\(host)".utf8))
    try wire.read(until: "retry: 2000")
    #expect(wire.text.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
    // The bytes that follow are ignored.
    try wire.send(Array("GET /health HTTP/1.1\r\n\(host)".utf8))
    try scene.post(0..<1)
    try wire.read(until: "event: entered")
    #expect(!wire.text.contains("ok\n\n"))
  }

  @Test func hostileHeadsDoNoHarm() throws {
    let scene = try Scene()
    let wire = try scene.listen()
    for text in [
      "GET /monitor/m/events HTTP/1.1\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n",
      "GET /monitor/%ff/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /monitor/m/events?lastEventId=%ff%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /monitor/m/events?\(String(repeating: "a&", count: 3000)) HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /monitor/m/events HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
      "POST /monitor/m/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
    ] {
      let other = try Wire(scene.server)
      try other.send(Array(text.utf8))
      shutdown(other.handle, Int32(SHUT_WR))
      other.readAll()
    }
    // The bytes after a request are ignored, even if they are not a request.
    for socket in [false, true] {
      let other = try Wire(scene.server)
      let upgrade =
        socket
        ? "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" : ""
      try other.send(
        Array(
          "GET /monitor/m/events HTTP/1.1\r\nHost: localhost\r\n\(upgrade)\r\n\u{1}\u{2} junk\r\n\r\n"
            .utf8))
      try other.read(until: socket ? "\"open\"" : "retry")
    }
    try waitUntil("the stream ends") { try scene.count("subscribers") <= 1 }
    // An incomplete request, and nothing else.
    let half = try Wire(scene.server)
    try half.send(Array("GET /monitor/m/events HTTP/1.1\r\nHost: local".utf8))
    try scene.post(0..<1)
    try wire.read(events: 1)
    #expect(try scene.count("subscribers") == 1)
  }
}
