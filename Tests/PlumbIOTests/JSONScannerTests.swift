import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbIO

/// Runs `body` on a scanner of a string's UTF-8.
private func scan<Result>(
  _ text: String, _ body: (inout JSONScanner) throws(FormatError) -> Result
) throws -> Result {
  try scan(Array(text.utf8), body)
}

private func scan<Result>(
  _ bytes: [UInt8], _ body: (inout JSONScanner) throws(FormatError) -> Result
) throws -> Result {
  try bytes.withUnsafeBufferPointer { bytes in
    var scanner = JSONScanner(bytes)
    return try body(&scanner)
  }
}

private func isValid(_ text: String) -> Bool {
  Array(text.utf8).withUnsafeBufferPointer { JSONScanner.isValid($0) }
}

@Suite struct JSONScannerTests {
  @Test(arguments: [
    "0", "-0", "1.5e+10", "1E5", "\"\"", "[]", "{}", " [ 1 , {\"a\":[]} ] ", "true", "null",
    "{\"a\":{\"b\":[[],{}]},\"c\":false}", "\"\\u00e9\\n\\/\"", "[[[[]]],[]]", "1e999",
  ])
  func accepts(_ text: String) { #expect(isValid(text)) }

  @Test(arguments: [
    "", " ", "01", "-", "1.", ".5", "1e", "+1", "tru", "nul", "\"", "\"\\x\"", "\"\\u12g4\"",
    "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1 2]", "{\"a\":1]", "[}",
    "1 2", "\"a\nb\"", "NaN", "Infinity", "'a'", "[1}", "]", "\u{FEFF}1", "{,}", "[1,,2]",
  ])
  func refuses(_ text: String) { #expect(!isValid(text)) }

  @Test func nestingEndsAtItsLimit() throws {
    let limit = JSONScanner.nestingLimit
    for open in ["[", "{\"a\":"] {
      let close = open == "[" ? "]" : "}"
      let text = { (depth: Int) in
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      }
      #expect(isValid(text(limit)))
      #expect(!isValid(text(limit + 1)))
      #expect(!isValid(text(100_000)))
    }
    #expect(isValid("[" + String(repeating: "[],", count: 2000) + "[]]"))
  }

  @Test func errorsSayWhere() throws {
    let error = #expect(throws: FormatError.self) {
      try scan("{\"a\": [1, 2 3]}") { s throws(FormatError) in try s.skipValue() }
    }
    #expect(error?.offset == 12)
    #expect(error?.message.contains("comma") == true)
  }

  @Test func everyPrefixIsCutOff() throws {
    let text = Array(#"{"a":[1.5e3,"x\u00e9\"",true,null],"b":{"c":false}}"#.utf8)
    for length in 0..<text.count {
      Array(text[..<length]).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        #expect((try? scanner.skipValue()) == nil)
        #expect(scanner.reachedEnd)
      }
    }
  }

  @Test func decodesStrings() throws {
    let read = { (text: String) in
      try scan(text) { s throws(FormatError) in try s.readString() }
    }
    #expect(try read(#""a\"\\\/\b\f\n\r\tz""#) == "a\"\\/\u{8}\u{C}\n\r\tz")
    #expect(try read(#""\u00e9\u20AC\ud83d\ude00é😀""#) == "é€😀é😀")
    #expect(try read(#""\ud83d""#) == "\u{FFFD}")
    #expect(try read(#""\ude00x""#) == "\u{FFFD}x")
    #expect(try read(#""\ud83d\u0041""#) == "\u{FFFD}A")
    #expect(try read(#""\ud83d\ud83d\ude00""#) == "\u{FFFD}😀")
    #expect(try read(#""\u0000""#) == "\0")
    let repaired = try scan([0x22, 0x61, 0xFF, 0xC3, 0x22]) { s throws(FormatError) in
      try s.readString()
    }
    #expect(repaired == "a\u{FFFD}\u{FFFD}")
  }

  @Test func comparesKeys() throws {
    try scan(#""t\u0079pe""#) { s throws(FormatError) in
      let range = try s.skipString()
      #expect(s.isText(range, "type"))
      #expect(!s.isText(range, "typ"))
      #expect(s.isText(range, Array("type".utf8)))
    }
  }

  @Test func walksContainers() throws {
    try scan(#"{"a":[1,[2],3], "b" : {} ,"c":[]}"#) { s throws(FormatError) in
      var keys: [String] = []
      var elements = 0
      try s.beginObject()
      while let key = try s.nextKey() {
        keys.append(s.text(of: key))
        if s.peek() == UInt8(ascii: "[") {
          try s.beginArray()
          while try s.nextElement() {
            elements += 1
            try s.skipValue()
          }
        } else {
          try s.skipValue()
        }
      }
      #expect(keys == ["a", "b", "c"])
      #expect(elements == 3)
      let isAtEnd = s.isAtEnd()
      #expect(isAtEnd)
    }
  }

  @Test func readsAttributes() throws {
    let read = { (text: String) in
      try scan(text) { s throws(FormatError) in try s.readFieldValue() }
    }
    #expect(try read("9223372036854775807") == .integer(.max))
    #expect(try read("-9223372036854775808") == .integer(.min))
    #expect(try read("9223372036854775808") == .json("9223372036854775808"))
    #expect(try read("1.0") == .real(1))
    #expect(try read("1e3") == .real(1000))
    #expect(try read("1e999") == .json("1e999"))
    #expect(try read("null") == .null)
    #expect(try read(" true") == .boolean(true))
    #expect(try read("\"é\"") == .text("é"))
    #expect(try read("[1, {\"a\":2}]") == .json("[1, {\"a\":2}]"))
    guard case .real(let zero) = try read("-0") else {
      Issue.record("minus zero is a real")
      return
    }
    #expect(zero.sign == .minus)
  }

  @Test func numbersAreNearest() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      var bytes: [UInt8] = []
      JSONText.append(value, to: &bytes)
      let back = try scan(bytes) { s throws(FormatError) in try s.readDouble() }
      #expect(back == value)
    }
    for _ in 0..<20_000 {
      let digits = Int(random.next() % 18) + 1
      var text = String(random.next() % 1_000_000_000_000_000_000).prefix(digits).description
      text.insert(".", at: text.index(text.startIndex, offsetBy: 1))
      text += "5"
      let back = try scan("-" + text) { s throws(FormatError) in try s.readDouble() }
      #expect(back == Double("-" + text))
    }
  }
}

