extension JSONTree {
  /// The value as JSON in UTF-8.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// Appends the value as JSON, without spaces and with members in alphabetical order; a `source` is
  /// appended unchanged. A number that was too large for a double is written as `1e999` or `-1e999`.
  // The parser limits the nesting depth, and therefore also the depth of this recursion.
  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += Array("null".utf8)
    case .boolean(let flag): JSONText.append(flag, to: &bytes)
    case .integer(let number): JSONText.append(number, to: &bytes)
    case .real(let number) where number.isInfinite:
      JSONText.append(ascii: number > 0 ? "1e999" : "-1e999", to: &bytes)
    case .real(let number): JSONText.append(number, to: &bytes)
    case .text(let text): JSONText.append(text, to: &bytes)
    case .source(let text): bytes += text
    case .pair, .integerPair: Self.list(elements ?? []).append(to: &bytes)
    case .list(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
