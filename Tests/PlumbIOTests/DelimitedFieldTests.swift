import PlumbIO
import PlumbTestSupport
import Testing

@Suite struct DelimitedFieldTests {
  private static let alphabet = Array("ab\",; \t\r\n\"\n".utf8)

  private func random(_ random: inout SeededGenerator, count: Int) -> [UInt8] {
    (0..<count).map { _ in Self.alphabet.randomElement(using: &random) ?? 0 }
  }

  @Test func separatorsAreWhereTheyAre() {
    var generator = SeededGenerator(seed: 9)
    let separators = FieldSeparators(UInt8(ascii: ";"))
    for length in Array(0...200) + [FieldSeparators.window] {
      let text = random(&generator, count: length + 70)
      let start = Int.random(in: 0...70, using: &generator)
      text.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        let found = separators.find(in: base, start..<start + length)
        let expected = (0..<length).filter {
          bytes[start + $0] == UInt8(ascii: ";") || bytes[start + $0] == 0x0A
        }
        #expect(found.map(Int.init) == expected, "\(length)")
      }
    }
  }

  @Test("Records end at the same bytes field by field, at once and in pieces", arguments: 0..<3)
  func records(kind: Int) {
    let delimiter = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x20][kind]
    var generator = SeededGenerator(seed: UInt64(kind) + 3)
    for _ in 0..<4_000 {
      let text = random(&generator, count: Int.random(in: 1...40, using: &generator))
      text.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        let scanner = RecordScanner(bytes, delimiter: delimiter)
        let (end, isTerminated) = scanner.record(from: 0)
        var position = 0
        var (walked, isWhole, lines) = (text.count, false, 0)
        while position <= text.count {
          let field = DelimitedField(
            base, at: position, limit: text.count, delimiter: delimiter,
            other: delimiter == 0x20 ? 0x09 : delimiter, lineEnd: 0x0A)
          lines += field.lineCount
          if field.next == text.count { break }
          position = field.next + 1
          if base[field.next] == 0x0A {
            (walked, isWhole) = (position, true)
            break
          }
        }
        #expect(walked == end && isWhole == isTerminated, "\(text)")
        #expect(!isWhole || lines + 1 == text[..<walked].count { $0 == 0x0A }, "\(text)")
        var progress = RecordScanner.Progress(position: 0)
        for length in 1...text.count {
          let part = RecordScanner(
            UnsafeBufferPointer(rebasing: bytes[..<length]), delimiter: delimiter)
          if part.finish(&progress) { break }
        }
        if isTerminated { #expect(progress.position == end, "\(text)") }
      }
    }
  }

  @Test("Fields are read as they were written", arguments: [",", ";", "\t", " "])
  func roundTrip(delimiter: String) {
    let delimiter = delimiter.utf8.first ?? 0
    var generator = SeededGenerator(seed: UInt64(delimiter))
    for _ in 0..<2_000 {
      let fields = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        random(&generator, count: Int.random(in: 0...6, using: &generator))
      }
      let text = TextBuffer()
      for (index, field) in fields.enumerated() {
        if index > 0 { text.append(delimiter) }
        DelimitedRow.append(field, delimiter: delimiter, to: text)
      }
      let back = DelimitedRow.rawFields(
        text.bytes.bindMemory(to: UInt8.self), delimiter: delimiter)
      #expect(back == fields)
    }
  }

  @Test("A field's value, without the quotes if they enclose all of it")
  func content() {
    for (text, content, unquoted) in [
      ("a", "a", "a"), ("\"a\"", "a", "a"), ("\"a\"\"b\"", "a\"\"b", "a\"b"),
      ("\"a\"b", "\"a\"b", "ab"), ("\"a", "a", "a"), ("\"", "", ""), ("\"\"", "", ""),
      ("a\"b\"", "a\"b\"", "a\"b\""), ("", "", ""), ("\"a,b\"", "a,b", "a,b"),
    ] {
      Array((text + ",x").utf8).withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        let field = DelimitedField(
          base, at: 0, limit: text.utf8.count, delimiter: UInt8(ascii: ","),
          other: UInt8(ascii: ","), lineEnd: 0x0A)
        #expect(
          String(decoding: bytes[field.content], as: UTF8.self) == content, "\(text)")
        #expect(String(decoding: field.text(in: base), as: UTF8.self) == unquoted, "\(text)")
      }
    }
  }
}
