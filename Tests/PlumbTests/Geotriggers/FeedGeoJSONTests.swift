import Plumb
import PlumbTestSupport
import Testing

@Suite struct FeedGeoJSONTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String, _ columns: LocationColumns = LocationColumns(), name: String = "feed.geojson",
    attributes: Bool = false, limit: Int = 1000
  ) throws -> FeedContent {
    FeedContent(
      try folder.write(name, text), columns: columns, attributes: attributes, limit: limit)
  }

  private func feature(_ x: String, _ y: String, _ properties: String) -> String {
    "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(x),\(y)]},"
      + "\"properties\":{\(properties)}}"
  }

  private func collection(_ features: [String], separator: String = ",") -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[" + features.joined(separator: separator) + "]}"
  }

  @Test("A collection, lines, records and a single feature give the same locations")
  func layouts() throws {
    let features = [
      feature("24.9", "60.2", "\"id\":\"a\",\"time\":\"2026-05-01T12:00:00Z\",\"speed\":3.5"),
      feature("-24.9", "-60.2, 7", "\"Entity\":7,\"TIMESTAMP\":1777636801,\"heading\":\"90\""),
      feature("1e1", "2", "\"time\":1777636802000,\"horizontal_accuracy\":4,\"accuracy\":5"),
    ]
    let noon: Int64 = 1_777_636_800_000
    let expected = [
      Fix(index: 0, entity: "a", time: noon, x: 24.9, y: 60.2, speed: 3.5),
      Fix(index: 1, entity: "7", time: noon + 1000, x: -24.9, y: -60.2, course: 90),
      Fix(index: 2, entity: "", time: noon + 2000, x: 10, y: 2, accuracy: 4),
    ]
    let pretty = collection(
      features.map { $0.replacing(",\"", with: ",\n  \"") }, separator: " ,\n")
    for text in [
      collection(features), pretty, "\u{FEFF}" + pretty, features.joined(separator: "\n"),
      features.joined(separator: "\r\n\r\n") + "\r\n",
      features.map { "\u{1E}" + $0 + "\n" }.joined(),
      "{\"name\":\"x\",\"crs\":{\"type\":\"name\",\"properties\":"
        + "{\"name\":\"urn:ogc:def:crs:OGC:1.3:CRS84\"}},"
        + collection(features).dropFirst(),
    ] {
      for name in ["feed.geojson", "feed.jsonl", "feed"] {
        let content = try read(text, name: name)
        #expect(content.error == nil && content.issues.isEmpty)
        #expect(content.fixes == expected, "\(name): \(text.prefix(60))")
      }
      #expect(try read(text, limit: 1).fixes == expected)
    }
    #expect(try read(features[0]).fixes == [expected[0]])
  }

  @Test("Bad features are reported by line and counted, in a collection and on lines")
  func issues() throws {
    let good = feature("1", "2", "\"id\":\"a\",\"time\":0")
    let bad = [
      "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"time\":0}}", "7", "\"text\"",
      "{\"type\":\"Point\",\"coordinates\":[1,2]}", feature("1", "95", "\"time\":0"),
      feature("1", "2", "\"id\":\"a\""), feature("1", "2", "\"time\":\"noon\""),
      feature("1", "2", "\"time\":null"), feature("1", "2", "\"time\":0,\"id\":null"),
      feature("1", "2", "\"time\":0,\"id\":{}"), feature("\"1\"", "2", "\"time\":0"),
      "{\"type\":\"Feature\",}", feature("[1,2]", "[3,4]", "\"time\":0"),
    ]
    let rows = [good] + bad + [good]
    for text in [rows.joined(separator: "\n"), collection(rows, separator: ",\n")] {
      let content = try read(text)
      #expect(content.error == nil)
      #expect(content.fixes.map(\.index) == [0, rows.count - 1])
      #expect(content.issues.map(\.index) == Array(1...bad.count))
      #expect(content.issues.map(\.line) == Array(2...(bad.count + 1)))
    }
    let lines = try read([good, "{broken", good, "", good + " x", good].joined(separator: "\n"))
    #expect(lines.fixes.map(\.index) == [0, 2, 4] && lines.issues.map(\.line) == [2, 5])
    #expect(try read("{broken\n" + good + "\n" + good).fixes.map(\.index) == [1, 2])
  }

  @Test("Input that is not a feed is an error with the reason; the rows before it are kept")
  func errors() throws {
    let good = feature("1", "2", "\"id\":\"a\",\"time\":0")
    func error(_ text: String, fixes: Int = 0) throws -> String {
      let content = try read(text)
      #expect(content.fixes.count == fixes)
      return content.error ?? "none"
    }
    #expect(try error("").hasSuffix("feed.geojson is empty"))
    #expect(try error("[]x").contains("unexpected text after the array (line 1)"))
    #expect(
      try error(String(collection([good, good]).dropLast(2)), fixes: 2)
        .contains("the text ends within the collection"))
    #expect(
      try error(String(collection([good, good]).dropLast(30)), fixes: 1)
        .contains("the text ends within the collection"))
    #expect(try error(collection([good]) + "}", fixes: 1).contains("invalid JSON after"))
    #expect(
      try error("{\"geometryType\":\"esriGeometryPoint\",\"features\":[]}").contains("EsriJSON"))
    #expect(
      try error(feature("1", "2", "\"id\":1,\"entity\":2,\"time\":0"))
        .contains("with the column of ids"))
    let mercator = "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"EPSG:3857\"}}"
    #expect(try error("{" + mercator + "," + collection([good]).dropFirst()).contains("WGS84"))
    #expect(
      try error(String(collection([good]).dropLast()) + "," + mercator + "}", fixes: 1)
        .contains("WGS84"))
    let tall = good.replacing(",", with: ",\n")
    #expect(try read(tall).fixes.count == 1)
    #expect(try error(tall + "\n" + good).contains("on one line"))
    #expect(
      try read(good, LocationColumns(x: "a", y: "b")).error?
        .contains("the column of x and the column of y name columns") == true)
    #expect(try read(collection([])).error == nil)
  }

  @Test("Named properties, escaped text, and all properties as attributes")
  func properties() throws {
    let text = [
      feature("1", "2", "\"who\":\"\\u00e5\\n\",\"when\":\"1970-01-01\",\"a\":[1,{\"b\":2}]"),
      feature("1", "2", "\"when\":1,\"c\":true,\"a\":null,\"who\":\"x\""),
    ].joined(separator: "\n")
    let content = try read(text, LocationColumns(id: "Who", time: "when"), attributes: true)
    #expect(content.fixes.map(\.entity) == ["å\n", "x"])
    #expect(content.fields == ["who", "when", "a", "c"])
    #expect(
      content.attributes[0] == [.text("å\n"), .text("1970-01-01"), .json("[1,{\"b\":2}]"), .null])
    #expect(content.attributes[1] == [.text("x"), .integer(1), .null, .boolean(true)])
    let apart = try read(text, LocationColumns(id: "who", time: "when"), attributes: true, limit: 1)
    #expect(apart.attributes.map(\.count) == [3, 4], "fields are added as they appear")
  }

  @Test("A feature over the limit is an issue on a line and an error in a collection")
  func long() throws {
    let good = feature("1", "2", "\"id\":\"a\",\"time\":0")
    let long = feature(
      "1", "2", "\"time\":0,\"t\":\"" + String(repeating: "x", count: 5 << 20) + "\"")
    let lines = try read([good, long, good].joined(separator: "\n"))
    #expect(lines.fixes.map(\.index) == [0, 2] && lines.issues.map(\.line) == [2])
    let whole = try read(collection([good, long, good]))
    #expect(whole.fixes.count == 1 && whole.error?.contains("is over 4194304 bytes") == true)
  }
}
