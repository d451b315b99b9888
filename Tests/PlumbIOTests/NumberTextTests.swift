import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct NumberTextTests {
  private func parse(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { NumberText.parse($0) }
  }

  @Test(arguments: [
    "0", "-0", "0.0", "1", "-1", "+1", "18.6", "-34.1", ".5", "5.", "1e3", "1E-3", "-1.5e+10",
    "9007199254740993", "9007199254740992.5", "18446744073709551615", "18446744073709551616",
    "123456789012345678901234567890", "0.1", "0.30000000000000004", "2.2250738585072014e-308",
    "4.9e-324", "1.7976931348623157e308", "1e22", "1e23", "8.5e22", "0.000001", "1e-19", "1e-20",
    ".00000000000000001", ".000000000000000001", "-0.0000000000000001", "9999999999999999999",
    "999999999.9999999999", "9999999999999999999e-19", "00018.600",
    "0000000000000000000000000001.5",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
  ])
  func isTheNearestDouble(text: String) {
    #expect(parse(text)?.bitPattern == Double(text.hasPrefix(".") ? "0" + text : text)?.bitPattern)
  }

  @Test(arguments: [
    "", " ", "-", "+", ".", "e5", "1e", "1e+", "1 2", "18,6", "nan", "inf", "-infinity", "0x10",
    "1e400", "--1", "1-", "1.2.3", "18.6°", "١٨",
  ])
  func isNoNumber(text: String) { #expect(parse(text) == nil) }

  @Test func spacesRoundItAreIgnored() {
    #expect(parse(" \t18.6 ") == 18.6)
    #expect(parse("18.6\r") == 18.6)
  }

  @Test func agreesWithTheStandardLibraryOnRandomText() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200_000 {
      let digits = String(UInt64.random(in: 0...UInt64.max, using: &random))
        .prefix(Int.random(in: 1...20, using: &random))
      let point = Int.random(in: 0...digits.count, using: &random)
      var text = String(digits.prefix(point)) + "." + String(digits.dropFirst(point))
      if Bool.random(using: &random) { text += "e\(Int.random(in: -30...30, using: &random))" }
      if Bool.random(using: &random) { text = "-" + text }
      let expected =
        Double(text.replacing("-.", with: "-0.").replacing(".e", with: ".0e"))
        ?? Double("0" + text)
      #expect(parse(text)?.bitPattern == expected?.bitPattern, "\(text)")
    }
  }

  @Test func readsBackWhatSwiftPrints() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<200_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(parse(value.description)?.bitPattern == value.bitPattern)
      let coordinate = Double.random(in: -2e7...2e7, using: &random)
      #expect(parse(coordinate.description) == coordinate)
    }
  }
}

@Suite struct TextBufferTests {
  @Test func wholeNumbers() {
    var random = SeededGenerator(seed: 3)
    let text = TextBuffer(capacity: 1)
    var expected = ""
    let edges: [Int64] = [0, 1, -1, 9, 10, 99, 100, -100, .max, .min, .max - 1]
    let numbers =
      edges
      + (0..<10_000).map { _ in
        Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
      }
    for number in numbers {
      text.append(signed: number)
      text.append(UInt8(ascii: " "))
      text.append(unsigned: UInt64(bitPattern: number))
      text.append("\n")
      expected += "\(number) \(UInt64(bitPattern: number))\n"
    }
    #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
  }
}

/// Compares numbers written without a string with Swift's descriptions.
@Suite struct NumberWritingTests {
  private func text(_ value: Double) -> String {
    let text = TextBuffer()
    NumberText.append(value, to: text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func text(_ value: Float) -> String {
    let text = TextBuffer()
    NumberText.append(value, to: text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    0, -0.0, 1, -1, 0.1, 0.001, 0.00099999, 0.0001, 0.00001, 999_999_999_999_999, 1e15, 1e16,
    99_999_999_999_999.9, 999_999_999_999_999.9, 0.1 + 0.2, 1.0 / 3, 123_456.789_012_345,
    100_000_000.000_000_1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 9_007_199_254_740_992,
    0.999_999_999_999_999, 0.010_000_000_000_000_002, .infinity, -.infinity, 18.466, -33.9917,
    4503599627370495.5,
  ])
  func doubles(_ value: Double) {
    #expect(text(value) == value.description)
    #expect(text(-value) == (-value).description)
    #expect(text(Float(value)) == Float(value).description)
  }

  @Test func randomDoubles() {
    var random = SeededGenerator(seed: 3)
    var wrong: [Double] = []
    for _ in 0..<100_000 {
      let any = Double(bitPattern: random.next())
      if !any.isNaN, text(any) != any.description { wrong.append(any) }
      let digits = Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &random)
      let powers = [1, 10, 1e3, 1e6, 1e9, 1e14, 1e15, 1e16, 1e17]
      let decimal = Double(digits) / powers.randomElement(using: &random)!
      let few = Double(Int.random(in: -99_999...99_999, using: &random)) / 1000
      for value in [decimal, decimal.nextUp, few] where text(value) != value.description {
        wrong.append(value)
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(10))")
  }

  @Test func randomFloats() {
    var random = SeededGenerator(seed: 4)
    var wrong: [Float] = []
    for _ in 0..<100_000 {
      let any = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if !any.isNaN, text(any) != any.description { wrong.append(any) }
      let digits = Float(Int.random(in: -9_999_999...9_999_999, using: &random))
      let decimal = digits / [1, 10, 100, 1e3, 1e4, 1e6, 1e8].randomElement(using: &random)!
      for value in [decimal, decimal.nextDown] where text(value) != value.description {
        wrong.append(value)
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(10))")
  }
}
