import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SpatialReference {
  /// The file outside of PROJ's own data that a definition leads to; nil when it leads to none.
  ///
  /// PROJ strings name files of definitions and of grids (`+init=/x:y`, `+nadgrids=/x`), WKT and
  /// PROJJSON have them as texts of parameters. A name without a folder is one of PROJ's data, unless
  /// the working folder has a file of that name, where PROJ looks last.
  package static func file(namedIn definition: String) -> String? {
    let text = definition.contains("\\") ? unescaped(definition) : definition
    for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "\"" }) {
      guard let equals = word.firstIndex(of: "=") else { continue }
      let value = word[word.index(after: equals)...]
      if let name = workingFile(word[..<equals], value) { return name }
      // A unit may be a fraction.
      let isNumber = value.allSatisfy { $0.isNumber || "./+-eE".contains($0) }
      if value.contains(where: { "/\\~".contains($0) }), !isNumber { return String(value) }
    }
    // Which quotes open and which close does not matter: no other part starts like that.
    for part in text.split(whereSeparator: { $0 == "\"" || $0 == "," }) {
      let name = part.drop { $0 == "@" || $0.isWhitespace }
      if ["/", "\\", "~", "./", "../"].contains(where: { name.hasPrefix($0) })
        || name.contains("/../")
      {
        return String(name)
      }
    }
    return nil
  }

  /// The file of the working folder that a parameter may be taken to name.
  private static func workingFile(_ key: Substring, _ value: Substring) -> String? {
    guard key.hasSuffix("init") || key.hasSuffix("grids") else { return nil }
    for part in value.split(separator: ",") {
      let end = key.hasSuffix("init") ? part.lastIndex(of: ":") : nil
      let name = String(part[..<(end ?? part.endIndex)].drop { $0 == "@" })
      if !name.isEmpty, access(name, F_OK) == 0 { return name }
    }
    return nil
  }

  /// A text with JSON's escapes of slashes and of ASCII undone.
  private static func unescaped(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let first = rest.popFirst() {
      guard first == "\\" else {
        result.append(first)
        continue
      }
      if rest.first == "/" { continue }
      let digits = rest.dropFirst().prefix(4)
      if rest.first == "u", digits.count == 4, let code = UInt8(digits, radix: 16), code < 0x80 {
        result.append(Character(Unicode.Scalar(code)))
        rest = rest.dropFirst(5)
      } else {
        result.append(first)
      }
    }
    return result
  }
}
