extension String {
  /// The string without leading and trailing spaces, tabs and line breaks.
  package func trimmingASCIISpace() -> String {
    let bytes = utf8
    guard let first = bytes.firstIndex(where: { !$0.isSpaceASCII }),
      let last = bytes.lastIndex(where: { !$0.isSpaceASCII })
    else { return "" }
    let end = bytes.index(after: last)
    return first == startIndex && end == endIndex ? self : String(Substring(bytes[first..<end]))
  }
}

extension UInt8 {
  /// Whether the byte is a space, a tab or a part of a line break.
  fileprivate var isSpaceASCII: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
  }
}
