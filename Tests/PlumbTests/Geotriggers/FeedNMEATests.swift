import Plumb
import PlumbTestSupport
import Testing

@Suite struct FeedNMEATests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sum(_ body: String) -> String {
    let hex = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$" + body + "*" + (hex.count < 2 ? "0" + hex : hex)
  }

  private func rmc(_ time: String, _ date: String = "010526", status: String = "A") -> String {
    sum("GPRMC,\(time),\(status),6012.000,N,02454.000,E,10.0,90.0,\(date),,")
  }

  private func gga(_ time: String, talker: String = "GN", quality: Int = 1) -> String {
    sum("\(talker)GGA,\(time),6013.000,N,02454.000,E,\(quality),08,0.9,45.5,M,,M,,")
  }

  private func read(
    _ lines: [String], name: String = "feed.nmea", attributes: Bool = false, limit: Int = 100
  ) throws -> FeedContent {
    FeedContent(
      try folder.write(name, lines.joined(separator: "\r\n") + "\r\n"), attributes: attributes,
      limit: limit)
  }

  private static let noon: Int64 = 1_777_636_800_000

  @Test("Sentences of one time are one fix: position, speed and course from RMC, height from GGA")
  func joined() throws {
    for pair in [
      [rmc("120000"), gga("120000.00")], [gga("120000"), rmc("120000.00")],
      [rmc("120000"), sum("GPGSV,1,1,00"), gga("120000", talker: "GL"), gga("120000")],
    ] {
      let content = try read(pair + [rmc("120001"), gga("120001")], attributes: true)
      #expect(content.error == nil && content.issues.isEmpty)
      #expect(content.fixes.map(\.index) == [0, 1])
      #expect(content.fixes.map(\.time) == [Self.noon, Self.noon + 1000])
      #expect(content.fixes.allSatisfy { $0.x == 24.9 && $0.y == 60.2 && $0.course == 90 })
      #expect(content.fixes.allSatisfy { abs(($0.speed ?? 0) - 5.144_444_444) < 1e-9 })
      #expect(content.fields == ["altitude", "hdop", "satellites", "quality"])
      #expect(content.attributes[1] == [.real(45.5), .real(0.9), .integer(8), .integer(1)])
      #expect(content.fixes.allSatisfy { $0.accuracy == nil }, "a dilution is not accuracy")
      #expect(try read(pair + [rmc("120001"), gga("120001")], limit: 1).fixes == content.fixes)
    }
  }

  @Test("The date of GGA is the last one known, and the next day after midnight")
  func dates() throws {
    let content = try read([
      gga("235957"), rmc("235958"), gga("235959"), gga("000000.5"), gga("235959.75"), gga("000001"),
      rmc("000002", "020526"), gga("000003"),
    ])
    let midnight = Self.noon + 43_200_000
    #expect(
      content.fixes.map { $0.time - midnight } == [-2000, -1000, 500, -250, 1000, 2000, 3000])
    #expect(content.fixes.map(\.index) == [1, 2, 3, 4, 5, 6, 7])
    #expect(content.issues.map(\.line) == [1] && content.issues.map(\.index) == [0])
    #expect(content.issues.first?.message == "a time of day before the first date")
    let doubtful = try read([rmc("120000", status: "V"), gga("120000")])
    #expect(doubtful.fixes.map(\.y) == [60 + 13.0 / 60] && doubtful.fixes[0].speed == nil)
    let zda = try read([sum("GPZDA,115959,01,05,2026,00,00"), gga("120000")])
    #expect(zda.fixes.map(\.time) == [Self.noon] && zda.issues.isEmpty)
    let centuries = try read([rmc("120000", "010199"), rmc("120000.5", "010179")])
    #expect(centuries.fixes.map(\.time) == [915_192_000_000, 3_439_800_000_500])
  }

  @Test("Wrong checksums, garbage and times without a fix are bad rows; other sentences are not")
  func issues() throws {
    let content = try read([
      rmc("120000"), rmc("120001").replacing("6012", with: "6112"), "junk \u{7}", rmc("120002"),
      sum("GPGSA,A,3"), rmc("120003", status: "V"), gga("120003", quality: 0), "",
      String(rmc("120004").dropLast(20)), rmc("120005"),
    ])
    #expect(content.error == nil)
    #expect(content.fixes.map { $0.time - Self.noon } == [0, 2000, 5000])
    #expect(content.issues.map(\.line) == [2, 3, 6, 9])
    // The fix of a time is complete when the next time begins, so bad lines between them come
    // before the fix.
    #expect(
      (content.fixes.map(\.index) + content.issues.map(\.index)).sorted() == Array(0..<7))
    #expect(content.issues[0].message.hasPrefix("the checksum is wrong"))
    #expect(content.issues[1].message == "not an NMEA sentence: \"junk \\u{7}\"")
    #expect(content.issues[2].message == "the receiver has no fix")
    #expect(content.issues[3].message.hasPrefix("the sentence has no checksum"))
  }

  @Test("A feed without a date, without sentences or without content is an error that names it")
  func errors() throws {
    let undated = try read([gga("120000"), gga("120001")])
    #expect(undated.fixes.isEmpty && undated.issues.count == 2)
    #expect(undated.error?.contains("GGA sentences have no date") == true)
    let garbage = try read(["a", "b"])
    #expect(garbage.issues.map(\.line) == [1])
    #expect(garbage.error?.contains("has no NMEA sentence") == true)
    #expect(FeedContent(try folder.write("empty.nmea", "")).error?.contains("is empty") == true)
    #expect(try read([rmc("120000")], name: "log").fixes.count == 1, "recognized by the first byte")
    #expect(FeedContent(try folder.write("x.txt", rmc("120000"))).fixes.count == 1)
  }
}
