/// Comparisons of strings byte by byte, as file systems, libraries and protocols compare names.
///
/// `String` compares characters instead. A combining mark merges with the preceding character, so a
/// search for this character fails. Strings with different bytes may be equal. Security checks
/// therefore compare bytes.
extension StringProtocol {
  /// Whether the string begins with the bytes of `other`.
  package func hasBytes(atStart other: some StringProtocol) -> Bool {
    utf8.starts(with: other.utf8)
  }

  /// Whether the string ends with the bytes of `other`.
  package func hasBytes(atEnd other: some StringProtocol) -> Bool {
    let count = other.utf8.count
    return utf8.count >= count && utf8.suffix(count).elementsEqual(other.utf8)
  }

  /// Whether the string contains the bytes of `other`, which is not empty.
  package func hasBytes(of other: some StringProtocol) -> Bool {
    guard let first = other.utf8.first else { return true }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      if rest[start...].starts(with: other.utf8) { return true }
      rest = rest[start...].dropFirst()
    }
    return false
  }

  /// Whether the string contains a byte.
  package func hasByte(_ byte: UInt8) -> Bool { utf8.contains(byte) }

  /// Whether the string has the same bytes as `other`.
  package func hasSameBytes(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// The string with ASCII capitals converted to lower case; other bytes are unchanged.
  package var lowercasedASCII: String {
    var text = String(self)
    let lowered = text.withUTF8 { bytes -> String? in
      guard bytes.contains(where: { $0.lowercasedASCII != $0 }) else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) { target in
        for index in bytes.indices { target[index] = bytes[index].lowercasedASCII }
        return bytes.count
      }
    }
    return lowered ?? text
  }
}

extension UInt8 {
  /// The lower-case letter for an ASCII capital; any other byte is unchanged.
  @inlinable
  package var lowercasedASCII: UInt8 { self &- 65 < 26 ? self | 0x20 : self }

  /// Whether the byte is an ASCII letter or digit.
  package var isAlphanumericASCII: Bool {
    switch self | 0x20 {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
  }
}

extension String {
  /// A path up to and including its last slash; empty if it has no slash.
  package var folderPrefix: String {
    utf8.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: utf8[...$0], as: UTF8.self) } ?? ""
  }

  /// The part of a path after its last slash.
  package var lastPathWord: String {
    String(decoding: utf8.dropFirst(folderPrefix.utf8.count), as: UTF8.self)
  }

  /// The parts of a path between its slashes, including empty parts.
  package var pathWords: [String] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A name that is compared byte by byte.
package struct ByteName: Hashable, Sendable {
  package let text: String

  package init(_ text: some StringProtocol) { self.text = String(text) }

  package static func == (a: ByteName, b: ByteName) -> Bool { a.text.hasSameBytes(as: b.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}
