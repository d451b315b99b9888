import Foundation
import Plumb
import PlumbTestSupport
import Testing

@Suite struct FeedDelimitedTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String, _ columns: LocationColumns = LocationColumns(), name: String = "feed.csv",
    attributes: Bool = false, limit: Int = 1000
  ) throws -> FeedContent {
    FeedContent(
      try folder.write(name, text), columns: columns, attributes: attributes, limit: limit)
  }

  private static let noon: Int64 = 1_777_636_800_000  // 2026-05-01T12:00:00Z, by date(1)

  @Test("An entity's text equals the same field as an attribute, with quotes too")
  func quotesOfEntities() throws {
    let fields = [
      #""a"b"#, #""a""b""#, #"a"b"#, #"a""b"#, #""a" "#, #""""a""#, #""a"b"c""#, #""a,b"c"#,
      #""é"x"#, #""a""b"c"#,
    ]
    let rows = fields.enumerated().map { index, field in
      "\(field),2026-05-01T12:00:0\(index)Z,24.9,60.2,\(field)\n"
    }
    let content = try read(
      "id,time,x,y,note\n" + rows.joined(), attributes: true)
    #expect(content.error == nil && content.issues.isEmpty, "\(content.issues)")
    let note = try #require(content.fields.firstIndex(of: "note"))
    let notes = content.attributes.map { $0[note] }
    try #require(content.fixes.count == fields.count && notes.count == fields.count)
    for (fix, note) in zip(content.fixes, notes) {
      guard case .text(let text) = note else {
        Issue.record("\(note) is not text")
        continue
      }
      #expect(fix.entity == text.trimmingCharacters(in: .whitespaces))
    }
    #expect(content.fixes.first?.entity == "ab")
  }

  @Test("Rows become fixes with all their columns")
  func columns() throws {
    let content = try read(
      """
      Entity,Timestamp,Longitude,Latitude,Accuracy,Speed,Bearing
      bus-1,2026-05-01T12:00:00Z,24.9,60.2,5,10.5,270
      bus-2,2026-05-01T12:00:01Z,-24.9,-60.2,,,
      bus-1,2026-05-01T12:00:02Z,24.91,60.21,7.5,nan,90

      """)
    #expect(content.error == nil && content.issues.isEmpty)
    #expect(
      content.fixes == [
        Fix(
          index: 0, entity: "bus-1", time: Self.noon, x: 24.9, y: 60.2, accuracy: 5, speed: 10.5,
          course: 270),
        Fix(index: 1, entity: "bus-2", time: Self.noon + 1000, x: -24.9, y: -60.2),
        Fix(
          index: 2, entity: "bus-1", time: Self.noon + 2000, x: 24.91, y: 60.21, accuracy: 7.5,
          course: 90),
      ])
  }

  @Test("Every delimiter, line end, byte order mark and last line without end is accepted")
  func spelling() throws {
    let text = "id,time,x,y\na,2026-05-01T12:00:00Z,1,2\n\n  \nb,2026-05-01T12:00:01Z,3,4"
    let expected = try read(text).fixes
    #expect(expected.count == 2 && expected.map(\.index) == [0, 1])
    for variant in [
      text + "\n", "\u{FEFF}" + text, text.replacing("\n", with: "\r\n"),
      text.replacing(",", with: ";"), text.replacing(",", with: "\t"),
      text.replacing("a,", with: "\"a\",").replacing(",3,", with: ",\"3\","), "\n\n" + text,
    ] {
      #expect(try read(variant).fixes == expected)
      #expect(try read(variant, name: "feed").fixes == expected, "recognized by the first bytes")
    }
    #expect(try read(text.replacing(",", with: "\t"), name: "a.tsv").fixes == expected)
  }

  @Test("Without a column of ids there is one entity with an empty name")
  func single() throws {
    let content = try read("time,lon,lat\n1777636800,1,2\n1777636801.5,1,2\n")
    #expect(content.fixes.map(\.entity) == ["", ""])
    #expect(content.fixes.map(\.time) == [Self.noon, Self.noon + 1500])
  }

  @Test("Columns are found by the given names, otherwise the error lists the columns")
  func named() throws {
    let text = "who,when,a,b,x,y,err\nv,1777636800,5,6,1,2,9\n"
    let columns = LocationColumns(id: "WHO", time: "when", x: "a", y: "b", accuracy: "err")
    #expect(
      try read(text, columns).fixes
        == [Fix(index: 0, entity: "v", time: Self.noon, x: 5, y: 6, accuracy: 9)])
    func error(_ text: String, _ columns: LocationColumns = LocationColumns()) throws -> String {
      let content = try read(text, columns)
      #expect(content.fixes.isEmpty)
      return content.error ?? ""
    }
    #expect(
      try error(text).hasSuffix(
        "no column of times: expected time or timestamp, but the columns are who, when, a, b, x, "
          + "y, err; name it with the column of times"))
    #expect(try error("time,a,b\n").contains("no coordinate columns"))
    #expect(try error("id,entity,time,x,y\n").contains("name one with the column of ids"))
    #expect(try error("time,timestamp,x,y\n").contains("name one with the column of times"))
    #expect(try error("time,easting,northing\n").contains("not eastings and northings"))
    #expect(
      try error(text, LocationColumns(id: "me", time: "when")).contains("no column is called me"))
    #expect(try error(text, LocationColumns(time: "when", speed: "v")).contains("no column v"))
    #expect(try error(text, LocationColumns(time: "x")).contains("cannot also be used as time"))
    #expect(try error("").hasSuffix("feed.csv is empty"))
    #expect(try error("\n \n").hasSuffix("feed.csv is empty"))
    #expect(try error("i\u{0}d\u{0}").contains("UTF-16"))
    #expect(FeedContent(folder.path("absent.csv")).error?.contains("no such file: ") == true)
    #expect(FeedContent(folder.path).error?.contains("is a folder") == true)
  }

  @Test("A header alone is a feed without locations")
  func headerOnly() throws {
    for text in ["id,time,x,y", "id,time,x,y\n", "id,time,x,y\r\n\r\n"] {
      let content = try read(text)
      #expect(content.error == nil && content.fixes.isEmpty && content.issues.isEmpty)
    }
  }

  @Test("Bad rows are reported by line and counted, and other rows are kept")
  func issues() throws {
    let content = try read(
      """
      id,time,x,y,speed
      a,1777636800,1,2,3
      garbage

      a,not a time,1,2,3
      a,1777636801,1.5,2.5,fast
      ,1777636802,1,2,3
      a,1777636803,1;2,2,3
      a,1777636803,1,91,3
      a,1777636803,nan,2,3
      a,1777636804,1,2,3,4
      id,time,x,y,speed
      a,1777636805,350,2,3
      a,99999999999999,1,2,3
      a,2026-02-29,1,2,3
      a,1777636806,"1,2,3
      a,1777636807,1,2,3
      a,1777636808,1,2,"3

      """)
    #expect(content.error == nil)
    #expect(content.fixes.map(\.index) == [0, 3, 10, 14])
    #expect(content.fixes[1].speed == nil && content.fixes[2].x == -10)
    #expect(content.issues.map(\.line) == [3, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18])
    #expect(content.issues.map(\.index) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15])
    let messages = content.issues.map(\.message)
    #expect(messages[0] == "1 fields, but the header has 5: \"garbage\"")
    #expect(messages[1].hasPrefix("invalid time: \"not a time\""))
    #expect(messages[2] == "speed is not a number: \"fast\"; the value is treated as unknown")
    #expect(messages[3] == "no id")
    #expect(messages[5].contains("not a longitude and latitude"))
    #expect(messages[11].hasPrefix("a quote is not closed"))
  }

  @Test("A quoted field may hold commas, quotes and lines; an open quote hides no valid row")
  func quotes() throws {
    let content = try read(
      "id,time,x,y,note\n\"a \"\"b\"\", c\",1777636800,1,2,\"one\n\ntwo, \"\"three\"\"\"\n"
        + "d,1777636801,1,2,\"open\nd,1777636802,1,2,fine\nd,1777636803,1,2,\"x\ny\nz\"\n",
      attributes: true)
    #expect(content.fixes.map(\.entity) == ["a \"b\", c", "d", "d"])
    #expect(content.fixes.map(\.index) == [0, 2, 3])
    #expect(content.issues.map(\.line) == [5] && content.issues.map(\.index) == [1])
    #expect(content.attribute("note", 0) == .text("one\n\ntwo, \"three\""))
    #expect(content.attribute("note", 1) == .text("fine"))
    #expect(content.attribute("note", 2) == .text("x\ny\nz"))
  }

  @Test("Attributes are all columns: numbers as numbers, codes as text, nothing as null")
  func attributes() throws {
    let content = try read(
      "id,time,x,y,n,r,code,empty,t\n7,1777636800,1,2,12,-0.5,007,,Øre\n", attributes: true)
    #expect(content.fields == ["id", "time", "x", "y", "n", "r", "code", "empty", "t"])
    #expect(
      content.attributes == [
        [
          .integer(7), .integer(1_777_636_800), .integer(1), .integer(2), .integer(12), .real(-0.5),
          .text("007"), .null, .text("Øre"),
        ]
      ])
    #expect(content.fixes[0].entity == "7")
    #expect(try read("id,time,x,y\n7,1777636800,1,2\n").fields.isEmpty)
  }

  @Test("An id that is not UTF-8 or holds a NUL byte is a bad row")
  func encoding() throws {
    let path = try folder.write(
      "latin.csv",
      bytes: Array("id,time,x,y\nM".utf8) + [0xFC] + Array("ller,0,1,2\na".utf8) + [0]
        + Array("b,0,1,2\nc,0,1,2\n".utf8))
    let content = FeedContent(path)
    #expect(content.fixes.map(\.entity) == ["c"] && content.fixes.map(\.index) == [2])
    #expect(content.issues.map(\.line) == [2, 3])
    #expect(content.issues.allSatisfy { $0.message.contains("is not UTF-8 text") })
  }

  @Test("A very long line is one bad row, and the next line is read")
  func longLine() throws {
    let long = [UInt8](repeating: UInt8(ascii: "7"), count: 9 << 20)
    let path = try folder.write(
      "long.csv",
      bytes: Array("id,time,x,y\na,0,1,2\n".utf8) + long + Array("\na,1,1,2\n".utf8))
    let content = FeedContent(path)
    #expect(content.fixes.map(\.index) == [0, 2])
    #expect(content.issues.map(\.line) == [3])
    #expect(content.issues.first?.message == "the line is over 4194304 bytes")
  }

  @Test("With any batch size, the fixes, indices and issues are the same")
  func limits() throws {
    var random = SeededGenerator(seed: 4)
    var text = "id,time,x,y\n"
    for row in 0..<500 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: text += "junk\n"
      case 1: text += "\n"
      case 2: text += "\"open,1,2,3\n"
      case 3: text += "\"two\nlines\",\(row),1,2\n"
      default: text += "v\(row % 7),\(row),\(row % 180),\(row % 90)\n"
      }
    }
    let expected = try read(text, limit: 100_000)
    #expect(expected.fixes.count > 300 && expected.issues.count > 50)
    #expect(
      (expected.fixes.map(\.index) + expected.issues.map(\.index)).sorted()
        == Array(0..<(expected.fixes.count + expected.issues.count)),
      "each row is a fix or an issue")
    for limit in [1, 2, 7, 64] {
      let content = try read(text, limit: limit)
      #expect(content.fixes == expected.fixes && content.issues == expected.issues)
    }
  }
}
