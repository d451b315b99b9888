import PlumbCore

/// References in documents at URLs (RFC 3986, section 5.2).
package enum RelativeAddress {
  /// The URL that a reference in a document resolves to.
  ///
  /// - Parameters:
  ///   - reference: a URL with a scheme, or a relative reference.
  ///   - base: the URL of the document, with `://`.
  /// - Returns: the URL without a fragment. A reference with a scheme is returned unchanged.
  package static func resolve(_ reference: String, against base: String) -> String {
    let slash = UInt8(ascii: "/")
    if hasScheme(reference) { return reference }
    let bytes = Array(base.utf8.prefix { $0 != UInt8(ascii: "#") })
    let text = Array(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
    guard let mark = bytes.firstIndex(of: UInt8(ascii: ":")) else { return reference }
    func string(_ bytes: some Sequence<UInt8>) -> String {
      String(decoding: Array(bytes), as: UTF8.self)
    }
    if text.isEmpty { return string(bytes) }
    if text.starts(with: [slash, slash]) { return string(bytes[...mark] + text) }
    let hostStart = min(mark + 3, bytes.count)
    let isPathEnd = { (byte: UInt8) in byte == slash || byte == UInt8(ascii: "?") }
    let hostEnd = bytes[hostStart...].firstIndex(where: isPathEnd) ?? bytes.endIndex
    let pathEnd = bytes[hostEnd...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    if text[0] == UInt8(ascii: "?") { return string(bytes[..<pathEnd] + text) }
    let queryStart = text.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    var path = Array(text[..<queryStart])
    if path.first != slash {
      let folder = bytes[hostEnd..<pathEnd].lastIndex(of: slash).map { bytes[hostEnd...$0] }
      path = Array(folder ?? [slash]) + path
    }
    return string(bytes[..<hostEnd] + withoutDots(path) + text[queryStart...])
  }

  /// Whether a reference begins with a scheme.
  private static func hasScheme(_ reference: String) -> Bool {
    guard let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = reference.utf8[..<colon]
    return !scheme.isEmpty
      && scheme.allSatisfy { $0.isAlphanumericASCII || "+-.".utf8.contains($0) }
  }

  /// A path that begins with a slash, without the segments `.` and `..`.
  private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    let segments = path.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var kept: [ArraySlice<UInt8>] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case _ where segment.elementsEqual(".".utf8):
        if isLast { kept.append([]) }
      case _ where segment.elementsEqual("..".utf8):
        _ = kept.popLast()
        if isLast { kept.append([]) }
      default: kept.append(segment)
      }
    }
    return kept.reduce(into: []) { $0 += [UInt8(ascii: "/")] + $1 }
  }
}
