import PlumbTestSupport
import Testing

@testable import PlumbFormats

/// Position reports of ships. The sentences and their values are from pyais; the first is from gpsd.
@Suite struct AISMessageTests {
  struct Report: Sendable {
    var sentence: String
    var type: Int
    var identity: String
    /// Longitude and latitude; nil if not available.
    var point: SIMD2<Double>?
    /// Knots; nil if not available, as for the next property.
    var speed: Double?
    var course: Double?
    var heading: Int?
    var second: Int?

    init(
      _ sentence: String, _ type: Int, _ identity: String, _ x: Double, _ y: Double,
      _ speed: Double, _ course: Double, _ heading: Int, _ second: Int
    ) {
      (self.sentence, self.type, self.identity) = (sentence, type, identity)
      point = x == 181 ? nil : SIMD2(x, y)
      self.speed = speed == 102.3 ? nil : speed
      self.course = course == 360 ? nil : course
      self.heading = heading == 511 ? nil : heading
      self.second = second == 60 ? nil : second
    }
  }

  static let reports = [
    Report(
      "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C", 1, "477553000", -122.345833, 47.582833,
      0, 51, 181, 15),
    Report(
      "!AIVDO,1,1,,A,15I=5COP8SDwIHt?RsNm9?wqP000,0*4D", 1, "361973069", -153.922937, 27.168205,
      54.7, 131.6, 511, 60),
    Report(
      "!AIVDO,1,1,,A,100Kl7gP0t1D7pwUBP=7tww9P000,0*53", 1, "000455710", 18.377012, -46.68066,
      6.0, 203.5, 511, 36),
    Report(
      "!AIVDO,1,1,,A,1003?1gP?w<tSF0l4Q@>499qP000,0*68", 1, "000052998", 181, 91, 102.3, 360, 292,
      60),
    Report(
      "!AIVDO,1,1,,A,2:>js3?P;97U7mQcH6dkKq=3P000,0*7A", 2, "686603020", 105.976613, -36.041942,
      71.3, 87.9, 294, 33),
    Report(
      "!AIVDO,1,1,,A,300U;:?P7T;LkuHS0wr9EPwCP000,0*70", 3, "000609064", 160.085193, 61.1942,
      48.4, 239.0, 31, 41),
    Report(
      "!AIVDO,1,1,,A,B6tBep00DRI1FUu<BVQU6<v00000,0*1B", 18, "465874400", 133.711912, -19.629053,
      8.2, 161.7, 281, 60),
    Report(
      "!AIVDO,1,1,,A,B009gWh3wk?8mP=18D3Q0UA00000,0*14", 18, "000159647", 181, 91, 102.3, 360, 74,
      34),
    Report(
      "!AIVDO,1,1,,A,C00W5dP2MP6HMk4qs8>H8=tP`:V`000000000000000000000000,0*73", 19, "000640434",
      5.576917, 34.288858, 63.0, 243.4, 27, 57),
  ]

  private func message(_ lines: [String]) throws -> AISMessage? {
    var assembler = AISAssembler()
    var message: AISMessage?
    for var line in lines {
      let sentence = try line.withUTF8 { bytes throws in try NMEASentence.parse(bytes).sentence }
      guard case .ais(let fragment) = sentence else {
        Issue.record("\(line) is not a sentence of AIS")
        continue
      }
      message = try assembler.add(fragment)
    }
    return message
  }

  @Test(arguments: reports) func `position reports`(_ expected: Report) throws {
    guard case .position(let report)? = try message([expected.sentence]) else {
      Issue.record("\(expected.sentence) is not a position")
      return
    }
    #expect(report.type == expected.type && report.identity == expected.identity)
    #expect((report.point == nil) == (expected.point == nil))
    if let point = report.point, let other = expected.point {
      #expect(abs(point.x - other.x) < 1e-6 && abs(point.y - other.y) < 1e-6)
    }
    #expect(report.speed.isNaN == (expected.speed == nil))
    if let speed = expected.speed { #expect(abs(report.speed - speed * 1852 / 3600) < 1e-9) }
    #expect(report.course.isNaN == (expected.course == nil))
    if let course = expected.course { #expect(abs(report.course - course) < 1e-9) }
    #expect(report.heading == expected.heading && report.second == expected.second)
  }

  @Test func `the time of a base station`() throws {
    let message = try message(["!AIVDO,1,1,,A,401rN?Qva@b0702BO00BCp000000,0*0F"])
    // 2026-05-01T10:00:07Z.
    #expect(message == .time(1_777_629_607_000))
  }

  @Test func `messages of two sentences are joined, with any sentences between`() throws {
    let payload = "C00W5dP2MP6HMk4qs8>H8=tP`:V`000000000000000000000000"
    let (first, second) = (payload.prefix(30), payload.dropFirst(30))
    let lines = [
      "!AIVDM,2,1,3,A,\(first),0", "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C",
      "!AIVDM,2,1,4,A,\(first),0", "!AIVDM,2,2,3,A,\(second),0",
    ]
    guard case .position(let report)? = try message(lines) else {
      Issue.record("the message is not joined")
      return
    }
    #expect(report.identity == "000640434")
    // The first sentence is missing.
    #expect(try message(["!AIVDM,2,2,5,A,\(second),0"]) == nil)
  }

  @Test func `the receiver's timestamp is the time`() {
    for (line, time) in [
      ("\\s:r,c:1777629607*00\\!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C", 1_777_629_607_000),
      ("\\c:1777629607123*00\\!AIVDM,1,1,,B,1,0*5C", 1_777_629_607_123),
      ("!AIVDM,1,1,,B,1,0*5C,r003669930,1777629607", 1_777_629_607_000),
      ("!AIVDM,1,1,,B,1,0*5C", nil), ("\\s:r*00\\!AIVDM,1,1,,B,1,0*5C", nil),
    ] as [(String, Int64?)] {
      var line = line
      #expect(line.withUTF8 { NMEASentence.receptionTime(of: $0) } == time, "\(line)")
    }
  }

  @Test func `damaged sentences are errors and never trap`() throws {
    for line in [
      "!AIVDM,1,1,,B,,0", "!AIVDM,1,1,,B,1,0", "!AIVDM,1,1,,B,177KQJ50,0", "!AIVDM,1,2,,B,1,0",
      "!AIVDM,1,1,,B,1x~,0", "!AIVDM,0,0,,B,1,0", "!AIVDM,1,1,,B,1,9", "!AIVDM,1,1",
    ] {
      var text = line
      let failed = text.withUTF8 { bytes in
        guard case .ais(let fragment)? = try? NMEASentence.parse(bytes).sentence else {
          return true
        }
        var assembler = AISAssembler()
        guard let message = try? assembler.add(fragment) else { return true }
        return message == .other
      }
      #expect(failed, "\(line)")
    }
    var random = SeededGenerator(seed: 18)
    let lines = Self.reports.map(\.sentence)
    for _ in 0..<20_000 {
      var bytes = Array(lines.randomElement(using: &random)!.utf8.prefix { $0 != 0x2A })
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 7..<bytes.count, using: &random)] = UInt8.random(
          in: 0x20...0x7E, using: &random)
      }
      bytes.withUnsafeBufferPointer { bytes in
        guard case .ais(let fragment)? = try? NMEASentence.parse(bytes).sentence else { return }
        var assembler = AISAssembler()
        if case .position(let report)? = try? assembler.add(fragment), let point = report.point {
          #expect(abs(point.x) <= 180 && abs(point.y) <= 90)
        }
      }
    }
  }
}
