import Plumb
import PlumbTestSupport
import Testing

/// One track, written in every format.
@Suite(.enabled(if: TestPaths.data != nil, "the shared data are absent: set PLUMB_TEST_DATA"))
struct FeedRoundTripTests {
  private let folder: TemporaryFolder
  private let fixes: LocationBatch

  init() throws {
    folder = try TemporaryFolder()
    let path =
      (TestPaths.data ?? "") + "/tracks/santa_barbara_botanic_garden_walking_tour.esri.json"
    var source = try SimulatedLocationSource(
      SimulatedLocationSource.line(path: path), pace: .velocity(1.4), start: 1_777_636_800_000)
    let batch = source.next(limit: 100_000)
    fixes = try #require(batch)
    #expect(fixes.count > 500 && fixes.count == source.count)
  }

  private func time(_ row: Int) -> String {
    let second = Int(fixes.time[row] - 1_777_636_800_000) / 1000
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "2026-05-01T\(two(12 + second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }

  private func check(_ content: FeedContent, entity: String, tolerance: Double = 0) {
    #expect(content.error == nil && content.issues.isEmpty)
    #expect(content.fixes.count == fixes.count)
    for (row, fix) in content.fixes.enumerated() {
      #expect(fix.index == row && fix.entity == entity && fix.time == fixes.time[row])
      #expect(
        abs(fix.x - fixes.x[row]) <= tolerance && abs(fix.y - fixes.y[row]) <= tolerance)
    }
  }

  @Test("CSV, GeoJSON of both layouts, GPX and NMEA give the same locations")
  func same() throws {
    let rows = 0..<fixes.count
    let csv = rows.map { "tour,\(time($0)),\(fixes.x[$0]),\(fixes.y[$0])\n" }.joined()
    check(FeedContent(try folder.write("a.csv", "id,time,lon,lat\n" + csv)), entity: "tour")
    let features = rows.map { row in
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(fixes.x[row]),"
        + "\(fixes.y[row])]},\"properties\":{\"id\":\"tour\",\"time\":\(fixes.time[row])}}"
    }
    let lines = features.joined(separator: "\n")
    check(FeedContent(try folder.write("a.jsonl", lines)), entity: "tour")
    let collection =
      "{\"type\":\"FeatureCollection\",\"features\":[\n" + features.joined(separator: ",\n")
      + "\n]}"
    check(FeedContent(try folder.write("a.geojson", collection)), entity: "tour")
    let points = rows.map {
      "<trkpt lat=\"\(fixes.y[$0])\" lon=\"\(fixes.x[$0])\"><time>\(time($0))</time></trkpt>\n"
    }
    let gpx =
      "<gpx><trk><name>tour</name><trkseg>\n" + points.joined() + "</trkseg></trk></gpx>"
    check(FeedContent(try folder.write("a.gpx", gpx)), entity: "tour")
    check(
      FeedContent(try folder.write("a.nmea", rows.map { sentences($0) }.joined())), entity: "",
      tolerance: 1e-10)
  }

  /// RMC and GGA of a row, with ten decimal places for minutes.
  private func sentences(_ row: Int) -> String {
    func angle(_ degrees: Double, _ width: Int) -> String {
      let parts = Int((abs(degrees) * 60e10).rounded())
      let (whole, minutes) = (parts / 600_000_000_000, parts % 600_000_000_000)
      func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: width - text.count) + text
      }
      return padded(whole, width) + padded(minutes / 10_000_000_000, 2) + "."
        + padded(minutes % 10_000_000_000, 10)
    }
    let point =
      angle(fixes.y[row], 2) + ",N," + angle(fixes.x[row], 3) + (fixes.x[row] < 0 ? ",W" : ",E")
    let clock = time(row).dropFirst(11).filter(\.isNumber)
    return [
      "GPRMC,\(clock),A,\(point),1.0,2.0,010526,,", "GPGGA,\(clock),\(point),1,8,0.9,5,M,,M,,",
    ].map { body in
      let hex = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
      return "$" + body + "*" + (hex.count < 2 ? "0" + hex : hex) + "\r\n"
    }.joined()
  }

  @Test("A line to walk along is EsriJSON or GeoJSON, in any CRS")
  func lines() throws {
    func line(_ text: String) throws -> Polyline {
      try SimulatedLocationSource.line(path: folder.write("line.json", text))
    }
    func error(_ text: String) -> String {
      do {
        _ = try line(text)
        return "none"
      } catch {
        return (error as? PlumbError)?.message ?? "\(error)"
      }
    }
    let path = "[[1,2],[3,4]]"
    let geoJSON = "{\"type\":\"LineString\",\"coordinates\":\(path)}"
    let feature = "{\"type\":\"Feature\",\"properties\":{},\"geometry\":\(geoJSON)}"
    for text in [
      "{\"paths\":[\(path)],\"spatialReference\":{\"wkid\":4326}}", "{\"paths\":[\(path)]}",
      geoJSON,
      feature, "{\"type\":\"FeatureCollection\",\"features\":[\(feature)]}",
      "{\"type\":\"MultiLineString\",\"coordinates\":[\(path)]}",
    ] {
      #expect(try line(text).vertices.xy == [SIMD2(1, 2), SIMD2(3, 4)], "\(text)")
    }
    let mercator = try line(
      "{\"paths\":[[[111319.49079327357,0],[222638.98158654715,0]]],"
        + "\"spatialReference\":{\"wkid\":102100}}")
    var source = try SimulatedLocationSource(mercator, pace: .vertexPerUpdate)
    let next = source.next(limit: 10)
    let batch = try #require(next)
    #expect(abs(batch.x[0] - 1) < 1e-9 && abs(batch.x[1] - 2) < 1e-9 && abs(batch.y[0]) < 1e-9)
    #expect(error("").contains("no JSON object"))
    #expect(error("{\"x\":1,\"y\":2}").contains("has no line"))
    #expect(error("{\"paths\":[]}").contains("has no line"))
    #expect(error("{\"type\":\"Point\",\"coordinates\":[1,2]}").contains("has no line"))
    #expect(
      error("{\"type\":\"FeatureCollection\",\"features\":[\(feature),\(feature)]}")
        .contains("several features"))
    #expect(error(geoJSON.dropLast().description).contains("line.json: "))
    #expect(error("{\"paths\":[\(path)],\"spatialReference\":{\"wkid\":999999}}") != "none")
  }
}
