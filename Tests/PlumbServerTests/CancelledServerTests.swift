import Foundation
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Requests that take longer than they may, and clients that go: what comes is whole, an error or cut off.
@Suite(.serialized) struct CancelledServerTests {
  private static let map = "rasters/cape.json"

  /// A request that takes the longer the larger it is.
  struct Verb: Sendable, CustomTestStringConvertible {
    var path: String
    var type: String
    /// The least and the largest size.
    var sizes: ClosedRange<Int>
    var body: @Sendable (Int) -> String
    var testDescription: String { path }
  }

  private static let points: [(x: Double, y: Double)] = {
    var generator = SeededGenerator(seed: 51)
    return (0..<40_000).map { _ in
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
    Verb(path: "/api/sample?map=cape&tolerance=2km&status=true", type: "text/csv", sizes: 20...150)
    {
      "lon,lat\n" + points.prefix($0).map { "\($0.x),\($0.y)\n" }.joined()
    },
    Verb(path: "/api/identify", type: "application/json", sizes: 2...16) {
      #"{"map":"cape","tolerance":"2km","at":[\#(pairs($0))]}"#
    },
    Verb(path: "/api/buffer", type: "application/json", sizes: 5...60) {
      #"{"at":[\#(pairs($0))],"distance":900,"unit":"m","geodesic":true}"#
    },
    Verb(
      path: "/arcgis/rest/services/cape_18/ImageServer/getSamples", type: form, sizes: 500...3_000
    ) {
      #"f=json&sr=4326&geometryType=esriGeometryMultipoint&geometry={"points":[\#(pairs($0))]}"#
    },
    Verb(path: "/ogc/collections/cape.evi/position", type: form, sizes: 500...3_000) {
      "f=CoverageJSON&coords=MULTIPOINT("
        + points.prefix($0).map { "(\($0.x) \($0.y))" }.joined(separator: ",") + ")"
    },
  ]

  /// Whether a reply says that the time is over, in the words of its address.
  private static func isLate(_ reply: RunningServer.Reply, _ path: String) -> Bool {
    guard reply.text.contains("took longer than it may") else { return false }
    if path.hasPrefix("/arcgis") {
      return reply.status == 200 && reply.text.hasPrefix(#"{"error":{"code":504,"#)
    }
    return reply.status == 504
      && reply.head.contains("application/problem+json") == path.hasPrefix("/ogc")
  }

  @Test func answersAreWholeOrErrors() throws {
    let patient = try RunningServer([Self.map])
    let hasty = try RunningServer([Self.map, "--timeout", "0.05"])
    // What both read once.
    for server in [patient, hasty] {
      for verb in Self.verbs { _ = try Self.ask(server, verb, verb.sizes.lowerBound) }
    }
    var generator = SeededGenerator(seed: 53)
    for verb in Self.verbs {
      var (late, whole) = (0, 0)
      var size = Double(verb.sizes.lowerBound) * 4
      for _ in 0..<RandomMoments.number(5) {
        let count = Int(size * Double.random(in: 0.7...1.3, using: &generator))
        let own = min(max(count, verb.sizes.lowerBound), verb.sizes.upperBound)
        let reply = try Self.ask(hasty, verb, own)
        if Self.isLate(reply, verb.path) {
          late += 1
          size = max(size * 0.8, Double(verb.sizes.lowerBound))
        } else {
          whole += 1
          size = min(size * 2.5, Double(verb.sizes.upperBound))
          let right = try Self.ask(patient, verb, own)
          #expect(reply.status == 200 && reply.body == right.body, "\(verb.path) \(own)")
        }
      }
      #expect(late > 0, "\(verb.path): \(late) late, \(whole) whole")
      if ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"] != nil {
        print("\(verb.path): \(late) late, \(whole) whole")
      }
    }
  }

  private static func ask(
    _ server: RunningServer, _ verb: Verb, _ size: Int
  ) throws -> RunningServer.Reply {
    try server.request(
      "POST", verb.path, ["Content-Type": verb.type], body: Array(verb.body(size).utf8))
  }

  /// Clients that go at whatever moment leave nothing behind that others would get.
  @Test func clientsThatGoChangeNothing() throws {
    let server = try RunningServer([Self.map, "--timeout", "10"])
    var generator = SeededGenerator(seed: 57)
    for verb in Self.verbs {
      let size = verb.sizes.upperBound / 4
      let whole = try Self.ask(server, verb, size)
      #expect(whole.status == 200)
      let seconds = try RandomMoments.seconds { _ = try Self.ask(server, verb, size) }
      let body = Array(verb.body(size).utf8)
      for _ in 0..<RandomMoments.number(3) {
        let handle = try server.connect()
        let head =
          "POST \(verb.path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
          + "Content-Type: \(verb.type)\r\nContent-Length: \(body.count)\r\n\r\n"
        try RunningServer.send(Array(head.utf8) + body, to: handle)
        RandomMoments.wait(seconds: Double.random(in: 0..<seconds, using: &generator))
        close(handle)
      }
      #expect(try Self.ask(server, verb, size).body == whole.body, "\(verb.path)")
    }
    // Nothing goes on for those that went.
    var isIdle = false
    for _ in 0..<200 where !isIdle {
      isIdle = try server.request("/metrics").text.contains("plumb_requests_running 1\n")
      if !isIdle { usleep(20_000) }
    }
    #expect(isIdle)
  }
}
