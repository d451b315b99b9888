import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The log and the metrics of requests that do not reach an engine.
@Suite(.serialized) struct AccountingTests {
  private static let map = "rasters/cape.json"

  private func send(_ server: RunningServer, _ text: String) throws -> Int {
    try server.exchange(Array(text.utf8)).status
  }

  /// The lines of the log as JSON objects.
  private func lines(_ server: RunningServer) throws -> [[String: Any]] {
    try server.log.split(separator: "\n").map { line in
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(value as? [String: Any], "\(line)")
    }
  }

  @Test func refusedRequests() throws {
    let server = try RunningServer([Self.map, "--log", "json"])
    let end = "Connection: close\r\n\r\n"
    #expect(
      try send(server, "GET /ogc?token=secret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\(end)") == 400)
    #expect(try send(server, "GET /api/identify HTTP/1.1\r\n\(end)") == 400)
    #expect(
      try send(server, "HEAD / HTTP/1.1\r\nHost: localhost\r\nExpect: fun\r\n\(end)") == 417)
    let long = String(repeating: "a", count: 200_000)
    #expect(try send(server, "GET / HTTP/1.1\r\nHost: localhost\r\nA: \(long)\r\n\(end)") == 431)
    #expect(try send(server, "no request\r\n\r\n") == 400)
    try waitUntil("all requests are in the log") {
      try lines(server).count { $0["status"] != nil } == 5
    }
    let known = try lines(server).filter { $0["status"] != nil }
    #expect(known.map { $0["status"] as? Int } == [400, 400, 417, 431, 400])
    #expect(
      known.map { $0["message"] as? String } == [
        "GET /ogc", "GET /api/identify", "HEAD /", "(invalid request)", "(invalid request)",
      ])
    for line in known {
      #expect(line["kind"] as? String == "bad_input" && line["client"] as? String == "127.0.0.1")
      #expect(line["ms"] is Double && line["bytes"] is Int && line["id"] is String, "\(line)")
    }
    let metrics = try server.request("/metrics").text
    for line in [
      #"plumb_requests_total{operation="ogc",status="400"} 1"#,
      #"plumb_requests_total{operation="refused",status="431"} 1"#,
      #"plumb_request_failures_total{operation="root",kind="bad_input"} 1"#,
      "plumb_requests_running 1",
    ] {
      #expect(metrics.contains(line + "\n"), "\(line): \(metrics)")
    }
  }

  /// A client that disconnects is not an error of its request.
  @Test func clientsThatDisconnect() throws {
    let server = try RunningServer([Self.map, "--workers", "1"])
    let wire = try Wire(server)
    try wire.sendRequest(
      server,
      "/arcgis/rest/services/cape/MapServer/export?f=image&bbox=18,-35,20,-33&size=4000,4000")
    try waitUntil("the request is running") {
      try server.request("/metrics").text.contains("plumb_requests_running 2\n")
    }
    wire.leave()
    #expect(server.logs("status=499"))
    let line = try #require(server.log.split(separator: "\n").first { $0.contains("status=499") })
    #expect(line.contains("kind=cancelled"), "\(line)")
    #expect(
      try server.request("/metrics").text.contains(
        #"plumb_request_failures_total{operation="rest_export",kind="cancelled"} 1"#))
  }

  /// After an early reply, the connection is closed although the client is still sending, and the rest of the
  /// body is not another request.
  @Test func bodiesThatAreNotAwaited() throws {
    let folder = try TemporaryFolder()
    try folder.write("tokens", "secret\n")
    let server = try RunningServer(
      [Self.map, "--timeout", "1", "--token-file", folder.path("tokens")])
    for (token, status) in [("secret", "408"), ("wrong", "401")] {
      let wire = try Wire(server)
      let head =
        "POST /api/identify HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 99999\r\n"
        + "Authorization: Bearer \(token)\r\n\r\n{"
      try wire.send(Array(head.utf8))
      try wire.read(until: "\r\n\r\n")
      #expect(
        wire.text.contains(" \(status) ") && wire.text.contains("Connection: close"), "\(wire.text)"
      )
      try waitUntil("the connection is closed") { !wire.acceptsByte() }
      wire.leave()
    }
    #expect(try server.request("/health").status == 200)
    #expect(
      server.log.split(separator: "\n").count { $0.contains("status=4") } == 2, "\(server.log)")
  }

  @Test func eventStreams() throws {
    let folder = try TemporaryFolder()
    try folder.write("m.json", #"{"fences":"\#(TestPaths.rasters)/wards.geojson"}"#)
    let server = try RunningServer(["--monitor", "m=\(folder.path("m.json"))", "--allow-outside"])
    let wire = try Wire(server)
    try wire.sendRequest(server, "/monitor/m/events")
    try wire.read(until: "event-stream")
    #expect(try server.request("/metrics").text.contains("plumb_requests_running 2\n"))
    wire.leave()
    #expect(server.logs("end=the client went"))
    let line = try #require(server.log.split(separator: "\n").first { $0.contains("end=") })
    for part in ["GET /monitor/m/events", "status=200", "id=", "worker_ms=", "client=127.0.0.1"] {
      #expect(line.contains(part), "\(line)")
    }
    #expect(
      try server.request("/metrics").text.contains(
        #"plumb_requests_total{operation="monitor_events",status="200"} 1"#))
  }
}
