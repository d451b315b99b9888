import PlumbCore

extension SpatialReference {
  /// The file outside of PROJ's own data that a definition leads to; nil when it leads to none.
  ///
  /// PROJ strings name files of definitions and of grids (`+init=/x:y`, `+nadgrids=/x`), WKT and
  /// PROJJSON have them as texts of parameters. A name without a folder is one of PROJ's data.
  package static func file(namedIn definition: String) -> String? {
    // JSON may write a slash in these ways too.
    let text = definition.replacing(#"\/"#, by: "/").replacing(#"\u002f"#, by: "/")
      .replacing(#"\u002F"#, by: "/")
    for word in text.split(whereSeparator: { $0.isWhitespace || "\",|".contains($0) }) {
      guard let equals = word.lastIndex(of: "=") else { continue }
      var value = word[word.index(after: equals)...]
      if value.first == "@" { value = value.dropFirst() }
      // A unit may be a fraction.
      let isNumber = value.allSatisfy { $0.isNumber || "./+-eE".contains($0) }
      if value.contains(where: { "/\\~".contains($0) }), !isNumber { return String(value) }
    }
    for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    where index % 2 == 1 {
      for name in part.split(separator: ",") {
        let name = name.drop { $0 == "@" || $0.isWhitespace }
        if ["/", "\\", "~", "./", "../"].contains(where: { name.hasPrefix($0) })
          || name.contains("/../")
        {
          return String(name)
        }
      }
    }
    return nil
  }
}

extension String {
  fileprivate func replacing(_ text: String, by other: String) -> String {
    guard contains("\\") else { return self }
    var result = ""
    var rest = self[...]
    while let first = rest.first {
      if rest.hasPrefix(text) {
        result += other
        rest = rest.dropFirst(text.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}
