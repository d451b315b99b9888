import Testing

@testable import PlumbIO

@Suite struct HTTPHeadTests {
  @Test(
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("Bytes 5-5/6", 5..<6, 6), ("bytes 0-99/*", 0..<100, nil),
    ] as [(String, Range<Int>, Int?)])
  func partsAreRead(text: String, range: Range<Int>, total: Int?) {
    #expect(HTTPHead.part(text) == HTTPHead.Part(range: range, total: total))
  }

  @Test(arguments: [
    "", "bytes", "bytes */1000", "bytes 5-4/10", "bytes 0-10/10", "bytes -1-4/10", "bytes 0-4/",
    "bytes 0-4", "bytes 0-4/10/2", "bytes 0-4-5/10", "bytes +0-4/10", "items 0-4/10",
    "bytes 0-99999999999999999999/100000000000000000000", "bytes 0 - 4/10",
  ])
  func whatIsNoPartIsNone(text: String) { #expect(HTTPHead.part(text) == nil) }

  @Test(
    "The status is three digits, regardless of the following text",
    arguments: [
      ("HTTP/1.1 206\r\n", 206), ("HTTP/2 200 \r\n", 200), ("HTTP/1.1 206 Partial\r\n", 206),
      ("HTTP/1.1\t404\tNo\n", 404), ("HTTP/1.0 200", 200), ("HTTP/1.1\r\n", 0),
      ("HTTP/1.1 2006 x\r\n", 0), ("HTTP/1.1 +20 x\r\n", 0), ("HTTP/1.1 20\u{661} x", 0),
    ])
  func statuses(line: String, status: Int) {
    var head = HTTPHead()
    head.add(line: line.utf8)
    #expect(head.status == status)
  }

  @Test func aHeadThatIsTooLongIsAnErrorAndNotCutOff() {
    let receiver = HTTPReceiver()
    receiver.begin(HTTPRequest(url: "http://a/", settings: HTTPSettings(), maximumBytes: 10))
    func append(_ line: String) -> Bool {
      Array(line.utf8).withUnsafeBytes { receiver.appendHeader($0) }
    }
    #expect(append("HTTP/1.1 200 OK\r\n"))
    let filler = "X: " + String(repeating: "a", count: 1000) + "\r\n"
    #expect((0..<65).allSatisfy { _ in append(filler) })
    #expect(!append(filler) && receiver.fault != nil)
  }

  @Test func lengthsAreDigits() {
    var head = HTTPHead()
    for (text, length) in [("12", 12), ("-5", nil), ("+5", nil), ("99999999999999999999", nil)] {
      head.add(line: "Content-Length: \(text)\r\n".utf8)
      #expect(head.length == length)
    }
  }

  @Test func theLastResponseOfSeveralCounts() {
    var head = HTTPHead()
    for line in [
      "HTTP/1.1 302 Found\r\n", "Location: /b\r\n", "ETag: \"a\"\r\n", "\r\n",
      "HTTP/1.1 206 Partial Content\r\n", "content-RANGE:  bytes 1-2/9 \r\n",
      "Content-Length: 2\r\n", "nonsense\r\n", "Content-Encoding: Identity\r\n", "\r\n",
    ] { head.add(line: line.utf8) }
    #expect(head.status == 206 && head.entityTag == nil && head.length == 2 && !head.isEncoded)
    #expect(head.part == HTTPHead.Part(range: 1..<3, total: 9))
    head.add(line: "Content-Encoding: br\r\n".utf8)
    #expect(head.isEncoded)
  }

  @Test func waitsAreSecondsOrDates() {
    var head = HTTPHead()
    head.add(line: "Retry-After: 7".utf8)
    #expect(head.retryAfter == 7)
    head.add(line: "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT".utf8)
    #expect(head.retryAfter == 0)
    head.add(line: "Retry-After: soon".utf8)
    #expect(head.retryAfter == nil)
    // The expected value is from GNU date: date -u -d '1994-11-06T08:49:37Z' +%s
    #expect(HTTPHead.seconds(ofDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPHead.seconds(ofDate: "Sun, 31 Feb 1994 08:49:37 GMT") == nil)
    #expect(HTTPHead.seconds(ofDate: "Sunday, 06-Nov-94 08:49:37 GMT") == nil)
  }

  @Test func foldersAreListedByTheirLinks() {
    func names(_ page: String, _ folder: String = "https://h/d/") -> [String] {
      Array(page.utf8).withUnsafeBytes { RemoteListing.names(in: $0, of: folder) }
    }
    #expect(
      names(
        "<a href=\"a.tif\">a</a><A HREF='/d/b%20c.tif'>b</A><a href=\"https://h/d/e.tif?x=1\">e</a>"
      )
        == ["a.tif", "b%20c.tif", "e.tif"])
    #expect(
      names("<a href=\"../x.tif\">x</a><a href=\"/other/y.tif\">y</a><a href=\"sub/\">s</a>") == [])
    #expect(names("<a href=\"./x&amp;y.tif#top\">x</a> href= href=\"unclosed") == ["x&y.tif"])
    #expect(RemoteListing.folder(of: "https://h/d/a.tif?p=/q") == "https://h/d/")
    #expect(RemoteListing.folder(of: "https://h") == nil)
  }
}
