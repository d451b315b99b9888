import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// A read closure that returns at most `step` bytes per call.
func pull(_ bytes: [UInt8], step: Int) -> (UnsafeMutableRawBufferPointer) throws -> Int {
  var position = 0
  return { buffer in
    let count = min(step, buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return count
  }
}

/// The complete output of a reader.
struct GeoJSONContents {
  var layout: GeoJSONReader.Layout
  var prefix: String
  var suffix: String
  var crs: String?
  var texts: [String] = []
  var points: [String] = []
  var lines: [Int] = []
  var rows: [(GeoJSONBatch, Int)] = []

  init(_ text: String, step: Int = 1 << 20, buffer: Int = 1 << 20, limit: Int = 3) throws {
    try self.init(bytes: Array(text.utf8), step: step, buffer: buffer, limit: limit)
  }

  init(
    bytes: [UInt8], step: Int = 1 << 20, buffer: Int = 1 << 20, limit: Int = 3,
    isSequence: Bool = false, featureLimit: Int = 1 << 20
  ) throws {
    let reader = try GeoJSONReader(
      isSequence: isSequence, featureLimit: featureLimit, bufferSize: buffer,
      read: pull(bytes, step: step))
    layout = reader.layout
    prefix = String(decoding: reader.prefix, as: UTF8.self)
    while let batch = try reader.next(limit: limit) {
      for row in 0..<batch.count {
        texts.append(String(decoding: batch.bytes[batch.ranges[row]], as: UTF8.self))
        points.append(batch.isBad[row] ? "bad" : "\(batch.x[row]) \(batch.y[row])")
        lines.append(batch.lines[row])
        rows.append((batch, row))
      }
    }
    #expect(try reader.next(limit: 1) == nil)
    suffix = String(decoding: reader.suffix, as: UTF8.self)
    crs = reader.crsText
  }
}

func feature(_ geometry: String, _ properties: String = "{}") -> String {
  #"{"type":"Feature","geometry":\#(geometry),"properties":\#(properties)}"#
}

func point(_ x: Int, _ y: Int) -> String { #"{"type":"Point","coordinates":[\#(x),\#(y)]}"# }

@Suite struct GeoJSONReaderTests {
  @Test func emptyCollection() throws {
    let contents = try GeoJSONContents(#" {"type":"FeatureCollection","features":[ ]} "#)
    #expect(contents.layout == .collection)
    #expect(contents.texts.isEmpty)
    #expect(contents.prefix == #"{"type":"FeatureCollection","features":["#)
    #expect(contents.suffix == "]} ")
  }

  @Test(arguments: [1, 2, 7, 64, 1 << 20], [1, 16, 1 << 20])
  func splitAnywhere(_ step: Int, _ buffer: Int) throws {
    let text =
      "\u{FEFF}{\r\n\"type\": \"FeatureCollection\", \"name\": \"a[\\\"features\\\":[\",\r\n"
      + "\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::32633\"}},"
      + "\"features\": [\r\n" + feature(point(1, 2), #"{"a":"]}\"{["}"#) + ",\r\n"
      + feature("null") + " ,\n" + feature(point(-3, 4)) + "\n], \"after\": {\"x\":[1]}}\n"
    let contents = try GeoJSONContents(text, step: step, buffer: buffer)
    #expect(contents.layout == .collection)
    #expect(contents.points == ["1.0 2.0", "bad", "-3.0 4.0"])
    #expect(contents.texts[0] == feature(point(1, 2), #"{"a":"]}\"{["}"#))
    #expect(contents.lines == [4, 5, 6])
    #expect(contents.crs == "EPSG:32633")
    #expect(contents.prefix.hasSuffix("\"features\": ["))
    #expect(contents.suffix == "], \"after\": {\"x\":[1]}}\n")
  }

  @Test func points() throws {
    let geometries: [(String, String)] = [
      (point(1, 2), "1.0 2.0"),
      (#"{"coordinates":[1e2,-2.5,7,"m"],"type":"Point"}"#, "100.0 -2.5"),
      (#"{"type":"Po\u0069nt","coordinates":[1,2]}"#, "1.0 2.0"),
      (#"{"type":"MultiPoint","coordinates":[[5,6]]}"#, "5.0 6.0"),
      (#"{"type":"MultiPoint","coordinates":[[5,6],[7,8]]}"#, "bad"),
      (#"{"type":"MultiPoint","coordinates":[]}"#, "bad"),
      (#"{"type":"Point","coordinates":[]}"#, "bad"),
      (#"{"type":"Point","coordinates":[1]}"#, "bad"),
      (#"{"type":"Point","coordinates":[1,null]}"#, "bad"),
      (#"{"type":"Point","coordinates":["1","2"]}"#, "bad"),
      (#"{"type":"Point","coordinates":[1,1e999]}"#, "bad"),
      (#"{"type":"Point","coordinates":null}"#, "bad"),
      (#"{"type":"Point"}"#, "bad"),
      (#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, "bad"),
      (#"{"type":"Feature","coordinates":[1,2]}"#, "bad"),
      (#"{"coordinates":[1,2]}"#, "bad"),
      ("null", "bad"), ("[1,2]", "bad"), ("7", "bad"), ("{}", "bad"),
    ]
    for (geometry, expected) in geometries {
      let text = #"{"type":"FeatureCollection","features":[\#(feature(geometry))]}"#
      #expect(try GeoJSONContents(text).points == [expected], "\(geometry)")
      #expect(try GeoJSONContents(feature(geometry)).points == [expected], "\(geometry)")
    }
    for other in ["null", "12", "[]", "{}", "\"a\"", #"{"type":"feature"}"#] {
      let text = #"{"type":"FeatureCollection","features":[\#(other),\#(other)]}"#
      let contents = try GeoJSONContents(text, step: 1, buffer: 1)
      #expect(contents.points == ["bad", "bad"])
      #expect(contents.texts == [other, other])
    }
  }

  @Test func singleFeatureAndGeometry() throws {
    for text in [feature(point(1, 2)), point(1, 2), "\n" + point(1, 2) + " \n"] {
      let contents = try GeoJSONContents(text, step: 1, buffer: 1)
      #expect(contents.layout == .single)
      #expect(contents.points == ["1.0 2.0"])
    }
    let pretty = "{\n \"type\": \"Point\",\n \"coordinates\": [\n  1,\n  2\n ]\n}\n"
    #expect(try GeoJSONContents(pretty).points == ["1.0 2.0"])
  }

  @Test(arguments: [1, 5, 1 << 20])
  func sequences(_ step: Int) throws {
    let text =
      "\n" + feature(point(1, 2)) + "\r\n\r\n" + point(3, 4) + "\n{broken\n  \nnull\n"
      + feature("null") + "\n{\"type\":\"FeatureCollection\",\"features\":[]}"
    let contents = try GeoJSONContents(text, step: step, buffer: step)
    #expect(contents.layout == .sequence)
    #expect(contents.points == ["1.0 2.0", "3.0 4.0", "bad", "bad", "bad", "bad"])
    #expect(contents.texts[2...3] == ["{broken", "null"])
    #expect(contents.lines == [2, 4, 5, 7, 8, 9])
  }

  @Test(arguments: [1, 5, 1 << 20])
  func recordSeparators(_ step: Int) throws {
    let text =
      "\u{1E}" + feature(point(1, 2)) + "\n\u{1E}{\n\"type\":\"Point\",\n\"coordinates\":[3,4]}\n"
      + "\u{1E}\n\u{1E}{\"cut\n\u{1E}" + point(5, 6)
    let contents = try GeoJSONContents(text, step: step, buffer: step)
    #expect(contents.layout == .sequence)
    #expect(contents.points == ["1.0 2.0", "3.0 4.0", "bad", "5.0 6.0"])
    #expect(contents.lines == [1, 2, 6, 7])
  }

  @Test func firstLineOfASequenceMayBeBroken() throws {
    let good = feature(point(1, 2))
    for bad in [good.dropLast().description, "hello", "{", "[1,2]", "nul"] {
      let contents = try GeoJSONContents(bad + "\n\n" + good + "\n" + good + "\n")
      #expect(contents.layout == .sequence)
      #expect(contents.points == ["bad", "1.0 2.0", "1.0 2.0"], "\(bad)")
    }
    let hinted = try GeoJSONContents(bytes: Array("hello\n".utf8), isSequence: true)
    #expect(hinted.points == ["bad"])
    #expect(try GeoJSONContents(bytes: [], isSequence: true).points.isEmpty)
  }

  @Test(arguments: [
    "", " \n", "hello", "[1,2]", "{}", "null", #"{"type":"Topology","objects":{}}"#,
    #"{"type":"FeatureCollection"}"#, #"{"type":"FeatureCollection","features":{}}"#,
    #"{"type":"FeatureCollection","features":["#,
    #"{"type":"FeatureCollection","features":[]"#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature""#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature"}"#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature"},]}"#,
    #"{"type":"FeatureCollection","features":[,]}"#,
    #"{"type":"FeatureCollection","features":[{} {}]}"#,
    #"{"type":"FeatureCollection","features":[]}x"#,
    #"{"type":"FeatureCollection","features":[],}"#,
    #"{"type":"FeatureCollection","features":[],"features":[]}"#,
    #"{"type":"Feature","geometry":null} {"type":"Feature"}"#,
    #"{"geometryType":"esriGeometryPoint","features":[]}"#,
    "{\n\"type\":\"Feature\"}\n{\"type\":\"Feature\"}",
  ])
  func refuses(_ text: String) {
    for step in [1, 1 << 20] {
      #expect(throws: FormatError.self) { try GeoJSONContents(text, step: step, buffer: step) }
    }
  }

  @Test func truncationSaysWhere() throws {
    let text = #"{"type":"FeatureCollection","features":[{"type":"Feature","a":[1,2"#
    let error = #expect(throws: FormatError.self) { try GeoJSONContents(text, step: 3, buffer: 8) }
    #expect(error?.offset == text.utf8.count)
    let broken = #"{"type":"FeatureCollection","features":[{"type":"Feature","a":[1 2]}]}"#
    let second = #expect(throws: FormatError.self) {
      try GeoJSONContents(broken, step: 3, buffer: 8)
    }
    #expect(second?.offset == 65)
  }

  @Test func otherEncodings() {
    let text = feature(point(1, 2))
    let little = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let wide = text.unicodeScalars.flatMap { [UInt8($0.value & 255), 0, 0, 0] }
    for (bytes, name) in [
      (little, "UTF-16"), ([0xFF, 0xFE] + little, "UTF-16"), (big, "UTF-16"),
      ([0xFE, 0xFF] + big, "UTF-16"), (wide, "UTF-32"), ([0xFF, 0xFE, 0, 0] + wide, "UTF-32"),
    ] {
      let error = #expect(throws: FormatError.self) { try GeoJSONContents(bytes: bytes) }
      #expect(error?.message.contains(name) == true)
    }
  }

  @Test func nestingAndLength() throws {
    let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
    let collection = #"{"type":"FeatureCollection","features":[\#(feature(deep))]}"#
    let error = #expect(throws: FormatError.self) { try GeoJSONContents(collection) }
    #expect(error?.message.contains("nested") == true)
    let lines = feature(point(1, 2)) + "\n" + feature(deep) + "\n" + feature(point(3, 4))
    #expect(try GeoJSONContents(lines).points == ["1.0 2.0", "bad", "3.0 4.0"])
    let long = feature(point(1, 2), #"{"a":"\#(String(repeating: "x", count: 3000))"}"#)
    for text in [long, #"{"features":[\#(long)]}"#, "\(point(1, 2))\n\(long)\n"] {
      #expect(throws: FormatError.self) {
        try GeoJSONContents(bytes: Array(text.utf8), buffer: 100, featureLimit: 2000)
      }
      #expect(
        try GeoJSONContents(bytes: Array(text.utf8), buffer: 100, featureLimit: 4000).points.last
          == "1.0 2.0")
    }
  }

  @Test func references() throws {
    let cases = [
      ("urn:ogc:def:crs:EPSG::32633", "EPSG:32633"), ("EPSG:3857", "EPSG:3857"),
      ("epsg:3857", "EPSG:3857"), ("urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84"),
      ("urn:ogc:def:crs:EPSG:8.9:4326", "EPSG:4326"), ("urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84"),
      ("http://www.opengis.net/def/crs/EPSG/0/28992", "EPSG:28992"), ("CRS84", "OGC:CRS84"),
      ("urn:x-ogc:def:crs:EPSG:4326", "EPSG:4326"), ("my own", "my own"), ("a:b:c", "a:b:c"),
    ]
    for (name, expected) in cases {
      let crs = #""crs":{"type":"name","properties":{"name":"\#(name)"}}"#
      #expect(try GeoJSONContents(#"{\#(crs),"features":[]}"#).crs == expected)
      let behind = #"{"type":"FeatureCollection","features":[\#(point(1, 2)),{}],\#(crs)}"#
      #expect(try GeoJSONContents(behind).crs == expected)
      let found = try GeoJSONReader.crsText(read: pull(Array(behind.utf8), step: 3))
      #expect(found == expected)
    }
    let code = #"{"crs":{"type":"EPSG","properties":{"code":4326}},"features":[]}"#
    #expect(try GeoJSONContents(code).crs == "EPSG:4326")
    for other in ["null", "{}", "7", #"{"type":"link","properties":{"href":"x"}}"#] {
      #expect(try GeoJSONContents(#"{"crs":\#(other),"features":[]}"#).crs == nil)
    }
  }

  /// Damaged text gives rows or an error, never a crash or a hang, however it is split into
  /// reads.
  @Test(arguments: 0..<200)
  func randomDamage(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let features = [feature(point(1, 2), #"{"a":[1,"]}"],"b":"é"}"#), feature("null"), point(3, 4)]
    var bytes =
      seed % 2 == 0
      ? Array(#"{"crs":null,"features":[\#(features.joined(separator: ","))],"z":1}"#.utf8)
      : Array(features.joined(separator: "\n").utf8)
    for _ in 0..<1 + random.next() % 4 {
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.remove(at: index)
      default: bytes.insert(Array("{}[],:\"\\\n\u{1E} 1n".utf8)[index % 13], at: index)
      }
    }
    let outcome = { (step: Int, buffer: Int) -> String in
      do {
        let contents = try GeoJSONContents(bytes: bytes, step: step, buffer: buffer)
        for (batch, row) in contents.rows {
          _ = batch.fields(at: row)
          var text: [UInt8] = []
          GeoJSONRowText.append(row, of: batch, adding: [("n", .null)], to: &text)
          let isObject = text.withUnsafeBufferPointer { JSONScanner.isValid($0) }
          #expect(isObject)
        }
        return "\(contents.layout) \(contents.texts) \(contents.points) \(contents.lines)"
      } catch {
        return "\(error)"
      }
    }
    let whole = outcome(1 << 20, 1 << 20)
    if bytes.count > 16 { #expect(outcome(3, 1 << 12) == whole) }
    _ = outcome(1, 1)
  }

  @Test func readErrorsPass() throws {
    struct Broken: Error {}
    #expect(throws: Broken.self) { try GeoJSONReader(read: { _ in throw Broken() }) }
  }
}

@Suite struct GeoJSONFieldTests {
  @Test func fieldsInOrder() throws {
    let properties = #"{"b":1,"a":"x\n","c":[1, 2],"n":null,"t":true,"r":1.5,"\u00e9":2,"b":3}"#
    let contents = try GeoJSONContents(feature("null", properties))
    let (batch, row) = try #require(contents.rows.first)
    let fields = batch.fields(at: row)
    #expect(fields.map(\.name) == ["b", "a", "c", "n", "t", "r", "é", "b"])
    #expect(
      fields.map(\.value) == [
        .integer(1), .text("x\n"), .json("[1, 2]"), .null, .boolean(true), .real(1.5),
        .integer(2), .integer(3),
      ])
    #expect(batch.value(named: "é", at: row) == .integer(2))
    #expect(batch.value(named: "b", at: row) == .integer(3))
    #expect(batch.value(named: "z", at: row) == nil)
  }

  @Test func kindsWiden() throws {
    let rows = [
      #"{"i":1,"r":1,"t":1,"b":true,"m":true,"n":null,"j":{}}"#, "null",
      #"{"z":1,"i":2,"r":1.5,"t":"x","b":false,"m":1,"n":null,"j":null}"#,
    ]
    let text = rows.map { feature("null", $0) }.joined(separator: "\n")
    var merge = GeoJSONFieldMerge()
    for (batch, row) in try GeoJSONContents(text, limit: 1).rows where row == 0 { merge.add(batch) }
    #expect(
      merge.fields == [
        Field(name: "i", kind: .integer), Field(name: "r", kind: .real),
        Field(name: "t", kind: .text), Field(name: "b", kind: .boolean),
        Field(name: "m", kind: .text), Field(name: "n", kind: .text),
        Field(name: "j", kind: .text), Field(name: "z", kind: .integer),
      ])
  }
}
