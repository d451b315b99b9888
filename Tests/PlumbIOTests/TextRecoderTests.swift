import PlumbTestSupport
import Testing

@testable import PlumbIO

@Suite struct TextRecoderTests {
  /// Text whose bytes are written and read a few at a time.
  private func text(_ bytes: [UInt8], _ encoding: String, step: Int, capacity: Int) throws -> String
  {
    var rest = bytes[...]
    let recoder = try TextRecoder(encoding) { buffer in
      let part = rest.prefix(min(step, buffer.count))
      rest = rest.dropFirst(part.count)
      buffer.copyBytes(from: part)
      return part.count
    }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: capacity)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try recoder.read($0) }
      if count == 0 { return String(decoding: result, as: UTF8.self) }
      result += buffer[..<count]
    }
  }

  @Test(arguments: [1, 2, 3, 100], [1, 2, 7, 16, 100])
  func encodings(step: Int, capacity: Int) throws {
    #expect(
      try text([0x5A, 0xFC, 0x72, 0x80], "CP1252", step: step, capacity: capacity)
        == "Z\u{FC}r\u{20AC}")
    // Two bytes per character, split anywhere.
    let tokyo: [UInt8] = [0x93, 0x8C, 0x8B, 0x9E, 0x2C, 0x31]
    #expect(try text(tokyo, "SHIFT_JIS", step: step, capacity: capacity) == "\u{6771}\u{4EAC},1")
    let wide = Array("a\u{1D11E}b".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(try text(wide, "UTF-16LE", step: step, capacity: capacity) == "a\u{1D11E}b")
    let long = [UInt8](repeating: 0xE9, count: 70_000)
    if step == 100 {
      #expect(try text(long, "LATIN1", step: step, capacity: capacity).count == 70_000)
    }
  }

  @Test func whatIsNotOfTheEncodingIsAnErrorWithItsPosition() throws {
    #expect {
      try text([0x61, 0x62, 0xFF, 0x63], "UTF-8", step: 2, capacity: 64)
    } throws: { ($0 as? FormatError)?.offset == 2 }
    // Half a character at the end.
    #expect(throws: FormatError.self) {
      try text([0x61, 0x93], "SHIFT_JIS", step: 9, capacity: 64)
    }
    #expect(throws: FormatError.self) { try text([], "no-such-encoding", step: 1, capacity: 1) }
  }
}
