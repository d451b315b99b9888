import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SpatialReference {
  /// The file, other than PROJ's data, that a definition refers to; nil if there is none.
  ///
  /// PROJ strings name files of definitions and of grids (`+init=/x:y`, `+nadgrids=/x`); WKT and
  /// PROJJSON contain file names in parameters. A name without a folder refers to PROJ's data,
  /// unless the working directory, which PROJ searches last, contains a file with this name.
  package static func file(namedIn definition: String) -> String? {
    let isEscaped = definition.hasByte(UInt8(ascii: "\\"))
    let text = isEscaped ? unescaped(definition.utf8) : Array(definition.utf8)
    for word in text.split(whereSeparator: { isBlank($0) || $0 == UInt8(ascii: "\"") }) {
      guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = word[(equals + 1)...]
      if let name = workingFile(word[..<equals], value) { return name }
      // A unit may be a fraction.
      let isNumber = value.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "./+-eE".utf8.contains($0)
      }
      if value.contains(where: { "/\\~".utf8.contains($0) }), !isNumber { return shown(value) }
    }
    // Opening and closing quotes need not be distinguished, because no other part starts like a
    // path.
    for part in text.split(whereSeparator: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") })
    {
      let name = part.drop { $0 == UInt8(ascii: "@") || isBlank($0) }
      let isPath = ["/", "\\", "~", "./", "../"].contains { name.starts(with: $0.utf8) }
      if isPath || shown(name).hasBytes(of: "/../") { return shown(name) }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The file in the working directory that a parameter may refer to.
  private static func workingFile(
    _ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>
  ) -> String? {
    let isInit = key.suffix(4).elementsEqual("init".utf8)
    guard isInit || key.suffix(5).elementsEqual("grids".utf8) else { return nil }
    for part in value.split(separator: UInt8(ascii: ",")) {
      let end = isInit ? part.lastIndex(of: UInt8(ascii: ":")) : nil
      let name = shown(part[..<(end ?? part.endIndex)].drop { $0 == UInt8(ascii: "@") })
      if !name.isEmpty, access(name, F_OK) == 0 { return name }
    }
    return nil
  }

  /// The string with JSON escapes of slashes and of ASCII characters decoded.
  private static func unescaped(_ text: String.UTF8View) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text[...]
    while let first = rest.popFirst() {
      guard first == UInt8(ascii: "\\") else {
        result.append(first)
        continue
      }
      if rest.first == UInt8(ascii: "/") { continue }
      let digits = Substring(rest.dropFirst().prefix(4))
      if rest.first == UInt8(ascii: "u"), digits.utf8.count == 4,
        let code = UInt8(digits, radix: 16), code < 0x80
      {
        result.append(code)
        rest = rest.dropFirst(5)
      } else {
        result.append(first)
      }
    }
    return result
  }
}
