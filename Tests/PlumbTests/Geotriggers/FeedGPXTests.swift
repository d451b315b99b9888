import Foundation
import Plumb
import PlumbGDAL
import PlumbTestSupport
import Testing

@Suite struct FeedGPXTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ body: String, declaration: String = "<?xml version=\"1.0\"?>", attributes: Bool = false
  ) throws -> FeedContent {
    FeedContent(
      try folder.write("feed.gpx", declaration + "\n<gpx version=\"1.1\">\n" + body + "\n</gpx>"),
      attributes: attributes)
  }

  private func point(_ second: Int, _ more: String = "") -> String {
    "<trkpt lat=\"60.\(second)\" lon='24.9'><time>1970-01-01T00:00:\(second + 10)Z</time>"
      + "\(more)</trkpt>"
  }

  @Test("Tracks by name, segments in order, speed and course, namespaces, comments, entities")
  func structure() throws {
    let content = try read(
      """
      <metadata><name>no track</name><time>2020-01-01T00:00:00Z</time></metadata>
      <wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></wpt>
      <trk><name>A &amp; <![CDATA[<B>]]> &#x43;</name><trkseg>\(point(0))
      <!-- <trkpt lat="0" lon="0"/> > -->
      </trkseg><trkseg>\(point(1, "<speed>2.5</speed><course>370.5</course>"))</trkseg></trk>
      <trk><trkseg>
      \(point(2, "<extensions><x:e><x:speed>3</x:speed><x:hr>120</x:hr></x:e></extensions>"))
      </trkseg></trk>
      """, attributes: true)
    #expect(content.error == nil && content.issues.isEmpty)
    #expect(
      content.fixes == [
        Fix(index: 0, entity: "A & <B> C", time: 10_000, x: 24.9, y: 60.0),
        Fix(
          index: 1, entity: "A & <B> C", time: 11_000, x: 24.9, y: 60.1, speed: 2.5, course: 370.5),
        Fix(index: 2, entity: "track 2", time: 12_000, x: 24.9, y: 60.2, speed: 3),
      ])
    #expect(content.attribute("segment", 1) == .integer(2))
    #expect(content.attribute("hr", 2) == .integer(120))
  }

  @Test("Bad points are reported by the line on which they begin, and counted")
  func issues() throws {
    let content = try read(
      """
      <trk><trkseg>
      \(point(0))
      <trkpt lat="north" lon="2"><time>1970-01-01</time></trkpt>
      <trkpt lat="1" lon="2"/>
      <trkpt lat="1" lon="2">
        <time>noon</time>
      </trkpt>
      <trkpt lat="99" lon="2"><time>1970-01-01</time></trkpt>
      <trkpt lat="1" lon="2">
      \(point(1))
      </trkseg></trk>
      """)
    #expect(content.error == nil)
    #expect(content.fixes.map(\.index) == [0, 6])
    #expect(content.issues.map(\.line) == [5, 6, 7, 10, 11])
    #expect(content.issues.map(\.index) == [1, 2, 3, 4, 5])
  }

  @Test("Encodings, cut off files and files without track points")
  func errors() throws {
    let latin =
      Array("<?xml version='1.0' encoding='ISO-8859-1'?><gpx><trk><name>K".utf8)
      + [0xE4] + Array("se</name><trkseg>\(point(0))</trkseg></trk></gpx>".utf8)
    #expect(FeedContent(try folder.write("l.gpx", bytes: latin)).fixes.map(\.entity) == ["Käse"])
    #expect(
      try read("", declaration: "<?xml version='1.0' encoding='koi8-r'?>").error?
        .contains("koi8-r") == true)
    #expect(try read("<wpt lat='1' lon='2'/>").error?.contains("no track points") == true)
    let truncated = FeedContent(
      try folder.write("c.gpx", "<gpx><trk><trkseg>" + point(0) + "<trkpt lat='1' lon='1'><ti"))
    #expect(truncated.fixes.count == 1 && truncated.issues.map(\.index) == [1])
    #expect(truncated.error?.contains("is truncated") == true)
    #expect(
      FeedContent(try folder.write("n.gpx", "no markup")).error?.contains("is not GPX") == true)
    let deep = FeedContent(
      try folder.write("d.gpx", String(repeating: "<a>", count: 100_000)))
    #expect(deep.error?.contains("nested elements") == true)
  }

  @Test(
    "Every track point of the sample files as OGR reads it",
    .enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
  func ogr() throws {
    let tracks = (TestPaths.data ?? "") + "/tracks/gpx"
    var (compared, files) = (0, 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: tracks).sorted()
    where name.hasSuffix(".gpx") {
      let path = tracks + "/" + name
      let content = FeedContent(path)
      guard let points = try? VectorPointReader(path: path, layer: "track_points"),
        let batch = try points.next(limit: 100_000)
      else {
        #expect(content.fixes.isEmpty, "\(name)")
        continue
      }
      var names: [String] = []
      if let tracks = try VectorFeatureReader(path: path, layer: "tracks").next(limit: 1000) {
        let fields = try VectorFeatureReader(path: path, layer: "tracks").fields
        let column = try #require(fields.firstIndex { $0.name == "name" })
        for (number, track) in tracks.enumerated() {
          if case .text(let text) = track.attributes[column] {
            names.append(text)
          } else {
            names.append("track \(number + 1)")
          }
        }
      }
      let column = try #require(points.fields.firstIndex { $0.name == "time" })
      let track = try #require(points.fields.firstIndex { $0.name == "track_fid" })
      var fixes = content.fixes[...]
      for row in 0..<batch.count {
        let values = Array(batch.values(at: row))
        guard case .text(let time) = values[column] else {
          #expect(fixes.first?.index != row, "\(name): point \(row) has no time")
          continue
        }
        let next = fixes.popFirst()
        let fix = try #require(next, "\(name): point \(row)")
        #expect(fix.index == row && fix.x == batch.x[row] && fix.y == batch.y[row], "\(name)")
        #expect(fix.time == Self.milliseconds(time), "\(name): \(time)")
        guard case .integer(let number) = values[track] else { continue }
        #expect(fix.entity == names[Int(number)], "\(name)")
        compared += 1
      }
      #expect(fixes.isEmpty && content.issues.count + content.fixes.count == batch.count, "\(name)")
      files += 1
    }
    #expect(compared > 1500 && files > 15)
  }

  /// A time that OGR wrote, parsed by Foundation.
  private static func milliseconds(_ text: String) -> Int64? {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
      text.contains(".")
      ? [.withInternetDateTime, .withFractionalSeconds] : [.withInternetDateTime]
    let zoned = text.hasSuffix("Z") || text.dropFirst(11).contains { $0 == "+" || $0 == "-" }
    return formatter.date(from: zoned ? text : text + "Z").map {
      Int64(($0.timeIntervalSince1970 * 1000).rounded())
    }
  }
}
