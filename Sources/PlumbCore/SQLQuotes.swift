extension String {
  /// The text with a mark doubled wherever it occurs, as in quoted names and strings of SQL.
  ///
  /// The mark is searched among Unicode scalars: followed by a combining character, it is not a character itself.
  package func doubling(_ mark: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    return String(result)
  }

  /// A name in the double quotes of SQL.
  package var quotedForSQL: String { "\"" + doubling("\"") + "\"" }
}
