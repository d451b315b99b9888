import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The limits for malicious clients, while other clients are served.
@Suite(.serialized) struct LimitTests {
  private static let map = "rasters/cape.json"
  private static let question = Array(#"{"map":"cape","at":[[18.86,-33.93]]}"#.utf8)
  private static let json = ["Content-Type": "application/json"]

  private func identify(_ server: RunningServer) throws -> RunningServer.Reply {
    try server.request("POST", "/api/identify", Self.json, body: Self.question)
  }

  /// The value of a metric.
  private func metric(_ server: RunningServer, _ name: String) throws -> Int {
    let line = try server.request("/metrics").text.split(separator: "\n")
      .first { $0.hasPrefix(name + " ") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) }, "\(name)")
  }

  // MARK: Shapes

  private func query(_ ring: [[Int]]) throws -> [UInt8] {
    let geometry = "{\"rings\":[\(ring)],\"spatialReference\":{\"wkid\":4326}}"
    let allowed = CharacterSet.alphanumerics
    let text = try #require(geometry.addingPercentEncoding(withAllowedCharacters: allowed))
    return Array(
      "f=json&returnCountOnly=true&geometryType=esriGeometryPolygon&geometry=\(text)".utf8)
  }

  private func zigzag(_ count: Int) -> [[Int]] {
    (0..<count).map { [$0 % 2 == 0 ? 17 : 20, -36 + 4 * $0 / count] } + [[17, -36]]
  }

  @Test func shapesThatCrossThemselves() throws {
    let server = try RunningServer([Self.map, "--timeout", "2", "--workers", "2"])
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    let layers = try server.request("/arcgis/rest/services/cape/FeatureServer?f=json").text
    #expect(layers.contains("layers"))
    var generator = SeededGenerator(seed: 5)
    let wild = (0..<1500).map { _ in
      [Int.random(in: -170...170, using: &generator), Int.random(in: -80...80, using: &generator)]
    }
    let path = "/arcgis/rest/services/cape/FeatureServer/0/query"
    let refused = try server.request("POST", path, form, body: query(wild + [wild[0]]))
    #expect(refused.status == 200 && refused.text.contains("cross"), "\(refused.text)")
    // The shapes have few crossings, but GEOS would not finish within hours. The computation is
    // stopped, and the requests that wait for it end.
    let slow = (0..<350).map { _ in
      [
        Int.random(in: -170_000...170_000, using: &generator),
        Int.random(in: -80_000...80_000, using: &generator),
      ]
    }
    let scaled = slow.map { $0.map { Double($0) / 1000 } }
    let geometry = "{\"rings\":[\(scaled + [scaled[0]])],\"spatialReference\":{\"wkid\":4326}}"
    let allowed = CharacterSet.alphanumerics
    let text = try #require(geometry.addingPercentEncoding(withAllowedCharacters: allowed))
    let body = Array(
      "f=json&returnCountOnly=true&geometryType=esriGeometryPolygon&geometry=\(text)".utf8)
    let wires = try (0..<4).map { _ in try Wire(server) }
    for wire in wires {
      try wire.send(
        Array(
          ("POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n"
            + "Content-Type: \(form["Content-Type"] ?? "")\r\nContent-Length: \(body.count)\r\n\r\n")
            .utf8) + body)
    }
    for wire in wires {
      wire.readAll()
      #expect(wire.text.contains("\"code\":504") || wire.text.contains("\"count\""), "\(wire.text)")
    }
    #expect(try identify(server).status == 200)
  }

  @Test func vectorPicturesOfManyShapes() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<60_000).map { "\($0 % 300),\(Double($0 / 300) / 4)" }
    try folder.write("points.csv", "lon,lat\n" + rows.joined(separator: "\n") + "\n")
    let server = try RunningServer([folder.path("points.csv")])
    let picture =
      "/arcgis/rest/services/points/MapServer/export?f=image&bbox=-10,-10,310,60&bboxSR=4326"
    let svg = try server.request(picture + "&format=svg")
    #expect(svg.text.contains("error") && svg.text.contains("png"), "\(svg.text.prefix(300))")
    #expect(try server.request(picture + "&format=png").head.contains("image/png"))
    let part = picture.replacing("-10,-10,310,60", with: "0,0,20,5")
    #expect(try server.request(part + "&format=svg").text.contains("<svg"))
  }

  /// A vector picture is sent while it is written, and is cut off if its client does not read it.
  @Test func vectorPicturesAreStreamed() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<20_000).map { "\($0 % 200),\(Double($0 / 200) / 4)" }
    try folder.write("points.csv", "lon,lat\n" + rows.joined(separator: "\n") + "\n")
    let server = try RunningServer([folder.path("points.csv"), "--timeout", "5"])
    let path =
      "/arcgis/rest/services/points/MapServer/export?f=image&bbox=-10,-10,210,60&bboxSR=4326"
    for (format, start, end) in [("svg", "<?xml", "</svg>\n"), ("pdf", "%PDF-", "%%EOF\n")] {
      let whole = try server.request(path + "&format=\(format)")
      #expect(whole.head.lowercased().contains("transfer-encoding: chunked"), "\(whole.head)")
      #expect(whole.status == 200 && whole.body.starts(with: Array(start.utf8)))
      #expect(whole.body.suffix(end.utf8.count).elementsEqual(end.utf8))
    }
    #expect(!server.log.contains("cut off"))
    let wire = try Wire(server, bufferSize: 4096)
    try wire.sendRequest(server, path + "&format=svg")
    try wire.read(until: "\r\n\r\n")
    #expect(wire.text.hasPrefix("HTTP/1.1 200 "), "\(wire.text.prefix(300))")
    #expect(server.logs("the reply was cut off"))
    wire.readAll()
    #expect(wire.text.contains("<svg") && !wire.text.contains("</svg>"))
    #expect(!wire.text.hasSuffix("\r\n0\r\n\r\n"))
    #expect(try server.request("/health").status == 200)
  }

  // MARK: Bodies and replies

  @Test func bodiesThatDoNotCome() throws {
    let server = try RunningServer([Self.map, "--timeout", "20", "--max-body", "1MB"])
    let wires = try (0..<20).map { _ in try Wire(server) }
    for wire in wires {
      try wire.send(
        Array(
          ("POST /api/identify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n").utf8))
    }
    #expect(try identify(server).status == 200)
  }

  @Test func manyBytesOfOneClient() throws {
    let server = try RunningServer(
      [Self.map, "--timeout", "20", "--max-body", "1MB", "--per-client", "bytes=300kB"])
    let rows = String(repeating: "18.6,-33.9\n", count: 20_000)
    let first = try Wire(server)
    try first.send(
      Array(
        ("POST /api/sample?map=cape HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
          + "Content-Length: 500000\r\n\r\nlon,lat\n\(rows)").utf8))
    try waitUntil("other requests are answered") {
      let other = try server.request(
        "POST", "/api/sample?map=cape", ["Content-Type": "text/csv"],
        body: Array("lon,lat\n\(rows)".utf8))
      return other.status == 429 && other.head.lowercased().contains("retry-after")
    }
    #expect(try identify(server).status == 200)
  }

  @Test func repliesThatAreNotRead() throws {
    let server = try RunningServer([Self.map, "--timeout", "5"])
    let list = String(repeating: "[18.86,-33.93],", count: 3000) + "[18.86,-33.93]"
    let body = Array("{\"map\":\"cape\",\"at\":[\(list)]}".utf8)
    let whole = try server.request("POST", "/api/identify", Self.json, body: body)
    #expect(whole.status == 200 && whole.body.count > 8 << 20)
    let wires = try (0..<4).map { _ in try Wire(server, bufferSize: 4096) }
    for wire in wires {
      try wire.send(
        Array(
          ("POST /api/identify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
    }
    try waitUntil("the connection is closed") { try metric(server, "plumb_connections") == 1 }
    #expect(server.logs("the reply was cut off"))
    #expect(try identify(server).status == 200)
  }

  /// A client that keeps reading, however slowly, receives the whole reply: with a small buffer,
  /// and with one so large that the system does not accept bytes for longer than the time limit.
  @Test(arguments: [(250, 8192, 1024, 50_000), (3000, 1 << 20, 131_072, 400_000)])
  func repliesThatAreReadSlowly(count: Int, bufferSize: Int, part: Int, pause: Int) throws {
    let server = try RunningServer([Self.map, "--timeout", "3"])
    let list = String(repeating: "[18.86,-33.93],", count: count) + "[18.86,-33.93]"
    let body = Array("{\"map\":\"cape\",\"at\":[\(list)]}".utf8)
    let whole = try server.request("POST", "/api/identify", Self.json, body: body)
    let wire = try Wire(server, bufferSize: Int32(bufferSize))
    try wire.send(
      Array(
        ("POST /api/identify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          + "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n").utf8) + body)
    let start = ContinuousClock.now
    // The duration exceeds the time limit.
    while ContinuousClock.now - start < .seconds(9), wire.more(limit: part) {
      usleep(UInt32(pause))
    }
    wire.readAll()
    // A description of the difference of so many bytes would take minutes.
    let isWhole = RunningServer.Reply(wire.bytes).body == whole.body
    #expect(
      isWhole,
      "\(wire.bytes.count) of \(whole.body.count) bytes, \(whole.status); \(server.log.suffix(600))"
    )
  }

  @Test func valuesOfManyKinds() throws {
    let server = try RunningServer([Self.map])
    for item in ["[],", #"{"a":1},"#, #"{"":{}},"#] {
      let list = String(repeating: item, count: 3_000_000) + "0"
      let reply = try server.request(
        "POST", "/api/identify", Self.json, body: Array("{\"at\":[\(list)]}".utf8))
      #expect(reply.status == 413 && reply.text.contains("values"), "\(item): \(reply.text)")
    }
    #expect(try identify(server).status == 200)
  }

  // MARK: Connections

  @Test func idleConnectionsLetOthersIn() throws {
    let server = try RunningServer([Self.map], files: 256)
    let wires = try (0..<150).map { _ in try Wire(server) }
    #expect(try server.request("/health").status == 200)
    #expect(try identify(server).status == 200)
    withExtendedLifetime(wires) {}
  }

  @Test func busyConnectionsOfOneClient() throws {
    let server = try RunningServer(
      [Self.map, "--timeout", "20", "--per-client", "connections=3"])
    // A connection that waits for a body counts as busy.
    let wires = try (0..<3).map { _ in
      let wire = try Wire(server)
      try wire.send(
        Array(
          ("POST /api/identify HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            + "Content-Length: 9\r\n\r\n").utf8))
      try wire.read(until: "100 Continue")
      return wire
    }
    #expect(try server.request("/ogc?f=json").status == 429)
    // One more connection may request the state of the server.
    #expect(try server.request("/health").status == 200)
    #expect(try server.request("/ready").status != 429)
    #expect(server.logs("GET /ogc"))
    let line = try #require(server.log.split(separator: "\n").first { $0.contains("GET /ogc") })
    #expect(line.contains("status=429") && line.contains("kind=limit"), "\(line)")
    wires[0].leave()
    try waitUntil("requests are accepted") { try server.request("/ogc?f=json").status == 200 }
    #expect(server.logs("the request is incomplete"), "\(server.log)")
  }

  @Test func aLogThatIsNotRead() throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: TestPaths.program("plumb-server"))
    process.arguments = [Self.map, "--port", "0", "--timeout", "3"]
    process.currentDirectoryURL = URL(fileURLWithPath: TestPaths.root)
    process.standardError = pipe
    try process.run()
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    var text = ""
    while !text.contains("listening on"), process.isRunning {
      text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    }
    let port = try #require(text.firstMatch(of: /127.0.0.1:(\d+)/).flatMap { UInt16($0.1) })
    let server = RunningServer(port: port)
    for _ in 0..<3000 {
      let reply = try server.request("/health?" + String(repeating: "a", count: 200))
      try #require(reply.status == 200)
    }
    kill(process.processIdentifier, SIGTERM)
    try process.waitForExit()
    #expect(process.terminationReason == .exit)
  }
}
