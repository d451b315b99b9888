import PlumbIO
import Testing

@Suite struct ISOTimeTests {
  private func read(_ text: String, _ forms: ISOTime.Forms) -> Int64? {
    Array(text.utf8).withUnsafeBufferPointer { ISOTime.microseconds($0, forms) }
  }

  @Test("Forms that only some grammars accept")
  func grammars() {
    // The seconds are from GNU date: date -u -d 2026-05-01T10:00:00Z +%s
    let ten: Int64 = 1_777_629_600_000_000
    let (midnight, may, year) = (ten - 36_000_000_000, ten - 36_000_000_000, 1_767_225_600_000_000)
    let all: [ISOTime.Forms] = [.conditions, .arcade, .feeds]
    let cases: [(String, Int64, [ISOTime.Forms])] = [
      ("2026-05-01T10:00:00Z", ten, all), ("2026-05-01 10:00", ten, all),
      ("2026-05-01T09:59:60.000001", ten + 1, all), ("2026-05-01T12:30+02:30", ten, all),
      ("2026-05-01", midnight, all), ("2026-05-01T09:59:59.9999999Z", ten - 1, all),
      ("2026", Int64(year), [.arcade]), ("2026-05", may, [.arcade]),
      ("2026-05-01T12:30+0230", ten, [.arcade, .feeds]),
      ("2026-05-01T12:00:00+02", ten, [.arcade, .feeds]),
      ("20260501T1000", ten, [.feeds]), ("2026/05/01 10:00", ten, [.feeds]),
      ("2026-05-01t10:00z", ten, [.feeds]), (" 2026-05-01 ", midnight, [.feeds]),
      ("2026-05-01T10:00:00,5", ten + 500_000, [.feeds]), ("2026-04-30T24:00", midnight, [.feeds]),
      ("2026-05-01 10:00 UTC", ten, [.feeds]), ("2026-05-01 12:00 +02:00", ten, [.feeds]),
      ("0000-01-01", -62_167_219_200_000_000, [.conditions, .arcade]),
      ("2026-05-01T10", ten, [.feeds]), ("2026-05-01T12+02:00", ten, [.feeds]),
      ("20260501T10Z", ten, [.feeds]), ("2026-05-01T24", midnight + 86_400_000_000, [.feeds]),
      ("2026-121", midnight, [.feeds]), ("2026-121T10:00Z", ten, [.feeds]),
      ("2024-366", 1_735_603_200_000_000, [.feeds]), ("2026-366", 0, []), ("2026-000", 0, []),
      ("2026-05-01T25", 0, []), ("2026/121", 0, []), ("2026121", 0, []), ("2026-1211", 0, []),
      ("20260501", 0, []), ("2026-5-1", 0, []), ("2026-05-01T", 0, []), ("2026-05-01T1", 0, []),
      ("2026-05-01T10:00:00.", 0, []), ("2026-05-01T10:00:00+02:", 0, []), ("2026-05-", 0, []),
      ("2026-02-29", 0, []), ("2026-05-01T10:00:61", 0, []), ("+2026-05-01", 0, []), ("", 0, []),
    ]
    for (text, time, takers) in cases {
      for forms in all {
        #expect(read(text, forms) == (takers.contains(forms) ? time : nil), "\(text) \(forms)")
      }
    }
  }

  @Test("Written times can be read")
  func writing() {
    #expect(ISOTime.text(milliseconds: 1_777_629_600_000) == "2026-05-01T10:00:00Z")
    #expect(ISOTime.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
    #expect(ISOTime.text(milliseconds: 253_402_300_800_000) == "+010000-01-01T00:00:00Z")
    #expect(ISOTime.text(milliseconds: -62_167_219_200_001) == "-000001-12-31T23:59:59.999Z")
    for step in 0..<20_000 as Range<Int64> {
      let time = -62_135_596_800_000 + step * 15_776_937_873
      #expect(read(ISOTime.text(milliseconds: time), .conditions) == time * 1000)
    }
  }
}
