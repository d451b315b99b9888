import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Requests that exceed their time limit, and clients that disconnect: replies are complete, an
/// error or truncated.
@Suite(.serialized) struct CancelledServerTests {
  private static let map = "rasters/cape.json"

  /// A request whose duration grows with its size.
  struct Verb: Sendable, CustomTestStringConvertible {
    var path: String
    var type: String
    /// The smallest and the largest size.
    var sizes: ClosedRange<Int>
    var body: @Sendable (Int) -> String
    var testDescription: String { path }
  }

  private static let points: [(x: Double, y: Double)] = {
    var generator = SeededGenerator(seed: 51)
    return (0..<100_000).map { _ in
      (
        Double.random(in: 18.3...18.95, using: &generator),
        Double.random(in: -34.3 ... -33.7, using: &generator)
      )
    }
  }()

  private static func pairs(_ count: Int) -> String {
    points.prefix(count).map { "[\($0.x),\($0.y)]" }.joined(separator: ",")
  }

  private static let form = "application/x-www-form-urlencoded"
  static let verbs = [
    Verb(
      path: "/api/sample?map=cape&tolerance=2km&status=true", type: "text/csv", sizes: 20...20_000
    ) {
      "lon,lat\n" + points.prefix($0).map { "\($0.x),\($0.y)\n" }.joined()
    },
    Verb(path: "/api/identify", type: "application/json", sizes: 2...2_000) {
      #"{"map":"cape","tolerance":"2km","at":[\#(pairs($0))]}"#
    },
    Verb(path: "/api/buffer", type: "application/json", sizes: 5...10_000) {
      #"{"at":[\#(pairs($0))],"distance":900,"unit":"m","geodesic":true}"#
    },
    Verb(
      path: "/arcgis/rest/services/cape_18/ImageServer/getSamples", type: form, sizes: 500...100_000
    ) {
      #"f=json&sr=4326&geometryType=esriGeometryMultipoint&geometry={"points":[\#(pairs($0))]}"#
    },
    Verb(path: "/ogc/collections/cape.evi/position", type: form, sizes: 500...100_000) {
      "f=CoverageJSON&coords=MULTIPOINT("
        + points.prefix($0).map { "(\($0.x) \($0.y))" }.joined(separator: ",") + ")"
    },
  ]

  /// Whether a reply reports the timeout, in the error format of the address.
  private static func isLate(_ reply: RunningServer.Reply, _ path: String) -> Bool {
    guard reply.text.contains("exceeded the time limit") else { return false }
    if path.hasPrefix("/arcgis") {
      return reply.status == 200 && reply.text.hasPrefix(#"{"error":{"code":504,"#)
    }
    return reply.status == 504
      && reply.head.contains("application/problem+json") == path.hasPrefix("/ogc")
  }

  @Test func repliesAreCompleteOrErrors() throws {
    let patient = try RunningServer([Self.map])
    let hasty = try RunningServer([Self.map, "--timeout", "0.01"])
    // Data that both requests have read before.
    for server in [patient, hasty] {
      for verb in Self.verbs { _ = try Self.sendRequest(server, verb, verb.sizes.lowerBound) }
    }
    var generator = SeededGenerator(seed: 53)
    for verb in Self.verbs {
      var (late, whole) = (0, 0)
      var size = Double(verb.sizes.lowerBound) * 4
      // Increases the size until the request takes too long on any machine.
      var tries = 0
      while tries < RandomMoments.number(5) || late == 0 && tries < 12 {
        tries += 1
        let count = Int(size * Double.random(in: 0.7...1.3, using: &generator))
        let clampedSize = min(max(count, verb.sizes.lowerBound), verb.sizes.upperBound)
        let reply = try Self.sendRequest(hasty, verb, clampedSize)
        if Self.isLate(reply, verb.path) {
          late += 1
          size = max(size * 0.8, Double(verb.sizes.lowerBound))
        } else {
          whole += 1
          size = min(size * 2.5, Double(verb.sizes.upperBound))
          let right = try Self.sendRequest(patient, verb, clampedSize)
          #expect(reply.status == 200 && reply.body == right.body, "\(verb.path) \(clampedSize)")
        }
      }
      #expect(late > 0, "\(verb.path): \(late) late, \(whole) whole")
      if ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"] != nil {
        print("\(verb.path): \(late) late, \(whole) whole")
      }
    }
  }

  private static func sendRequest(
    _ server: RunningServer, _ verb: Verb, _ size: Int
  ) throws -> RunningServer.Reply {
    try server.request(
      "POST", verb.path, ["Content-Type": verb.type], body: Array(verb.body(size).utf8))
  }

