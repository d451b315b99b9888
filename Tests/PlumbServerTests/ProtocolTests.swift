import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The server complies with HTTP regardless of its clients' behaviour.
@Suite(.serialized) struct ProtocolTests {
  private static let map = "rasters/cape.json"
  private static let services = "/arcgis/rest/services?f=json"

  private func status(_ server: RunningServer, _ head: String) throws -> Int {
    try server.exchange(Array((head + "\r\n\r\n").utf8)).status
  }

  @Test func hosts() throws {
    let server = try RunningServer([Self.map])
    #expect(try status(server, "GET /health HTTP/1.1\r\nConnection: close") == 400)
    #expect(
      try status(server, "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost") == 400)
    #expect(try status(server, "GET /health HTTP/1.0") == 200)
    #expect(
      try status(server, "GET \(Self.services) HTTP/1.1\r\nHost: e.org\r\nConnection: close") == 421
    )
  }

  @Test func oldClientsGetNoChunks() throws {
    let server = try RunningServer([Self.map])
    let body = "lon,lat\n18.6,-33.9\n"
    let reply = try server.exchange(
      Array(
        ("POST /api/sample?map=cape HTTP/1.0\r\nContent-Type: text/csv\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8))
    #expect(reply.status == 200 && reply.head.hasPrefix("HTTP/1.0 "), "\(reply.head)")
    #expect(!reply.head.lowercased().contains("transfer-encoding"))
    #expect(reply.text.hasPrefix("lon,lat,"), "\(reply.text)")
  }

  @Test func bodiesThatWaitForContinue() throws {
    let server = try RunningServer([Self.map])
    let body = #"{"map":"cape","at":[[18.86,-33.93]]}"#
    let wire = try Wire(server)
    let head =
      "POST /api/identify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    try wire.send(Array(head.utf8))
    try wire.read(until: "HTTP/1.1 100 Continue\r\n\r\n")
    try wire.send(Array(body.utf8))
    wire.readAll()
    #expect(wire.text.contains("HTTP/1.1 200 OK") && wire.text.contains("\"results\""))
    let tooLong = try Wire(server)
    try tooLong.send(
      Array(head.replacing("Length: \(body.utf8.count)", with: "Length: 1000000000").utf8))
    try tooLong.read(until: "\r\n\r\n")
    #expect(tooLong.text.hasPrefix("HTTP/1.1 413"), "\(tooLong.text)")
    #expect(
      try status(server, "GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: more") == 417)
  }

  @Test func headsThatAreTooLong() throws {
    let server = try RunningServer([Self.map])
    let long = String(repeating: "a", count: 200_000)
    #expect(try status(server, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: \(long)") == 431)
    #expect(try server.request("/health").status == 200)
  }

  @Test func codings() throws {
    let server = try RunningServer([Self.map])
    let path = "/arcgis/rest/services/cape/FeatureServer/0/query?where=1%3D1&f=json&outFields=*"
    for (accepted, isPacked) in [
      ("gzip", true), ("gzip;q=0", false), ("GZIP;Q=0.5, br", true), ("*", true), ("*;q=0", false),
      ("gzip;q=0, *", false), ("br, deflate", false), ("identity", false), ("x-gzip", true),
    ] {
      let reply = try server.request(path, ["Accept-Encoding": accepted])
      #expect(
        reply.head.lowercased().contains("content-encoding: gzip") == isPacked, "\(accepted)")
    }
  }

  @Test func whatTheClientHasAlready() throws {
    let server = try RunningServer([Self.map])
    for path in ["/", Self.services, "/ogc/collections?f=json"] {
      let first = try server.request(path)
      #expect(first.status == 200, "\(path)")
      let tag = try #require(first.head.firstMatch(of: /(?i)etag: ([^\r\n]+)/).map { String($0.1) })
      for known in [tag, "\"a\", " + tag, "*"] {
        let again = try server.request(path, ["If-None-Match": known])
        #expect(again.status == 304 && again.body.isEmpty, "\(path): \(known)")
      }
      #expect(try server.request(path, ["If-None-Match": "\"a\""]).body == first.body)
      let time = try #require(Self.time(first), "\(first.head)")
      for (since, isKnown) in [
        (time, true), ("Fri, 31 Dec 2999 23:59:59 GMT", true),
        ("Thu, 01 Jan 1970 00:00:00 GMT", false), ("yesterday", false), ("", false),
        (time.replacing("GMT", with: "CET"), false),
      ] {
        let again = try server.request(path, ["If-Modified-Since": since])
        #expect(again.status == (isKnown ? 304 : 200), "\(path): \(since)")
        #expect(Self.time(again) == time)
        // A tag takes precedence.
        let both = ["If-Modified-Since": since, "If-None-Match": "\"a\""]
        #expect(try server.request(path, both).status == 200)
      }
    }
  }

  private static func time(_ reply: RunningServer.Reply) -> String? {
    reply.head.firstMatch(of: /(?i)last-modified: ([^\r\n]+)/).map { String($0.1) }
  }

  private static func seconds(_ text: String) throws -> Double {
    let form = DateFormatter()
    form.locale = Locale(identifier: "en_US_POSIX")
    form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    form.timeZone = TimeZone(secondsFromGMT: 0)
    return try #require(form.date(from: text), "\(text)").timeIntervalSince1970
  }

  /// The time that a reply states does not change its tag.
  @Test func timesInReplies() throws {
    let server = try RunningServer([Self.map])
    let path = "/ogc/collections/cape.wards/items?f=json&limit=1"
    let first = try server.request(path)
    var second = first
    try waitUntil("the time of the reply is different") {
      second = try server.request(path)
      return second.body != first.body
    }
    let tag = try #require(first.head.firstMatch(of: /(?i)etag: ([^\r\n]+)/).map { String($0.1) })
    #expect(second.head.contains(tag), "\(first.head) \(second.head)")
    #expect(Self.time(second) == Self.time(first))
    #expect(try server.request(path, ["If-None-Match": tag]).status == 304)
  }

  /// Data that have changed have a later time, even if they change within a second. The time is not later than
  /// the reply.
  @Test func timesOfChangedData() throws {
    let folder = try TemporaryFolder()
    func write(_ number: Int) throws {
      try folder.write(
        "p.geojson",
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":"#
          + "\(number)}}")
    }
    try write(0)
    let server = try RunningServer([folder.path("p.geojson")])
    let path = "/ogc/collections/p.p/items?f=json"
    var last = try server.request(path)
    for number in 1...3 {
      try waitUntil("the reply has a time") {
        last = try server.request(path)
        return Self.time(last) != nil
      }
      let time = try #require(Self.time(last), "\(last.head)")
      let date = try #require(
        last.head.firstMatch(of: /(?i)[^-]date: ([^\r\n]+)/).map { String($0.1) })
      #expect(try Self.seconds(time) <= Self.seconds(date), "\(last.head)")
      #expect(try server.request(path, ["If-Modified-Since": time]).status == 304)
      try write(number)
      server.signal(SIGHUP)
      try waitUntil("the data are reloaded") {
        last = try server.request(path)
        return last.text.contains("\"n\":\(number)")
      }
      #expect(try server.request(path, ["If-Modified-Since": time]).status == 200)
    }
  }

  @Test func tokens() throws {
    let folder = try TemporaryFolder()
    try folder.write("tokens", "one\n")
    let server = try RunningServer([Self.map, "--token-file", folder.path("tokens")])
    let refused = try server.request("POST", "/api/identify")
    #expect(refused.status == 401 && refused.head.lowercased().contains("www-authenticate: bearer"))
    #expect(try server.request(Self.services + "&token=one").text.contains("cape"))
    try folder.write("tokens", "two\n")
    server.signal(SIGHUP)
    #expect(server.logs("reloaded"))
    #expect(!(try server.request(Self.services + "&token=one").text.contains("cape")))
    #expect(try server.request(Self.services + "&token=two").text.contains("cape"))
    try folder.write("tokens", "\n")
    server.signal(SIGHUP)
    #expect(server.logs("the former ones stay valid"))
    #expect(try server.request(Self.services + "&token=two").text.contains("cape"))
  }

  @Test func proxies() throws {
    let forwarded = [
      "X-Forwarded-For": "198.51.100.7, 203.0.113.9", "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "maps.example.org", "X-Forwarded-Prefix": "/plumb/",
    ]
    let path = "/ogc?f=json"
    let plain = try RunningServer([Self.map])
    #expect(!(try plain.request(path, forwarded).text.contains("example.org")))
    #expect(plain.logs("client=127.0.0.1"))
    let server = try RunningServer([Self.map, "--trusted-proxy", "127.0.0.0/8"])
    let reply = try server.request(path, forwarded).text
    #expect(reply.contains("https://maps.example.org/plumb/ogc"), "\(reply.prefix(400))")
    for page in ["/ogc/collections/cape.wards", "/arcgis/rest/services/cape/MapServer/0"] {
      let links = try server.request(page + "?f=html", forwarded).text
        .matches(of: /href="([^"]+)"/).map { String($0.1) }
      #expect(!links.isEmpty)
      for link in links {
        let prefix = "https://maps.example.org/plumb"
        try #require(link.hasPrefix(prefix + "/"), "\(link)")
        let target = try server.request(String(link.dropFirst(prefix.count)))
        #expect(target.status == 200 && !target.text.contains("&quot;error&quot;"), "\(link)")
      }
    }
    let standard = try server.request(
      path, ["Forwarded": "for=\"[2001:db8::1]:80\";proto=https;host=a.example"])
    #expect(standard.text.contains("https://a.example/ogc"), "\(standard.text.prefix(400))")
    #expect(server.logs("client=2001:db8::1"))
    #expect(server.logs("client=203.0.113.9"))
    let named = try RunningServer([Self.map, "--base-url", "https://maps.example.org/p/"])
    #expect(try named.request(path).text.contains("https://maps.example.org/p/ogc"))
  }

  /// A reload is rejected if a layer of the document can no longer be read.
  @Test func reloads() throws {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ features: String) throws {
      try folder.write(
        name, #"{"type":"FeatureCollection","features":[\#(features)]}"#)
    }
    func point(_ name: String) -> String {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":""#
        + name + #""}}"#
    }
    try write("p.geojson", point("old"))
    try write("q.geojson", point("old"))
    func document(_ files: [String]) throws {
      let layers = files.map {
        #"{"id":"\#($0)","layerType":"ArcGISFeatureLayer","url":"\#($0).geojson"}"#
      }
      try folder.write(
        "m.json", #"{"operationalLayers":[\#(layers.joined(separator: ","))],"version":"2.31"}"#)
    }
    try document(["p", "q"])
    let server = try RunningServer([folder.path("m.json")])
    func names() throws -> String {
      try (0...1).map {
        try server.request(
          "/arcgis/rest/services/m/FeatureServer/\($0)/query?where=1=1&outFields=*&f=json"
        ).text
      }.joined()
    }
    func reload(_ count: Int) throws {
      server.signal(SIGHUP)
      try waitUntil("the map is reloaded") {
        server.log.split(separator: "\n").count { $0.contains(": reloaded") } >= count
      }
    }
    try waitUntil("the layers are loaded") { try server.request("/ready").status == 200 }
    #expect(try names().contains("old"))
    try write("p.geojson", point("new"))
    try folder.write("q.geojson", "{")
    try reload(1)
    #expect(try !names().contains("new") && server.log.contains("m was not reloaded"))
    try folder.write("m.json", "{")
    try reload(2)
    #expect(try !names().contains("new"))
    // A layer removed from the document is not an error.
    try document(["p"])
    try reload(3)
    #expect(try names().contains("new"))
  }

  /// A reload is rejected if the cells of a raster can no longer be read.
  @Test func reloadsReadCells() throws {
    let folder = try TemporaryFolder()
    let whole = try Data(
      contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/land_cover_cape_town.tif"))
    try whole.write(to: URL(fileURLWithPath: folder.path("lc.tif")))
    try folder.write(
      "m.json",
      #"{"operationalLayers":[{"id":"lc","layerType":"RasterLayer","url":"lc.tif"}],"version":"2.31"}"#
    )
    let server = try RunningServer([folder.path("m.json")])
    try waitUntil("the layers are loaded") { try server.request("/ready").status == 200 }
    try whole.prefix(whole.count / 3).write(
      to: URL(fileURLWithPath: folder.path("lc.tif")), options: .atomic)
    server.signal(SIGHUP)
    #expect(server.logs("kept=1"))
    #expect(server.log.contains("m was not reloaded: lc: "), "\(server.log)")
    try whole.write(to: URL(fileURLWithPath: folder.path("lc.tif")), options: .atomic)
    server.signal(SIGHUP)
    try waitUntil("the map is reloaded") {
      server.log.split(separator: "\n").contains { $0.hasSuffix(": reloaded") }
    }
    // A raster that cannot be read at the start does not prevent a reload.
    try whole.prefix(whole.count / 3).write(
      to: URL(fileURLWithPath: folder.path("lc.tif")), options: .atomic)
    let other = try RunningServer([folder.path("m.json")])
    try waitUntil("the layers are loaded") { try other.request("/ready").status == 200 }
    #expect(other.log.contains("warning: m: lc: "), "\(other.log)")
    other.signal(SIGHUP)
    #expect(other.logs(": reloaded\n"))
  }
}
