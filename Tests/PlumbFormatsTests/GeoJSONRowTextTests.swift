import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

@Suite struct GeoJSONRowTextTests {
  private let extra: [(String, FieldValue)] = [("q\"", .real(1.5)), ("s", .text("ok"))]
  private let members = #""q\"":1.5,"s":"ok""#

  /// The first row of a document, copied with members added.
  private func passed(
    _ text: String, _ extra: [(String, FieldValue)], onOneLine: Bool = false
  ) throws -> String {
    let (batch, row) = try #require(GeoJSONContents(text).rows.first)
    var bytes: [UInt8] = []
    GeoJSONRowText.append(row, of: batch, adding: extra, onOneLine: onOneLine, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func insertsAtTheEndOfProperties() throws {
    let cases = [
      (#"{"type":"Feature","properties":{"a":1},"id":7}"#, #"{"a":1,M}"#),
      (#"{"type":"Feature","properties":{ "a" : 1 },"id":7}"#, #"{ "a" : 1,M }"#),
      (#"{"type":"Feature","properties":{},"id":7}"#, "{M}"),
      (#"{"type":"Feature","properties":{ },"id":7}"#, "{M }"),
      (#"{"type":"Feature","properties":null,"id":7}"#, "{M}"),
      (#"{"type":"Feature","properties":[1],"id":7}"#, "{M}"),
      (#"{"type":"Feature","properties":{"a":"}\"{"},"id":7}"#, #"{"a":"}\"{",M}"#),
    ]
    for (text, properties) in cases {
      let expected =
        #"{"type":"Feature","properties":"#
        + properties.replacing("M", with: members) + #","id":7}"#
      #expect(try passed(text, extra) == expected)
      #expect(try passed(text, []) == text)
    }
    #expect(
      try passed(#"{"type":"Feature","id":7 }"#, extra)
        == #"{"type":"Feature","id":7,"properties":{"# + members + "} }")
    #expect(try passed("{}\n{}", extra) == #"{"properties":{"# + members + "}}")
  }

  @Test func wrapsGeometriesAndBadLines() throws {
    #expect(
      try passed(point(1, 2), extra)
        == #"{"type":"Feature","geometry":\#(point(1, 2)),"properties":{\#(members)}}"#)
    #expect(
      try passed("broken\n" + point(1, 2), extra)
        == #"{"type":"Feature","geometry":null,"properties":{\#(members)}}"#)
  }

  @Test func onOneLine() throws {
    let text = "{\n\"type\":\"Feature\",\r\n\"properties\":{\n\"a\":\"\\n\"\n}}"
    #expect(
      try passed(text, [("b", .null)], onOneLine: true)
        == "{ \"type\":\"Feature\",  \"properties\":{ \"a\":\"\\n\",\"b\":null }}")
  }

  @Test func newFeature() {
    var bytes: [UInt8] = []
    GeoJSONRowText.appendFeature(
      point: (1.5, -2), fields: [("a\n", .text("é")), ("b", .json("[1]"))], to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1.5,-2.0]},"#
        + #""properties":{"a\n":"é","b":[1]}}"#)
    for point: (x: Double, y: Double)? in [nil, (.nan, 1), (1, .infinity)] {
      bytes = []
      GeoJSONRowText.appendFeature(point: point, fields: [(String, FieldValue)](), to: &bytes)
      #expect(
        String(decoding: bytes, as: UTF8.self)
          == #"{"type":"Feature","geometry":null,"properties":{}}"#)
    }
  }

  /// Random features of random layout are preserved byte for byte; added members can be read.
  @Test(arguments: 0..<40)
  func randomRoundTrips(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var texts: [String] = []
    var expected: [[FieldValue]] = []
    for _ in 0..<Int(random.next() % 40) {
      var values: [FieldValue] = []
      var text: [UInt8] = []
      for index in 0..<Int(random.next() % 5) {
        values.append(Self.value(&random))
        if index > 0 { text.append(UInt8(ascii: ",")) }
        JSONText.append(key: "k\"\(index)", to: &text)
        if random.next() % 3 == 0 { text += Array("  ".utf8) }
        JSONText.append(values[index], to: &text)
      }
      let location = (Int(random.next() % 360) - 180, Int(random.next() % 180) - 90)
      texts.append(
        feature(point(location.0, location.1), "{" + String(decoding: text, as: UTF8.self) + "}"))
      expected.append(values)
    }
    let isCollection = seed % 2 == 0
    let text =
      isCollection
      ? #"{"type":"FeatureCollection","features":["# + texts.joined(separator: " ,\n") + "]}"
      : texts.joined(separator: "\n")
    if text.isEmpty { return }
    let contents = try GeoJSONContents(
      text, step: Int(random.next() % 50) + 1, buffer: Int(random.next() % 200) + 1,
      limit: Int(random.next() % 9) + 1)
    #expect(contents.texts == texts)
    for (index, (batch, row)) in contents.rows.enumerated() {
      #expect(batch.fields(at: row).map(\.value) == expected[index])
      var bytes: [UInt8] = []
      GeoJSONRowText.append(row, of: batch, adding: [("new", .integer(9))], to: &bytes)
      let again = try GeoJSONContents(bytes: bytes)
      let (other, otherRow) = try #require(again.rows.first)
      #expect(other.fields(at: otherRow).map(\.value) == expected[index] + [.integer(9)])
      #expect(again.points == [contents.points[index]])
    }
  }

  private static func value(_ random: inout SeededGenerator) -> FieldValue {
    switch random.next() % 6 {
    case 0: return .integer(Int64(bitPattern: random.next()))
    case 1: return .real(Double(random.next() % 1000) / 7)
    case 2: return .text("]}\",\\\n[{é\(random.next() % 10)")
    case 3: return .boolean(random.next() % 2 == 0)
    case 4: return .json("[{\"a\":[]},\"]\"]")
    default: return .null
    }
  }
}