  /// If clients disconnect at any moment, their requests end and no part of a result is sent to
  /// other clients.
  @Test func clientsThatGoEndTheirRequests() throws {
    let server = try RunningServer([Self.map, "--timeout", "60"])
    var (requested, gone) = (0, 0)
    for (number, verb) in Self.verbs.enumerated() {
      let size = verb.sizes.upperBound / 4
      let whole = try Self.sendRequest(server, verb, size)
      #expect(whole.status == 200)
      let seconds = try RandomMoments.seconds { _ = try Self.sendRequest(server, verb, size) }
      requested += 4
      var moments = RandomMoments(seed: 57 + UInt64(number), seconds: seconds)
      while moments.needsMore(4) {
        let handle = try Self.begin(server, verb, size)
        RandomMoments.wait(seconds: moments.next())
        close(handle)
        requested += 1
        let now = try Self.ended(server, of: requested)
        moments.record(wasStrike: now > gone)
        gone = now
      }
      #expect(moments.areStrikes, "\(verb.path): \(moments.strikes) of \(moments.count)")
      #expect(try Self.sendRequest(server, verb, size).body == whole.body, "\(verb.path)")
      requested += 1
      if ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"] != nil {
        print("\(verb.path): \(moments.strikes) of \(moments.count) ended")
      }
    }
    // A request that would take minutes, and other requests that wait for it on all threads.
    let handles = try (0..<12).map { _ in try Self.begin(server, Self.verbs[0], 10_000) }
    for handle in handles { close(handle) }
    #expect(try Self.ended(server, of: requested + 12) == gone + 12)
  }

  /// Sends a request without reading the reply.
  private static func begin(_ server: RunningServer, _ verb: Verb, _ size: Int) throws -> Int32 {
    let handle = try server.connect()
    let body = Array(verb.body(size).utf8)
    let head =
      "POST \(verb.path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
      + "Content-Type: \(verb.type)\r\nContent-Length: \(body.count)\r\n\r\n"
    try RunningServer.send(Array(head.utf8) + body, to: handle)
    return handle
  }

  /// The number of requests cancelled because their clients disconnected, once the given number has ended.
  private static func ended(_ server: RunningServer, of requested: Int) throws -> Int {
    func sum(_ lines: [Substring]) -> Int {
      lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }
    var lines: [Substring] = []
    try waitUntil("\(requested) requests have ended", seconds: 120) {
      lines = try server.request("/metrics").text.split(separator: "\n").filter {
        $0.hasPrefix("plumb_requests_total{") && !$0.contains("\"metrics\"")
      }
      return sum(lines) == requested
    }
    return sum(lines.filter { $0.contains("status=\"499\"") })
  }

  /// An incomplete request is not executed, even if the received part is a valid request.
  @Test func incompleteRequestsGetNoReply() throws {
    let server = try RunningServer([Self.map])
    let row = "18.6,-33.9\n"
    let wire = try Wire(server)
    try wire.send(
      Array(
        ("POST /api/sample?map=cape HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
          + "Content-Type: text/csv\r\nContent-Length: 1000\r\n\r\nlon,lat\n\(row)").utf8))
    shutdown(wire.handle, Int32(SHUT_WR))
    wire.readAll()
    #expect(!wire.text.contains(" 200 ") && !wire.text.contains("18.6"), "\(wire.text)")
    #expect(try Self.ended(server, of: 1) == 0)
    #expect(server.logs("the request is incomplete"), "\(server.log)")
  }

  /// If the client does not read the next part of a reply in time, the reply is truncated: it has
  /// no end.
  @Test func repliesThatHaveBegunAreCutOff() throws {
    let server = try RunningServer([Self.map, "--timeout", "3"])
    let note = String(repeating: "abcdefgh", count: 4096)
    let body = "lon,lat,note\n" + String(repeating: "18.6,-33.9,\(note)\n", count: 200)
    let head =
      "POST /api/sample?map=cape HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
      + "Content-Type: text/csv\r\nContent-Length: \(body.utf8.count)\r\n"
      + "Connection: close\r\n\r\n"
    let end = Array("\r\n0\r\n\r\n".utf8)
    func sendRequest(_ pause: (Wire) throws -> Void) throws -> [UInt8] {
      let wire = try Wire(server)
      try wire.send(Array((head + body).utf8))
      try wire.read(until: "\r\n\r\n")
      #expect(wire.text.hasPrefix("HTTP/1.1 200 "), "\(wire.text.prefix(300))")
      try pause(wire)
      wire.readAll()
      return wire.bytes
    }
    let whole = try sendRequest { _ in }
    #expect(whole.suffix(end.count).elementsEqual(end))
    #expect(!server.log.contains("cut off"))
    let part = try sendRequest { _ in #expect(server.logs("the reply was cut off")) }
    #expect(!part.suffix(end.count).elementsEqual(end))
    let (all, some) = (RunningServer.Reply(whole).body, RunningServer.Reply(part).body)
    #expect(!some.isEmpty && some.count < all.count && all.starts(with: some))
    #expect(all.count > body.utf8.count)
  }
}
