import PlumbFormats
import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct NMEASentenceTests {
  private func parse(_ line: String, needsChecksum: Bool = false) throws -> NMEASentence {
    try Array(line.utf8).withUnsafeBufferPointer {
      try NMEASentence.parse($0, needsChecksum: needsChecksum).sentence
    }
  }

  private func message(_ line: String, needsChecksum: Bool = false) -> String {
    do {
      return "read as \(try parse(line, needsChecksum: needsChecksum))"
    } catch {
      return (error as? FormatError)?.message ?? "\(error)"
    }
  }

  /// The sentence with its checksum: the exclusive or of the bytes between `$` and `*`.
  private func summed(_ body: String) -> String {
    let sum = body.utf8.reduce(0, ^)
    let hex = String(sum, radix: 16, uppercase: true)
    return "$" + body + "*" + (hex.count < 2 ? "0" + hex : hex)
  }

  @Test("The examples of NMEA handbooks: Dale DePriest's and Glenn Baddeley's pages")
  func published() throws {
    guard
      case .rmc(let rmc) = try parse(
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A")
    else {
      Issue.record("no RMC")
      return
    }
    #expect(rmc.timeOfDay == (12 * 3600 + 35 * 60 + 19) * 1000)
    #expect(rmc.date == .init(year: 1994, month: 3, day: 23))
    let point = try #require(rmc.point)
    #expect(abs(point.y - (48 + 7.038 / 60)) < 1e-13 && abs(point.x - (11 + 31.0 / 60)) < 1e-13)
    #expect(abs(rmc.speed - 22.4 * 0.514444444444) < 1e-9 && rmc.course == 84.4)
    guard
      case .gga(let gga) = try parse(
        "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47")
    else {
      Issue.record("no GGA")
      return
    }
    #expect(gga.timeOfDay == rmc.timeOfDay && gga.point == point)
    #expect(gga.quality == 1 && gga.satellites == 8)
    #expect(gga.horizontalDilution == 0.9 && gga.altitude == 545.4)
    #expect(
      try parse("$GPZDA,201530.00,04,07,2002,00,00*60")
        == .zda(timeOfDay: 72_930_000, date: .init(year: 2002, month: 7, day: 4)))
    guard
      case .rmc(let south) = try parse(
        "$GPRMC,081836,A,3751.65,S,14507.36,E,000.0,360.0,130998,011.3,E*62")
    else {
      Issue.record("no RMC")
      return
    }
    let melbourne = try #require(south.point)
    #expect(abs(melbourne.y + (37 + 51.65 / 60)) < 1e-13)
    #expect(abs(melbourne.x - (145 + 7.36 / 60)) < 1e-13)
    #expect(south.date.year == 1998)
  }

  @Test(
    "Any talker, a tag block, blanks around the line and a lower-case checksum are accepted")
  func talkers() throws {
    let body = "RMC,235959.25,A,0000.000,S,18000.000,W,,,311229,,"
    for talker in ["GP", "GN", "GL", "GA", "BD", "II"] {
      guard case .rmc(let rmc) = try parse(summed(talker + body)) else {
        Issue.record("\(talker) is a talker")
        continue
      }
      #expect(rmc.timeOfDay == 86_399_250 && rmc.date.year == 2029)
      #expect(rmc.point == SIMD2(-180, 0) && rmc.speed.isNaN && rmc.course.isNaN)
    }
    let line = summed("GP" + body)
    let small = String(line.dropLast(2)) + line.suffix(2).lowercased()
    for text in ["\\s:r1,c:1609459200*0E\\" + line, " \t" + small + " \r"] {
      guard case .rmc = try parse(text) else {
        Issue.record("the same sentence differs")
        continue
      }
    }
  }

  @Test("Sentences of other kinds and makers are neither fixes nor errors")
  func others() throws {
    for line in [
      "$GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1*39",
      "$GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48", "$PGRME,15.0,M,45.0,M,25.0,M*1C",
      "!PABCD,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0",
    ] {
      #expect(try parse(line) == .other, "\(line)")
    }
  }

  @Test("Faults are reported")
  func wrong() {
    #expect(
      message("$GPRMC,123519,A,4807.039,N,01131.000,E,022.4,084.4,230394,003.1,W*6A")
        .hasPrefix("the checksum is wrong: the computed checksum is 6B"))
    let cases = [
      ("hello", "no NMEA sentence"), ("", "no NMEA sentence"), ("$", "no NMEA sentence"),
      ("$GPRMC,1*", "the checksum is not two hexadecimal digits"),
      ("$GPRMC,1*5", "the checksum is not two hexadecimal digits"),
      ("\\s:r1", "a tag block does not end"),
      (summed("GPRMC,123519,A"), "the RMC sentence has only 3 fields"),
      (
        summed("GPRMC,123519,X,4807.038,N,01131.000,E,,,230394,,"), "the status is neither A nor V"
      ),
      (summed("GPRMC,,V,,,,,,,,,"), "no fix: the sentence has no time and date"),
      (summed("GPRMC,243519,A,4807.038,N,01131.000,E,,,230394,,"), "the time of day is not hhmmss"),
      (summed("GPRMC,123519,A,4807.038,N,01131.000,E,,,320394,,"), "the date does not exist"),
      (summed("GPRMC,123519,A,4807.038,,01131.000,E,,,230394,,"), "the latitude has no hemisphere"),
      (
        summed("GPRMC,123519,A,4807.038,N,11,E,,,230394,,"),
        "the longitude is not degrees and minutes"
      ),
      (
        summed("GPRMC,123519,A,4867.038,N,01131.0,E,,,230394,,"),
        "the latitude is not degrees and minutes"
      ),
      (
        summed("GPRMC,123519,A,9007.038,N,01131.0,E,,,230394,,"),
        "the latitude is beyond 90 degrees"
      ),
      (summed("GPRMC,123519,A,4807.038,N,01131.0,E,x,,230394,,"), "field 7 is not a number"),
      (
        summed("GPGGA,123519,4807.038,N,01131.000,E,,08,0.9,545.4,M,46.9,M,,"),
        "the quality is not a number"
      ),
    ]
    for (line, expected) in cases { #expect(message(line) == expected, "\(line)") }
  }

  @Test("A sentence without a checksum counts only if no sentence has one")
  func missingChecksum() {
    let line = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W"
    #expect(message(line).hasPrefix("read as rmc"))
    #expect(
      message(line, needsChecksum: true)
        == "the sentence has no checksum, but other sentences do: it may be truncated")
  }

  @Test("A sentence with one damaged byte is rejected or gives the same fix")
  func damage() throws {
    let good = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"
    let fix = try parse(good)
    var random = SeededGenerator(seed: 183)
    for _ in 0..<4000 {
      var bytes = Array(good.utf8)
      let point = Int.random(in: 0..<bytes.count, using: &random)
      bytes[point] = UInt8.random(in: 0...255, using: &random)
      let sentence = bytes.withUnsafeBufferPointer {
        try? NMEASentence.parse($0, needsChecksum: true).sentence
      }
      // One byte changes the checksum; if the byte is after the star, the checksum does not match.
      if let sentence, sentence != .other { #expect(sentence == fix) }
    }
  }
}
