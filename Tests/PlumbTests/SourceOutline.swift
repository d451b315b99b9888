/// The types that a Swift file declares for other files, and those that it names. Read without the
/// compiler: comments and texts are left out, the code within texts is not.
struct SourceOutline {
  /// Types of the file's own level, and those that an extension adds to another; no private ones.
  private(set) var declared: Set<String> = []
  /// Names with a capital that are not members of what stands before them.
  private(set) var named: Set<String> = []

  private enum Scope {
    case type, `extension`, other
  }

  private static let typeWords: Set<String> = [
    "struct", "class", "enum", "actor", "protocol", "typealias",
  ]
  /// Words of a declaration that is none of a type.
  private static let otherWords: Set<String> = [
    "var", "let", "func", "init", "subscript", "case", "import", "extension",
  ]

  init(_ text: String) {
    var scopes: [Scope] = []
    var next = Scope.other
    var (isPrivate, isDeclaration) = (false, false)
    var before: Token?
    for token in Self.tokens(text) {
      defer { before = token }
      switch token {
      case .symbol(UInt8(ascii: "{")):
        scopes.append(next)
        next = .other
      case .symbol(UInt8(ascii: "}")): _ = scopes.popLast()
      case .symbol: break
      case .word(let word):
        if isDeclaration, !Self.otherWords.contains(word) {
          if !isPrivate, scopes.isEmpty || scopes == [.extension] { declared.insert(word) }
          (isPrivate, isDeclaration) = (false, false)
          continue
        }
        isDeclaration = false
        if before == .symbol(UInt8(ascii: ".")) { continue }
        if word == "private" || word == "fileprivate" { isPrivate = true }
        if Self.typeWords.contains(word) {
          (isDeclaration, next) = (true, .type)
        } else if Self.otherWords.contains(word) {
          (isPrivate, next) = (false, word == "extension" ? .extension : .other)
        } else if word.first?.isUppercase == true {
          named.insert(word)
        }
      }
    }
  }

  // MARK: Words

  private enum Token: Equatable {
    case word(String)
    case symbol(UInt8)
  }

  /// A text that the reader is in.
  private struct Quote {
    var hashes: Int
    var isLong: Bool
    /// Parentheses open in the code within it; 0 in the text itself.
    var depth = 0
  }

  private static func tokens(_ text: String) -> [Token] {
    let bytes = Array(text.utf8)
    var result: [Token] = []
    var quotes: [Quote] = []
    var index = 0
    func starts(_ mark: String) -> Bool { bytes[index...].starts(with: mark.utf8) }
    while index < bytes.count {
      if let quote = quotes.last, quote.depth == 0 {
        let hashes = String(repeating: "#", count: quote.hashes)
        let (end, code) = ((quote.isLong ? "\"\"\"" : "\"") + hashes, "\\" + hashes + "(")
        if starts(end) {
          quotes.removeLast()
          index += end.utf8.count
        } else if starts(code) {
          quotes[quotes.count - 1].depth = 1
          index += code.utf8.count
        } else {
          index += quote.hashes == 0 && starts("\\") ? 2 : 1
        }
        continue
      }
      let byte = bytes[index]
      if starts("//") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if isWord(byte) {
        let first = index
        while index < bytes.count, isWord(bytes[index]) { index += 1 }
        result.append(.word(String(decoding: bytes[first..<index], as: UTF8.self)))
      } else if let quote = quote(bytes[index...]) {
        quotes.append(quote)
        index += quote.hashes + (quote.isLong ? 3 : 1)
      } else {
        index += 1
        if byte <= UInt8(ascii: " ") { continue }
        result.append(.symbol(byte))
        guard let depth = quotes.last?.depth else { continue }
        if byte == UInt8(ascii: "(") { quotes[quotes.count - 1].depth = depth + 1 }
        if byte == UInt8(ascii: ")") { quotes[quotes.count - 1].depth = depth - 1 }
      }
    }
    return result
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }

  /// The text that begins here.
  private static func quote(_ bytes: ArraySlice<UInt8>) -> Quote? {
    let hashes = bytes.prefix { $0 == UInt8(ascii: "#") }.count
    let rest = bytes.dropFirst(hashes)
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    return Quote(hashes: hashes, isLong: rest.starts(with: "\"\"\"".utf8))
  }
}
