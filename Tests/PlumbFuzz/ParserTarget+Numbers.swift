import PlumbFormats
import PlumbIO

/// Numbers and times as text.
extension ParserTarget {
  static var numbers: [ParserTarget] {
    [
      ParserTarget(
        "number text",
        texts: [
          "18.6", "-34.123456789012345678", "1e300", " 12 ", "+.5E-3", "1844674407370955161599",
          "0",
          "0.000000123456789", "9007199254740993", "179769313486231570e291", "1.0", "-0", "1234,5",
          "\"1,5\"", "12345678901234567890e5", "123456789012345.25", "99999999999999999999e-19",
          "4.9e-324", "2.5", "1e19", "17976931348623157000000.5e-10", "0.10000000000000000001",
        ],
        words: ["-", "+", ".", ",", "e", "E", "0", "9", " ", "99999999999999999999", "e-19", "e19"]
      ) { bytes in
        _ = (FieldForm(bytes.text), NumberText.hasDecimalComma(bytes.text))
        guard let number = NumberText.parse(bytes.text) else { return false }
        let text = TextBuffer(capacity: 64)
        text.append(json: number)
        text.append(json: Float(number))
        let digits = UnsafeRawBufferPointer(rebasing: text.bytes[..<text.count])
        _ = NumberText.parse(digits.text)
        precondition(number == Double(bytes.string.trimmed), "another number than the library's")
        return true
      },
      ParserTarget(
        "time",
        texts: [
          "2026-05-01T10:00:00Z", "2026-05-01 10:00:60.123456789+02:30", "2026-05", "2026",
          "20260501T101530Z", "20260501t1015z", "2026/05/01 24:00", "2026-05-01T10:00:00,5 UTC",
          " 2026-05-01 10:00 GMT ", "2026-05-01T10:00-0330", "2026-05-01T10+02", "2026-12-31",
          "0000-01-01", "9999-12-31T23:59:59.999999Z", "2026-05-01T10:00 +02", "2024-02-29 10:00 Z",
          "2026-05-01T1000",
        ], words: ["-", ":", "T", "Z", " ", "/", ".", ",", "+", " UTC", "24:00", "00"]
      ) { bytes in
        var isTime = false
        for forms in [ISOTime.Forms.conditions, .arcade, .feeds] {
          guard let time = ISOTime.microseconds(bytes.text, forms) else { continue }
          isTime = true
          let text = ISOTime.text(milliseconds: time / 1000)
          var again = text
          // A time zone may cause a year of more than four digits, which cannot be read.
          precondition(
            again.withUTF8 { ISOTime.microseconds($0, .conditions) } != nil
              || text.hasPrefix("+") || text.hasPrefix("-"), "\(text) is not read again")
        }
        return isTime
      },
    ]
  }
}

extension String {
  /// The text without blanks at its ends, which numbers may have.
  fileprivate var trimmed: Substring {
    var text = self[...]
    while let first = text.unicodeScalars.first, [" ", "\t", "\r", "\n"].contains(first) {
      text.unicodeScalars.removeFirst()
    }
    while let last = text.unicodeScalars.last, [" ", "\t", "\r", "\n"].contains(last) {
      text.unicodeScalars.removeLast()
    }
    return text
  }
}
