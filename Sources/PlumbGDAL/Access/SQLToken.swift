import PlumbCore

/// A token of an SQL statement as SQLite tokenizes it. Comments and blanks are skipped.
package struct SQLToken: Hashable {
  package enum Kind: Hashable {
    case word
    /// A name in `"…"`, `[…]` or `` `…` ``, or a string in `'…'`, which SQLite also accepts as a
    /// name.
    case quoted
    case other
  }

  var kind: Kind
  /// The text without quotes. ASCII letters of a word are in lower case, because SQLite compares
  /// names without regard to case.
  var text: String

  /// Whether the token is the given keyword, and not a quoted name.
  func isWord(_ word: String) -> Bool { kind == .word && text.hasSameBytes(as: word) }

  /// The first `limit` tokens of a statement, tokenized according to SQLite's rules.
  package static func list(_ sql: some Collection<UInt8>, limit: Int = .max) -> [SQLToken] {
    let bytes = Array(sql)
    var tokens: [SQLToken] = []
    var position = 0
    while position < bytes.count, tokens.count < limit {
      let byte = bytes[position]
      let next = position + 1 < bytes.count ? bytes[position + 1] : 0
      switch byte {
      case 0: return tokens
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20: position += 1
      case UInt8(ascii: "-") where next == byte:
        position = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
        position += 2
        // In SQLite, a comment that is not closed extends to the end of the statement.
        while position < bytes.count {
          if bytes[position] == UInt8(ascii: "*"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "/")
          {
            break
          }
          position += 1
        }
        position += 2
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
        tokens.append(quoted(bytes, &position, until: byte))
      case UInt8(ascii: "["):
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count
        tokens.append(SQLToken(kind: .quoted, text: text(bytes[(position + 1)..<end])))
        position = end + 1
      case _ where isName(byte):
        let end = bytes[position...].firstIndex { !isName($0) } ?? bytes.count
        let word = text(bytes[position..<end])
        tokens.append(SQLToken(kind: .word, text: word.lowercasedASCII))
        position = end
      default:
        tokens.append(SQLToken(kind: .other, text: String(Unicode.Scalar(byte))))
        position += 1
      }
    }
    return tokens
  }

  /// A quoted token. A quotation mark inside the token is doubled.
  private static func quoted(
    _ bytes: [UInt8], _ position: inout Int, until quote: UInt8
  ) -> SQLToken {
    var content: [UInt8] = []
    position += 1
    while position < bytes.count {
      if bytes[position] == quote {
        guard position + 1 < bytes.count, bytes[position + 1] == quote else { break }
        position += 1
      }
      content.append(bytes[position])
      position += 1
    }
    position += 1
    return SQLToken(kind: .quoted, text: text(content[...]))
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
