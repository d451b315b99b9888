import Foundation
import PlumbTestSupport
import Testing

/// The server as seen by clients and operators.
@Suite(.serialized) struct ServerTests {
  private let map = "rasters/cape.json"

  /// A map of one point with a name.
  private func folder(_ name: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","#
        + #""coordinates":[1,2]},"properties":{"name":"\#(name)"}}]}"#)
    try folder.write(
      "p.json",
      #"{"operationalLayers":[{"id":"p","layerType":"ArcGISFeatureLayer","url":"p.geojson"}],"#
        + #""version":"2.31"}"#)
    return folder
  }

  private let query = "/arcgis/rest/services/p/FeatureServer/0/query?where=1=1&outFields=*&f=json"

  @Test func repliesLogsAndEnds() throws {
    let server = try RunningServer([map, "--network", "rasters/gas.json", "--log", "json"])
    #expect(try server.request("/health").text.hasPrefix("ok\nplumb-server "))
    let page = try server.request("/")
    #expect(page.status == 200 && page.text.contains("<title>Plumb</title>"))
    let reply = try server.request(
      "POST", "/api/identify", ["Content-Type": "application/json"],
      body: Array(#"{"map":"cape","at":[[18.86,-33.93]]}"#.utf8))
    #expect(reply.status == 200 && reply.text.contains("\"results\""))
    _ = try server.request("/arcgis/rest/info?f=json&token=hidden")
    let metrics = try server.request("/metrics").text
    #expect(metrics.contains("plumb_requests_total{operation=\"health\",status=\"200\"} 1"))
    server.signal(SIGTERM)
    #expect(server.status() == 0)
    #expect(!server.log.contains("hidden"))
    let lines = server.log.split(separator: "\n")
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["message"] is String && object?["time"] is String, "\(line)")
    }
    #expect(lines.filter { $0.contains("\"id\"") }.count == 5)
  }

  /// Requests in the README and in the pages by task have the replies shown there.
  @Test func repliesAreThoseOfThePages() throws {
    let text = try GuidePages.paths.map { try GuidePages.text($0) }.joined(separator: "\n")
    let server = try RunningServer([map, "--network", "rasters/gas.json"])
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let questions = lines.indices.filter { lines[$0].hasPrefix("$ curl -s ") }
    #expect(questions.count >= 3)
    for index in questions {
      let line = String(lines[index])
      let quoted = line.split(separator: "'").map(String.init)
      let address = try #require(line.firstMatch(of: /http:\/\/127.0.0.1:8080([^' ]+)/))
      let form = line.contains(" -d ") ? quoted.last : nil
      let reply =
        try form.map {
          try server.request(
            "POST", String(address.1), ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array($0.utf8))
        } ?? server.request(String(address.1))
      let shown = lines[(index + 1)...].prefix { !$0.hasPrefix("$ ") && !$0.hasPrefix("```") }
      let replyLines = reply.text.split(separator: "\n")
      #expect(replyLines.map { String($0) } == shown.map { String($0) }, "\(line)")
    }
  }

  /// OGC API: methods, headers and content negotiation work.
  @Test func headersDescribeTheReply() throws {
    let server = try RunningServer([map])
    let items = "/ogc/collections/cape.wards/items?limit=1"
    let page = try server.request("GET", items, ["Accept": "text/html,*/*;q=0.8"])
    #expect(page.head.lowercased().contains("content-type: text/html"))
    let features = try server.request(items)
    #expect(features.head.lowercased().contains("content-type: application/geo+json"))
    #expect(features.head.lowercased().contains("content-crs: <http://www.opengis.net/def/crs/ogc"))
    #expect(features.text.contains("\"http://127.0.0.1:\(server.port)/ogc/collections/"))
    #expect(try server.request("HEAD", items).status == 200)
    for (method, status) in [("DELETE", 405), ("PUT", 405), ("POST", 405), ("OPTIONS", 204)] {
      let reply = try server.request(method, items)
      #expect(reply.status == status && reply.head.contains("Allow: GET, HEAD, OPTIONS\r\n"))
    }
    let service = try server.request("DELETE", "/arcgis/rest/services")
    #expect(service.status == 405 && service.head.contains("Allow: GET, HEAD, POST, OPTIONS"))
  }

  @Test func repliesArePacked() throws {
    let server = try RunningServer([map])
    let path = "/arcgis/rest/services/cape/FeatureServer/2/query?where=1=1&outFields=*&f=json"
    let plain = try server.request(path)
    let packed = try server.request(path, ["Accept-Encoding": "gzip"])
    #expect(packed.head.lowercased().contains("content-encoding: gzip"))
    #expect(packed.body.count < plain.body.count / 2)
    let folder = try TemporaryFolder()
    try Data(packed.body).write(to: URL(fileURLWithPath: folder.path("a.gz")))
    let run = try ProgramRun("/bin/gzip", ["-dc", folder.path("a.gz")])
    #expect(run.output == plain.text)
  }

  @Test func hostsAndOriginsAreChecked() throws {
    let server = try RunningServer([map, "--cors", "https://maps.example.org"])
    for (host, status) in [
      ("127.0.0.1", 200), ("localhost:9", 200), ("evil.example", 421), ("maps.example.org", 200),
    ] {
      #expect(try server.request("/health", ["Host": host]).status == status, "\(host)")
    }
    for (origin, status) in [
      ("https://evil.example", 403), ("https://maps.example.org", 200),
      ("http://127.0.0.1:\(server.port)", 200),
    ] {
      let reply = try server.request(
        "POST", "/arcgis/rest/info?f=json", ["Origin": origin], body: Array("f=json".utf8))
      #expect(reply.status == status, "\(origin)")
      let shares = reply.head.lowercased().contains("access-control-allow-origin")
      #expect(shares == (origin == "https://maps.example.org"))
    }
    let response = try server.request(
      "OPTIONS", "/api/identify", ["Origin": "https://maps.example.org"])
    #expect(response.status == 204)
  }

  @Test func tokensAreNeeded() throws {
    let folder = try TemporaryFolder()
    try folder.write("tokens", "first\nsecond\n")
    let server = try RunningServer([map, "--token-file", folder.path("tokens")])
    let path = "/arcgis/rest/services?f=json"
    #expect(try server.request("/health").status == 200)
    #expect(try server.request(path).text.contains("499"))
    #expect(try server.request(path + "&token=third").text.contains("498"))
    #expect(try server.request("/metrics").status == 401)
    for headers in [
      ["Authorization": "Bearer second"], ["X-Esri-Authorization": "Bearer first"],
    ] {
      #expect(try server.request(path, headers).text.contains("cape"))
    }
    #expect(try server.request(path + "&token=first").text.contains("cape"))
    let form = try server.request(
      "POST", "/arcgis/rest/services", ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array("f=json&token=second".utf8))
    #expect(form.text.contains("cape"))
    #expect(!server.log.contains("second") && !server.log.contains("third"))
  }

  @Test("A file of tokens is read completely or rejected: no token is truncated or repaired")
  func tokenFilesAreWhole() throws {
    let folder = try TemporaryFolder()
    let filler = String(repeating: "#\n", count: 32_760)
    try folder.write("tokens", filler + "abcdefghijklmnopqrstuvwxyz")
    let large = try ProgramRun(
      TestPaths.program("plumb-server"), [map, "--token-file", folder.path("tokens")])
    #expect(large.status == 1 && large.errors.contains("over 64 kB"))
    #expect(large.errors.split(separator: "\n").count == 1)
    try Data(Array("good\n".utf8) + [0xFF, 0x41]).write(
      to: URL(fileURLWithPath: folder.path("tokens")))
    let broken = try ProgramRun(
      TestPaths.program("plumb-server"), [map, "--token-file", folder.path("tokens")])
    #expect(broken.status == 1 && broken.errors.contains("number 2 is not UTF-8"))
    try folder.write("tokens", filler + "last-token")
    let server = try RunningServer([map, "--token-file", folder.path("tokens")])
    let path = "/arcgis/rest/services?f=json&token="
    #expect(try server.request(path + "last-toke").text.contains("498"))
    #expect(try server.request(path + "last-token").text.contains("cape"))
  }

  @Test func otherAddressesNeedAToken() throws {
    let run = try ProgramRun(
      TestPaths.program("plumb-server"), [map, "--bind", "0.0.0.0", "--port", "0"])
    #expect(run.status == 64 && run.errors.contains("--token-file"))
    let none = try ProgramRun(TestPaths.program("plumb-server"), [])
    #expect(none.status == 64)
    let missing = try ProgramRun(TestPaths.program("plumb-server"), ["nothing.json"])
    #expect(missing.status == 1 && missing.errors.split(separator: "\n").count == 1)
  }

  @Test func documentsAreReloaded() throws {
    let folder = try folder("before")
    let server = try RunningServer([folder.path("p.json")])
    #expect(try server.request(query).text.contains("before"))
    let text = try String(contentsOfFile: folder.path("p.geojson"), encoding: .utf8)
    try folder.write("p.geojson", text.replacing("before", with: "after"))
    server.signal(SIGHUP)
    #expect(server.logs("reloaded"))
    #expect(try server.request(query).text.contains("after"))
    try folder.write("p.json", "{")
    server.signal(SIGHUP)
    #expect(server.logs("was not reloaded"))
    #expect(try server.request(query).text.contains("after"))
    server.signal(SIGTERM)
    #expect(server.status() == 0)
  }

  /// A server that is still loading ends immediately.
  @Test func endsWhileItReads() throws {
    let server = try RunningServer([map, "--timeout", "1"])
    let half = try server.connect()
    defer { close(half) }
    server.signal(SIGTERM)
    #expect(server.status() == 0)
    #expect(server.logs("ended"))
  }

  /// HEAD has no body, even if the reply is long.
  @Test func headsHaveNoBodies() throws {
    let server = try RunningServer([map])
    let samples =
      "/arcgis/rest/services/cape_18/ImageServer/getSamples?f=json&geometry=18.6,-34.1"
    for _ in 0..<70 {
      let reply = try server.request("HEAD", samples)
      #expect(reply.status == 200 && reply.body.isEmpty)
    }
    #expect(try server.request(samples).text.contains("samples"))
    #expect(try server.request("/metrics").text.contains("plumb_requests_running 1"))
  }

  /// HEAD returns the headers of GET, even for replies without a known length, and the connection
  /// stays usable.
  @Test func headsHaveTheHeadersOfReplies() throws {
    let server = try RunningServer([map])
    func headers(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\r\n").map { $0.lowercased() }.filter {
        !$0.hasPrefix("date:") && !$0.hasPrefix("x-request-id:")
      }.sorted()
    }
    let samples =
      "/arcgis/rest/services/cape_18/ImageServer/getSamples?f=json&geometry=18.6,-34.1"
    let table = "/ogc/collections/cape.wards/items?f=parquet&limit=1"
    for (path, isStreamed) in [
      (samples, true), (table, true), ("/ogc?f=json", false), ("/none", false),
    ] {
      for coding in ["identity", "gzip"] {
        let accepted = ["Accept-Encoding": coding]
        let get = headers(try server.request("GET", path, accepted).head)
        #expect(headers(try server.request("HEAD", path, accepted).head) == get, "\(path)")
        #expect(get.contains("transfer-encoding: chunked") == isStreamed, "\(get)")
        #expect(get.contains { $0.hasPrefix("content-length:") } != isStreamed, "\(get)")
      }
      // The next reply follows the headers directly.
      let lines = "HTTP/1.1\r\nHost: localhost\r\n"
      let wire = try Wire(server)
      try wire.send(
        Array(
          ("HEAD \(path) \(lines)\r\n" + "GET /health \(lines)Connection: close\r\n\r\n").utf8))
      wire.readAll()
      let end = try #require(wire.text.firstRange(of: "\r\n\r\n")).upperBound
      #expect(wire.text[end...].hasPrefix("HTTP/1.1 200 OK\r\n"), "\(path) \(wire.text)")
      let old = try server.exchange(Array("HEAD \(path) HTTP/1.0\r\n\r\n".utf8))
      #expect(old.head.hasPrefix("HTTP/1.0 ") && old.body.isEmpty, "\(old)")
      #expect(old.head.lowercased().contains("content-length:") != isStreamed, "\(old)")
    }
    let refused = try server.exchange(Array("HEAD /health HTTP/1.1\r\n\r\n".utf8))
    #expect(refused.status == 400 && refused.body.isEmpty, "\(refused)")
  }

