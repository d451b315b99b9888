import Foundation
import PlumbService
import Testing

/// Rule: text in headers loses no letters: letters outside ASCII are encoded as in RFC 8187.
@Suite struct HeaderTextTests {
  @Test func plainTextsStay() {
    #expect(HeaderText.encoded("Roads: 3 of 4, 100 %") == "Roads: 3 of 4, 100 %")
  }

  @Test(arguments: ["Gärten", "Straße nach Kırklareli", "道路 ", "e\u{301}\u{1F30D}", "tab\there"])
  func othersComeBack(text: String) throws {
    let header = HeaderText.encoded(text)
    #expect(header.hasPrefix("UTF-8''"))
    #expect(header.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") })
    #expect(header.dropFirst(7).removingPercentEncoding == text)
  }

  @Test func longOnesAreCutBetweenLetters() throws {
    let header = HeaderText.encoded(String(repeating: "ü", count: 5000))
    #expect(header.utf8.count <= 1500)
    let text = header.dropFirst(7).removingPercentEncoding ?? ""
    #expect(text.count > 200 && text.allSatisfy { $0 == "ü" })
    #expect(HeaderText.encoded(String(repeating: "a", count: 5000)).utf8.count == 1500)
  }
}
