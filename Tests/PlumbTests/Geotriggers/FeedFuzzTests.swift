import Plumb
import PlumbTestSupport
import Testing

/// Damaged feeds: never a trap, always an end, and each row is a fix or an issue.
@Suite struct FeedFuzzTests {
  private static func feature(_ row: Int) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(row),2.5]},"
      + "\"properties\":{\"id\":\"v\(row % 3)\",\"time\":\(row),\"speed\":1.5,\"n\":[1,{}]}}"
  }

  private static let seeds: [(LocationFormat, String)] = [
    (
      .delimited,
      "id,time,x,y,speed,note\n"
        + (0..<12).map {
          "v\($0 % 3),2026-05-01T12:00:\(10 + $0)Z,\($0),2.5,1.5,\"a \"\"b\"\"\n c\"\n"
        }
        .joined()
    ),
    (.geoJSON, (0..<12).map { feature($0) }.joined(separator: "\n")),
    (
      .geoJSON,
      "{\"type\":\"FeatureCollection\",\"features\":[\n"
        + (0..<12).map { feature($0) }.joined(separator: ",\n") + "\n]}\n"
    ),
    (
      .nmea,
      (0..<12).map {
        "$GPRMC,1200\(10 + $0),A,6012.5,N,02454.5,E,1.0,2.0,010526,,\n"
          + "$GPGGA,1200\(10 + $0),6012.5,N,02454.5,E,1,8,0.9,5,M,,M,,\n"
      }.joined()
    ),
    (
      .gpx,
      "<?xml version=\"1.0\"?><gpx><trk><name>a &amp; b</name><trkseg>\n"
        + (0..<12).map {
          "<trkpt lat=\"\($0)\" lon=\"2\"><time>2026-05-01T12:00:\(10 + $0)Z</time>"
            + "<x:s>1</x:s></trkpt>\n"
        }.joined() + "<!-- c --></trkseg></trk></gpx>\n"
    ),
  ]

  private static let pieces: [[UInt8]] =
    [
      "\"", ",", "\n", "\r", "{", "}", "[", "]", "<", ">", "&", "<!--", "-->", "<![CDATA[",
      "</trkpt>",
      "<trkpt ", "\\", "\\u", "$", "*", ";", "\t", "1e999", "-", "nan", ":", "\u{1E}", "'", "/>",
      "\"\"", "]}", "&#xFFFFFFFF;", "99999999999999999999",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0xEF, 0xBB, 0xBF], [0xFF, 0xFE]]

  @Test("Seeded damage of every format", arguments: 0..<5)
  func damage(_ number: Int) throws {
    let folder = try TemporaryFolder()
    let (format, text) = Self.seeds[number]
    let whole = FeedContent(try folder.write("feed", text), format: format, attributes: true)
    #expect(whole.fixes.count == 12 && whole.error == nil && whole.issues.isEmpty)
    var random = SeededGenerator(seed: UInt64(900 + number))
    var (fixes, issues, errors) = (0, 0, 0)
    for _ in 0..<400 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let point = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, point + Int.random(in: 0...30, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.removeSubrange(point..<end)
        case 1: bytes.insert(contentsOf: bytes[point..<end], at: point)
        case 2 where point < bytes.count: bytes[point] = UInt8.random(in: 0...255, using: &random)
        case 3: bytes.removeSubrange(point...)
        default:
          let piece = Self.pieces.randomElement(using: &random) ?? []
          bytes.insert(contentsOf: piece, at: point)
        }
      }
      let path = try folder.write("feed", bytes: bytes)
      let content = FeedContent(path, format: format, attributes: true)
      let again = FeedContent(path, format: format, attributes: false, limit: 1)
      #expect(again.fixes == content.fixes && again.issues == content.issues)
      #expect(again.error == content.error)
      _ = FeedContent(path)
      // Some issues are notes on fixes; each other row is a fix or an issue.
      let rows = Set(content.fixes.map(\.index)).union(content.issues.map(\.index))
      #expect(rows == Set(0..<rows.count))
      #expect(Set(content.fixes.map(\.index)).count == content.fixes.count)
      #expect(
        content.fixes.allSatisfy { abs($0.x) <= 180 && abs($0.y) <= 90 }, "no point off the globe")
      fixes += content.fixes.count
      issues += content.issues.count
      errors += content.error == nil ? 0 : 1
    }
    #expect(fixes > 1000 && issues > 50, "\(fixes) fixes, \(issues) issues, \(errors) errors")
  }

  @Test("Noise of every kind", arguments: LocationFormat.allCases)
  func noise(_ format: LocationFormat) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 77)
    for _ in 0..<150 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        if Bool.random(using: &random) {
          bytes += Self.pieces.randomElement(using: &random) ?? []
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      let path = try folder.write("noise", bytes: bytes)
      let content = FeedContent(path, format: format, attributes: true)
      #expect(content.fixes.isEmpty)
    }
  }
}
