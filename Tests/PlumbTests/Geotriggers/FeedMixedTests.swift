import Plumb
import PlumbTestSupport
import Testing

/// NMEA mixed with other output of receivers and gpsd.
@Suite struct FeedMixedTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rmc(_ second: Int) -> [UInt8] {
    let body = "GPRMC,12000\(second),A,6012.000,N,02454.000,E,10.0,90.0,010526,,"
    let hex = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return Array("$\(body)*\(hex.count < 2 ? "0" + hex : hex)\r\n".utf8)
  }

  /// A UBX packet whose payload contains all bytes, including newlines and dollar signs.
  private let packet: [UInt8] =
    [0xB5, 0x62, 0x01, 0x07, 0x00, 0x01] + Array(0...255) + [0x3C, 0xA9]
  /// An RTCM 3 message.
  private let rtcm: [UInt8] = [0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x0A, 0x98, 0x0E, 0xDE]

  private func read(_ bytes: [UInt8], _ name: String = "feed") throws -> FeedContent {
    FeedContent(try folder.write(name, bytes: bytes))
  }

  @Test("Packets before, between and after sentences are not rows, and cause one remark")
  func packets() throws {
    for other in [packet, rtcm, packet + rtcm, rtcm + [0x0A], [0, 0, 0, 0], [0xFF, 0xFE, 0xFD]] {
      let bytes = other + rmc(0) + other + rmc(1) + rmc(2) + other + other + rmc(3) + other
      for name in ["feed", "feed.nmea"] {
        let content = try read(bytes, name)
        #expect(content.error == nil)
        #expect(content.fixes.map(\.index) == [0, 1, 2, 3], "\(other)")
        #expect(content.issues.count == 1)
      }
    }
  }

  @Test("Comments, gpsd's reports, clocks before sentences and halves of sentences")
  func lines() throws {
    let text = Array("# a log\n# of mine\n{\"class\":\"SKY\",\"tag\":\"$x\"}\n".utf8)
    let plain = try read(text + rmc(0) + text + rmc(1))
    #expect(plain.fixes.count == 2 && plain.issues.isEmpty && plain.error == nil)
    let clocks = (0..<3).flatMap { Array("2026-05-01 12:00:0\($0) ".utf8) + rmc($0) }
    let stamped = try read(clocks)
    #expect(stamped.fixes.count == 3 && stamped.issues.isEmpty)
    let half = try read(rmc(0) + rmc(1).prefix(20) + rmc(2) + Array("half\n".utf8) + rmc(3))
    #expect(half.fixes.map(\.index) == [0, 1, 3] && half.issues.map(\.line) == [3])
    // If a line does not begin with the sentence, a correct checksum is required.
    let wrong = try read(rmc(0) + Array("x $GPRMC,120001,A,6012,N,02454,E,,,010526,,\n".utf8))
    #expect(wrong.fixes.count == 1 && wrong.issues.count == 1)
  }

  @Test("Reports of gpsd without sentences: class TPV is a row, its device the entity")
  func reports() throws {
    let text = """
      {"class":"VERSION","release":"3.25"}
      {"class":"TPV","device":"/dev/a","mode":1}
      {"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-01T12:00:00.000Z","lat":60.2,\
      "lon":24.9,"alt":45.5,"eph":3.5,"track":90.0,"speed":5.5}
      {"class":"SKY","device":"/dev/a"}
      {"class":"TPV","device":"/dev/b","mode":3,"time":"2026-05-01T12:00:01Z","lat":-1,"lon":2}

      """
    for name in ["feed", "feed.json", "feed.nmea"] {
      let content = try read(Array(text.utf8), name)
      #expect(content.error == nil && content.issues.map(\.line) == [2])
      #expect(
        content.fixes == [
          Fix(
            index: 1, entity: "/dev/a", time: 1_777_636_800_000, x: 24.9, y: 60.2, accuracy: 3.5,
            speed: 5.5, course: 90),
          Fix(index: 2, entity: "/dev/b", time: 1_777_636_801_000, x: 2, y: -1),
        ])
    }
    let both = try read(rmc(0) + Array(text.utf8) + rmc(1))
    #expect(both.fixes.map(\.entity) == ["", ""], "a repeated gpsd report is not a row")
  }

  @Test("Tables stay tables, even with comment signs, sentences, numbers and Latin-1 in them")
  func tables() throws {
    let sentence = String(decoding: rmc(0).dropLast(2), as: UTF8.self)
    for (index, text) in [
      "#id,time,x,y\na,0,1,2\n", "time,x,y,1\n0,1,2,3\n", "time\tx\ty\n0\t1\t2\n",
      "x,y,time,raw\n1,2,0,\"\(sentence)\"\n",
    ].enumerated() {
      let content = try read(Array(text.utf8), "table\(index)")
      #expect(content.error == nil && content.fixes.map(\.x) == [1], "\(text)")
    }
    let latin = Array("time,x,y,stra".utf8) + [0xDF] + Array("e\n0,1,2,M".utf8) + [0xFC, 0x0A]
    #expect(try read(latin).fixes.count == 1)
    let binary = try read([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
    #expect(binary.error?.contains("or binary") == true)
  }
}
