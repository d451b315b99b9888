import PlumbCore
import PlumbIO
import PlumbTestSupport
import Testing

/// Compares JSON in a buffer with JSON in an array, and with Swift's repair of invalid UTF-8.
@Suite struct JSONBufferTests {
  private func bytes(_ append: (TextBuffer) -> Void) -> [UInt8] {
    let text = TextBuffer()
    append(text)
    return Array(text.bytes)
  }

  @Test func anyBytes() {
    var random = SeededGenerator(seed: 5)
    let starts: [UInt8] = [0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xC0, 0x80, 0x41]
    for round in 0..<6000 {
      let raw = (0..<Int.random(in: 0...9, using: &random)).map { index -> UInt8 in
        switch round % 3 {
        case 0: UInt8.random(in: 0...255, using: &random)
        case 1 where index % 3 == 0: starts.randomElement(using: &random)!
        case 1: UInt8.random(in: 0x80...0xBF, using: &random)
        default: UInt8.random(in: 0x00...0x7F, using: &random)
        }
      }
      let repaired = String(decoding: raw, as: UTF8.self)
      let isValid = raw.withUnsafeBufferPointer { UTF8Text.isValid($0) }
      #expect(isValid == Array(repaired.utf8).elementsEqual(raw), "\(raw)")
      var expected: [UInt8] = []
      JSONText.append(repaired, to: &expected)
      #expect(bytes { text in raw.withUnsafeBufferPointer { text.append(json: $0) } } == expected)
      #expect(bytes { $0.append(json: repaired) } == expected)
    }
  }

  @Test func values() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      let value: FieldValue =
        switch Int.random(in: 0..<7, using: &random) {
        case 0: .null
        case 1: .integer(Int64(bitPattern: random.next()))
        case 2: .real(Double(bitPattern: random.next()))
        case 3: .boolean(Bool.random(using: &random))
        case 4: .json(["[1,\n 2]", "{", "", "\"a\"", "1.50"].randomElement(using: &random)!)
        case 5: .integer(Int64.random(in: -1000...1000, using: &random))
        default: .text("a\"\u{1}\n\\é\(random.next() % 7)")
        }
      var expected: [UInt8] = []
      JSONText.append(value, to: &expected)
      #expect(bytes { $0.append(json: value) } == expected)
    }
    #expect(bytes { $0.append(signed: .min) } == Array("-9223372036854775808".utf8))
    #expect(bytes { $0.append(unsigned: 7, width: 3) } == Array("007".utf8))
  }
}
