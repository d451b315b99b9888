/// The public declarations of a formatted Swift file, and whether each has a documentation comment.
/// The file is parsed without the compiler: a declaration begins a line.
struct PublicDeclarations {
  struct Declaration {
    /// The line number, from 1.
    var line: Int
    var text: String
    /// The name of the declaration: `init`, or the name of a type, a member or a case.
    var name: String
    var isDocumented: Bool
  }

  private(set) var all: [Declaration] = []

  private struct Scope {
    /// The depth of its members.
    var depth: Int
    var word: String
    var isPublic: Bool
  }

  init(_ text: String) throws {
    let declaration =
      /^\s*(?:@\w+(?:\([^)]*\))?\s+)*((?:[a-z]+(?:\([a-z]+\))?\s+)*?)(struct|class|enum|protocol|actor|extension|func|var|let|init|subscript|typealias|case|associatedtype)\b\s*([\w.`]+|[-+*\/<>=!&|^~%]+)?/
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let code = Self.code(of: text).split(separator: "\n", omittingEmptySubsequences: false)
    var scopes: [Scope] = []
    var depth = 0
    var next: Scope?
    for (index, line) in code.enumerated() {
      let isMember = scopes.last.map { $0.depth == depth } ?? (depth == 0)
      if isMember, let match = try declaration.prefixMatch(in: line) {
        let modifiers = match.1.split(separator: " ").map(String.init)
        let word = String(match.2)
        let scope = scopes.last
        var isPublic = modifiers.contains("public") || modifiers.contains("open")
        let isNarrow = modifiers.contains { ["private", "fileprivate", "package"].contains($0) }
        switch scope?.word {
        case "enum"? where word == "case", "protocol"?, "extension"?:
          isPublic = isPublic || scope?.isPublic == true && !isNarrow
        default: break
        }
        if isPublic, word != "extension" {
          let name = match.3.map(String.init) ?? word
          all.append(
            Declaration(
              line: index + 1, text: line.trimmed, name: word == "init" ? word : name,
              isDocumented: Self.isDocumented(lines, index)))
        }
        if ["struct", "class", "enum", "protocol", "actor", "extension"].contains(word) {
          next = Scope(depth: depth + 1, word: word, isPublic: isPublic)
        }
      }
      for byte in line.utf8 {
        if byte == UInt8(ascii: "{") {
          depth += 1
          if let scope = next { scopes.append(scope) }
          next = nil
        } else if byte == UInt8(ascii: "}") {
          if scopes.last?.depth == depth { scopes.removeLast() }
          depth -= 1
        }
      }
    }
  }

  /// Whether the line before the declaration and its attributes is a documentation comment.
  private static func isDocumented(_ lines: [Substring], _ index: Int) -> Bool {
    var before = index - 1
    while before >= 0, lines[before].trimmed.hasPrefix("@") { before -= 1 }
    return before >= 0 && lines[before].trimmed.hasPrefix("///")
  }

  // MARK: Code only

  /// The text without comments and string literals; lines are kept.
  private static func code(of text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: "//".utf8) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if let end = endOfText(bytes, index) {
        result += bytes[index..<end].filter { $0 == UInt8(ascii: "\n") }
        index = end
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The position after the string literal that begins here; nil if there is none.
  private static func endOfText(_ bytes: [UInt8], _ start: Int) -> Int? {
    let hashes = bytes[start...].prefix { $0 == UInt8(ascii: "#") }.count
    var index = start + hashes
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    let quotes = bytes[index...].starts(with: "\"\"\"".utf8) ? "\"\"\"" : "\""
    let end = Array((quotes + String(repeating: "#", count: hashes)).utf8)
    let escape = Array(("\\" + String(repeating: "#", count: hashes)).utf8)
    index += quotes.utf8.count
    while index < bytes.count {
      if bytes[index...].starts(with: end) { return index + end.count }
      guard bytes[index...].starts(with: escape) else {
        index += 1
        continue
      }
      index += escape.count
      guard index < bytes.count, bytes[index] == UInt8(ascii: "(") else {
        index += 1
        continue
      }
      var depth = 0
      repeat {
        if let behind = endOfText(bytes, index) {
          index = behind
          continue
        }
        if bytes[index] == UInt8(ascii: "(") { depth += 1 }
        if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
        index += 1
      } while depth > 0 && index < bytes.count
    }
    return index
  }
}

extension Substring {
  /// The text without the spaces at both ends.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