  @Test func bodiesAreBounded() throws {
    let server = try RunningServer([map, "--max-body", "100KB", "--max-points", "10"])
    let large = [UInt8](repeating: 0x20, count: 200_000)
    let json = ["Content-Type": "application/json"]
    #expect(try server.request("POST", "/api/identify", json, body: large).status == 413)
    let folder = try TemporaryFolder()
    try Data(large).write(to: URL(fileURLWithPath: folder.path("large")))
    _ = try ProgramRun("/bin/gzip", [folder.path("large")])
    let packed = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("large.gz"))))
    #expect(packed.count < 10_000)
    let bomb = try server.request(
      "POST", "/api/identify", json.merging(["Content-Encoding": "gzip"]) { $1 }, body: packed)
    #expect(bomb.status == 413)
    let points = (0..<11).map { _ in "[18.6,-34]" }.joined(separator: ",")
    let many = try server.request(
      "POST", "/api/identify", json, body: Array("{\"at\":[\(points)]}".utf8))
    #expect(many.status == 413)
    let packedWell = try server.request(
      "POST", "/api/identify", json.merging(["Content-Encoding": "gzip"]) { $1 },
      body: [0x1F, 0x8B, 1, 2, 3])
    #expect(packedWell.status == 400)
  }

  /// Incomplete requests and idle connections do not block others.
  @Test func slowClientsWait() throws {
    let server = try RunningServer([map, "--timeout", "1"])
    var handles: [Int32] = []
    for start in ["", "GET / HT", "POST /api/identify HTTP/1.1\r\nHost: localhost\r\n"] {
      for _ in 0..<30 {
        let handle = try server.connect()
        try RunningServer.send(Array(start.utf8), to: handle)
        handles.append(handle)
      }
    }
    let half = try server.connect()
    try RunningServer.send(
      Array(
        "POST /api/identify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{"
          .utf8), to: half)
    #expect(try server.request("/health").status == 200)
    let late = RunningServer.Reply(RunningServer.receive(half))
    #expect(late.status == 408)
    for handle in handles + [half] { close(handle) }
    #expect(try server.request("/health").status == 200)
    // Data that is not HTTP.
    _ = try server.exchange([UInt8](repeating: 0xFF, count: 1000))
    _ = try server.exchange(Array("GET / HTTP/1.1\r\nHost: a b\r\n\u{0}: x\r\n\r\n".utf8))
    #expect(try server.request("/health").status == 200)
  }

  /// The number of connections is limited by the limit of open files, minus some files for work;
  /// idle connections are closed for new ones.
  @Test func idleConnectionsLeaveFiles() throws {
    let server = try RunningServer([map, "--per-client", "connections=1000"], files: 256)
    let idle = try (0..<300).map { number in
      let handle = try server.connect()
      if number % 2 == 1 { try RunningServer.send(Array("GET / HTTP/1.1\r\nHo".utf8), to: handle) }
      return handle
    }
    let reply = try server.request("/arcgis/rest/services/cape/MapServer?f=json")
    #expect(reply.status == 200 && reply.text.contains("currentVersion"))
    for handle in idle { close(handle) }
    #expect(try server.request("/health").status == 200)
    server.signal(SIGTERM)
    #expect(server.status() == 0)
  }
}