@Suite struct JSONTextTests {
  @Test func escapesStrings() {
    var bytes: [UInt8] = []
    JSONText.append("a\"\\\n\r\t\u{8}\u{C}\u{1}\u{1F}é😀/", to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #""a\"\\\n\r\t\b\f\u0001\u001fé😀/""#)
  }

  @Test func writesAttributes() {
    let text = { (value: FieldValue) in
      var bytes: [UInt8] = []
      JSONText.append(value, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(text(.real(.nan)) == "null")
    #expect(text(.real(-.infinity)) == "null")
    #expect(text(.real(0.1)) == "0.1")
    #expect(text(.real(.leastNonzeroMagnitude)) == "5e-324")
    #expect(text(.integer(.min)) == "-9223372036854775808")
    #expect(text(.json("[1,\n2]")) == "[1, 2]")
    #expect(text(.json("not json")) == "\"not json\"")
    #expect(text(.json("")) == "\"\"")
    #expect(text(.boolean(false)) == "false")
    #expect(text(.null) == "null")
    var float: [UInt8] = []
    JSONText.append(Float(0.1), to: &float)
    #expect(float == Array("0.1".utf8))
  }

  @Test func randomTextsComeBack() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<random.next() % 20 {
        let limit: UInt64 = random.next() % 2 == 0 ? 0x80 : 0x110000
        if let scalar = Unicode.Scalar(UInt32(random.next() % limit)) {
          text.unicodeScalars.append(scalar)
        }
      }
      var bytes: [UInt8] = []
      JSONText.append(text, to: &bytes)
      let back = try scan(bytes) { s throws(FormatError) in try s.readString() }
      #expect(Array(back.utf8) == Array(text.utf8))
    }
  }
}
