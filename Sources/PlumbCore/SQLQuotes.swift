extension String {
  /// The name quoted for SQL.
  package var asIdentifier: String { "\"" + doubling("\"") + "\"" }

  /// The string as an SQL literal.
  package var asLiteral: String { "'" + doubling("'") + "'" }

  /// The text with each mark doubled. The text is compared by Unicode scalar, as in databases: a quotation
  /// mark followed by a combining accent is still a quotation mark.
  package func doubling(_ mark: Unicode.Scalar) -> String {
    var result = UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    return String(result)
  }
}
