/// A word or a symbol of a Swift file. The file is parsed without the compiler: comments and string
/// literals are omitted, interpolated code is included.
enum SourceToken: Equatable {
  case word(String)
  case symbol(UInt8)

  /// The words and symbols of a file in order, each with its line number, from 1.
  static func tokens(of text: String) -> [(token: SourceToken, line: Int)] {
    var reader = SourceTokenReader(text)
    while reader.readNext() {}
    return reader.tokens
  }
}

private struct SourceTokenReader {
  /// An open string literal.
  private struct Quote {
    var hashes: Int
    var isLong: Bool
    /// The number of open parentheses in interpolated code; 0 in the string literal itself.
    var depth = 0
  }

  private(set) var tokens: [(token: SourceToken, line: Int)] = []
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var quotes: [Quote] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Advances by a token, or by a part of a comment or literal; false at the end.
  mutating func readNext() -> Bool {
    guard index < bytes.count else { return false }
    let byte = bytes[index]
    if byte == UInt8(ascii: "\n") { line += 1 }
    if let quote = quotes.last, quote.depth == 0 {
      readText(quote, byte)
    } else if byte == UInt8(ascii: "/"), starts("//") {
      while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    } else if Self.isWord(byte) {
      let first = index
      while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
      let word = String(decoding: bytes[first..<index], as: UTF8.self)
      tokens.append((.word(word), line))
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let quote = quoteAtPosition()
    {
      quotes.append(quote)
      index += quote.hashes + (quote.isLong ? 3 : 1)
    } else {
      index += 1
      if byte > UInt8(ascii: " ") { add(byte) }
    }
    return true
  }

  private mutating func add(_ byte: UInt8) {
    tokens.append((.symbol(byte), line))
    guard !quotes.isEmpty else { return }
    if byte == UInt8(ascii: "(") { quotes[quotes.count - 1].depth += 1 }
    if byte == UInt8(ascii: ")") { quotes[quotes.count - 1].depth -= 1 }
  }

  private mutating func readText(_ quote: Quote, _ byte: UInt8) {
    let hashes = String(repeating: "#", count: quote.hashes)
    if byte == UInt8(ascii: "\""), case let end = (quote.isLong ? "\"\"\"" : "\"") + hashes,
      starts(end)
    {
      quotes.removeLast()
      index += end.utf8.count
    } else if byte == UInt8(ascii: "\\"), case let code = "\\" + hashes + "(", starts(code) {
      tokens.append((.symbol(UInt8(ascii: "(")), line))
      quotes[quotes.count - 1].depth = 1
      index += code.utf8.count
    } else if byte == UInt8(ascii: "\\"), quote.hashes == 0, index + 1 < bytes.count {
      // The end of a line may also be escaped.
      if bytes[index + 1] == UInt8(ascii: "\n") { line += 1 }
      index += 2
    } else {
      index += 1
    }
  }

  private func starts(_ mark: String) -> Bool { bytes[index...].starts(with: mark.utf8) }

  /// The string literal that begins here.
  private func quoteAtPosition() -> Quote? {
    let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
    let rest = bytes[(index + hashes)...]
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    return Quote(hashes: hashes, isLong: rest.starts(with: "\"\"\"".utf8))
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
