import PlumbCore
import PlumbFormats
import PlumbTestSupport
import Testing

/// Tests which fields are numbers that are printed unchanged.
struct FieldFormTests {
  private func form(_ text: String) -> FieldForm {
    Array(text.utf8).withUnsafeBufferPointer { FieldForm($0) }
  }

  @Test func `forms of fields`() {
    for text in ["0", "7", "-1", "12345", "9007199254740992", "-9007199254740992"] {
      #expect(form(text) == .integer, "\(text)")
    }
    for text in [
      "0.5", "-0.25", "1.0", "18.4241", "0.000001", "-33.000001", "0.1", "123456789012.345",
      "0.30000000000000004", "0.0",
    ] {
      #expect(form(text) == .real, "\(text)")
    }
    for text in [
      "007", "-007", "00", "+1", "1e5", "1E5", ".5", "5.", "1.50", "1.00", "NaN", "inf", "-", "-0",
      "-0.0", " 1", "1 ", "1,5", "0x10", "9007199254740993", "12345678901234567890", "0.0000001",
      "0.123456789012345678", "1.2.3", "--1", "true", "1_000", "0.1000000000000000055",
      "99999999999999999999999999999999",
    ] {
      #expect(form(text) == .text, "\(text)")
    }
    #expect(form("") == .empty)
  }

  @Test func `fields that are reals print back from their doubles`() {
    var generator = SeededGenerator(seed: 12)
    var reals = 0
    for _ in 0..<20_000 {
      let digits = Int.random(in: 1...17, using: &generator)
      let whole = Int.random(in: 0...999, using: &generator)
      var text = "\(whole)."
      for _ in 0..<digits { text += String(Int.random(in: 0...9, using: &generator)) }
      guard form(text) == .real, let number = Double(text) else { continue }
      reals += 1
      #expect(Double(number.description) == number)
      if number >= 0.0001 { #expect(number.description == text, "\(text)") }
    }
    #expect(reals > 5000)
  }

  @Test(arguments: [
    (",", "1,a,1.5\n-2,,2\n,x,\n", [FieldForm.integer, .text, .real]),
    (",", "\"1\",\"007\",\"a\nb\"\r\n2,8,\"\"\r\n", [.integer, .text, .text]),
    (";", "1;2;;9;9\n3;4\n", [.integer, .integer, .empty]),
    (" ", "  1   2.5 x\n\n3 \t 4 \"5\"\n", [.integer, .real, .text]),
    (",", "1,2,3", [.integer, .integer, .integer]),
    (",", "\"1\"2,3,\"4\n", [.text, .integer, .text]),
  ])
  func `forms of columns`(delimiter: String, text: String, expected: [FieldForm]) {
    var forms = ColumnForms(count: 3)
    Array(text.utf8).withUnsafeBufferPointer {
      forms.add($0, delimiter: Array(delimiter.utf8)[0])
    }
    #expect(forms.forms == expected)
    var merged = ColumnForms(count: 3)
    merged.merge(forms)
    #expect(merged.forms == expected && !merged.areAllText)
  }
}
