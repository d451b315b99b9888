import PlumbCore
import Testing

/// Text that is changed byte by byte.
@Suite struct ASCIITextTests {
  @Test(arguments: [
    ("", ""), (" ", ""), ("\n", ""), ("\r\n", ""), ("a", "a"), (" a b ", "a b"), ("a\n", "a"),
    ("\ra", "a"), ("\r\n\ta \r\n", "a"), ("\u{A0}a\u{A0}", "\u{A0}a\u{A0}"), ("ä\n", "ä"),
    (" \u{301}a", "\u{301}a"), ("中 ", "中"),
  ])
  func spacesAreTrimmed(text: String, expected: String) {
    #expect(Array(text.trimmingASCIISpace().utf8) == Array(expected.utf8))
  }

  @Test(arguments: [
    ("", ""), ("abc-Z9", "abc-z9"), ("@[`{", "@[`{"), ("ÄÖA", "ÄÖa"), ("E\u{301}İ", "e\u{301}İ"),
    ("Identify and a long text", "identify and a long text"),
  ])
  func capitalsAreConverted(text: String, expected: String) {
    #expect(Array(text.lowercasedASCII.utf8) == Array(expected.utf8))
    #expect(Array("x\(text)y".dropFirst().dropLast().lowercasedASCII.utf8) == Array(expected.utf8))
  }
}
