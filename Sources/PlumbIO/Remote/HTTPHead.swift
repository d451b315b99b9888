import PlumbCore

/// The status of a response, and the header fields that Plumb reads.
package struct HTTPHead: Sendable {
  /// The range of the file that a body contains.
  package struct Part: Sendable, Hashable {
    package var range: Range<Int>
    /// The size of the whole file; nil if unknown.
    package var total: Int?
  }

  package var status = 0
  package var part: Part?
  /// Whether the response has a Content-Range field, even if it is invalid.
  var hasContentRange = false
  var length: Int?
  var entityTag: String?
  /// The media type in lower case, without parameters; empty if the response has none.
  var contentType = ""
  var lastModified: String?
  /// The delay in seconds that the server requests; nil if the server does not request a delay.
  var retryAfter: Double?
  /// Whether the body is encoded, for example with gzip.
  var isEncoded = false

  /// The maximum size of a header in bytes. Larger headers are rejected and not truncated, because
  /// a line beyond the limit might be significant.
  private static let maximumBytes = 1 << 16
  private var byteCount = 0
  /// Whether the header exceeds the limit.
  package var isTooLong: Bool { byteCount > Self.maximumBytes }

  package init() {}

  /// Adds a line. A line that begins with `HTTP/` starts a new response.
  package mutating func add(line: some Collection<UInt8>) {
    byteCount += line.count
    guard !isTooLong else { return }
    if line.starts(with: "HTTP/".utf8) {
      self = HTTPHead()
      status = Self.status(line)
      return
    }
    let text = String(decoding: line, as: UTF8.self)
    guard let colon = text.firstIndex(of: ":") else { return }
    let value = Self.trimmed(text[text.index(after: colon)...])
    switch text[..<colon].lowercased() {
    case "content-range": (part, hasContentRange) = (Self.part(value), true)
    case "content-length": length = Self.number(value[...])
    case "etag": entityTag = value
    case "content-type":
      contentType = Self.trimmed(value.prefix { $0 != ";" }.lowercased()[...])
    case "last-modified": lastModified = value
    case "retry-after": retryAfter = Self.delay(value)
    case "content-encoding": isEncoded = !["", "identity"].contains(value.lowercased())
    default: break
    }
  }

  /// Returns the status code, which is the three digits after the HTTP version; 0 if the line has
  /// none. The reason phrase is ignored.
  private static func status(_ line: some Collection<UInt8>) -> Int {
    let words = line.split { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
    guard words.count > 1, words[1].count == 3, words[1].allSatisfy({ $0 &- 48 <= 9 }) else {
      return 0
    }
    return words[1].reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }

  /// Parses the value of a Content-Range field, such as `bytes 0-99/1000`. The size may be `*`,
  /// which means that it is unknown.
  package static func part(_ text: String) -> Part? {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last
    else { return nil }
    if halves[1] == "*" { return Part(range: first..<last + 1, total: nil) }
    guard let total = number(halves[1]), last < total else { return nil }
    return Part(range: first..<last + 1, total: total)
  }

  /// Parses a number of at most 18 digits, so that the sum of two numbers does not overflow.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 18,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether another response is from the same version of the file, according to the validators
  /// that both responses have. True if they have no validator in common.
  func isSameVersion(as other: HTTPHead) -> Bool {
    if let tag = entityTag, let other = other.entityTag {
      if tag != other { return false }
      // A weak tag may remain the same although the bytes change.
      if !tag.hasPrefix("W/") { return true }
    }
    if let date = lastModified, let other = other.lastModified { return date == other }
    return true
  }

  /// Returns the delay in seconds. `text` is a number of seconds or a date.
  private static func delay(_ text: String) -> Double? {
    if let seconds = number(text[...]) { return Double(seconds) }
    return seconds(ofDate: text).map { max(0, Double($0 - Int64(WallClock.seconds))) }
  }

  /// The seconds since 1970 for a date in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func seconds(ofDate text: String) -> Int64? {
    let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
    guard words.count == 8, words[7] == "GMT",
      let month = months.firstIndex(of: words[2].lowercased()),
      let year = number(words[3]), let day = number(words[1]), year < 10000,
      let hour = number(words[4]), let minute = number(words[5]), let second = number(words[6]),
      hour < 24, minute < 60, second < 61
    else { return nil }
    let date = CivilDate(year: Int64(year), month: Int64(month + 1), day: Int64(day))
    guard date.isValid else { return nil }
    return date.daysSince1970 * 86400 + Int64(hour * 3600 + minute * 60 + second)
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
