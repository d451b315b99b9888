/// The address of a PostgreSQL database: `PG:` and the parameters of a connection, as in
/// `PG:host=db.example dbname=town`, or a URL, as in `postgresql://db.example/town`.
package struct DatabaseAddress: Sendable, Hashable {
  /// A parameter of the connection, with its name in lower case.
  package struct Parameter: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// The address as written.
  package let text: String
  /// The parameters after `PG:`, in order; nil for a URL, and if the text is not a list of
  /// parameters.
  package let parameters: [Parameter]?
  private let isURL: Bool

  private static let prefix = "pg:"
  private static let schemes = ["postgresql://", "postgres://"]
  private static let secrets: Set<String> = ["password", "sslpassword"]

  /// - Returns: nil if the text does not start like the address of a database.
  package init?(_ text: String) {
    guard let kind = Self.kind(of: text) else { return nil }
    self.text = text
    isURL = kind == .url
    parameters = isURL ? nil : Self.parameters(Array(text.utf8.dropFirst(Self.prefix.utf8.count)))
  }

  /// Whether text starts like the address of a database.
  package static func isAddress(_ text: String) -> Bool { kind(of: text) != nil }

  private enum Kind {
    case parameters, url
  }

  private static func kind(of text: String) -> Kind? {
    // For most strings, the first byte is enough to decide.
    guard let first = text.utf8.first, first | 0x20 == UInt8(ascii: "p") else { return nil }
    let start = text.utf8.prefix(16).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if start.starts(with: prefix.utf8) { return .parameters }
    return schemes.contains { start.starts(with: $0.utf8) } ? .url : nil
  }

  /// The value of a parameter; nil if it is missing.
  package func value(_ name: String) -> String? {
    parameters?.last { $0.name == name }?.value
  }

  /// The address without passwords, for messages and results.
  package var shown: String { isURL ? shownURL : shownParameters }

  private var shownParameters: String {
    guard let parameters else { return "PG:…" }
    guard parameters.contains(where: { Self.secrets.contains($0.name) }) else { return text }
    let words = parameters.map { parameter in
      parameter.name + "="
        + (Self.secrets.contains(parameter.name) ? "…" : Self.quoted(parameter.value))
    }
    return "PG:" + words.joined(separator: " ")
  }

  private var shownURL: String {
    let bytes = Array(text.utf8)
    let scheme = Self.schemes.first(where: hasScheme) ?? ""
    var rest = bytes[scheme.utf8.count...]
    var shown = Array(bytes[..<rest.startIndex])
    // A password may contain a slash or a question mark that is not encoded.
    let userEnd = rest.firstIndex { ":@/?".utf8.contains($0) } ?? rest.endIndex
    if userEnd < rest.endIndex, ":@".utf8.contains(rest[userEnd]),
      let mark = rest.lastIndex(of: UInt8(ascii: "@"))
    {
      shown += rest[..<userEnd] + (userEnd < mark ? Array(":…".utf8) : [])
      rest = rest[mark...]
    }
    let query = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    shown += rest[..<query]
    guard query < rest.endIndex else { return String(decoding: shown, as: UTF8.self) }
    let words = rest[(query + 1)...].split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let kept = words.map { word in
      let name = word.prefix { $0 != UInt8(ascii: "=") }
      let isSecret = Self.secrets.contains(String(decoding: name, as: UTF8.self).lowercased())
      return isSecret ? name + Array("=…".utf8) : word
    }
    shown += [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")])
    return String(decoding: shown, as: UTF8.self)
  }

  private func hasScheme(_ scheme: String) -> Bool {
    text.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) {
      ((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) == $1
    }
  }

  private static func quoted(_ value: String) -> String {
    guard value.isEmpty || value.utf8.contains(where: { $0 <= 0x20 || "'\\".utf8.contains($0) })
    else { return value }
    // Bytes are compared, because a quotation mark and a combining character that follows it are one
    // Swift character.
    var bytes = [UInt8(ascii: "'")]
    for byte in value.utf8 {
      if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
    return String(decoding: bytes + [UInt8(ascii: "'")], as: UTF8.self)
  }

  /// The address with further parameters, which replace parameters of the same names.
  ///
  /// - Precondition: the address has a list of parameters.
  package func adding(_ more: [Parameter]) -> DatabaseAddress {
    let names = Set(more.map(\.name))
    let all = (parameters ?? []).filter { !names.contains($0.name) } + more
    let words = all.map { $0.name + "=" + Self.quoted($0.value) }
    return DatabaseAddress("PG:" + words.joined(separator: " ")) ?? self
  }

  // MARK: Parsing

  /// Parses `name = value` pairs as libpq does. A value in quotation marks may contain spaces, and a
  /// backslash escapes the next character.
  private static func parameters(_ bytes: [UInt8]) -> [Parameter]? {
    var result: [Parameter] = []
    var position = 0
    func skipSpaces() {
      while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    }
    skipSpaces()
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "="), !isSpace(bytes[position])
      {
        position += 1
      }
      let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
      skipSpaces()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "="), !name.isEmpty else {
        return nil
      }
      position += 1
      skipSpaces()
      guard let value = value(bytes, &position) else { return nil }
      result.append(Parameter(name: name, value: value))
      skipSpaces()
    }
    return result
  }

  private static func value(_ bytes: [UInt8], _ position: inout Int) -> String? {
    var value: [UInt8] = []
    let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "'")
    if isQuoted { position += 1 }
    while position < bytes.count {
      let byte = bytes[position]
      if isQuoted ? byte == UInt8(ascii: "'") : isSpace(byte) { break }
      if byte == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
      value.append(bytes[position])
      position += 1
    }
    if isQuoted {
      guard position < bytes.count else { return nil }
      position += 1
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}

extension String {
  /// The text; without passwords, if it is the address of a database.
  package var withoutPasswords: String { DatabaseAddress(self)?.shown ?? self }
}
