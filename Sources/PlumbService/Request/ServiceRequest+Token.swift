import Plumb

extension ServiceRequest {
  /// The token in the parameters; nil if missing.
  package var tokenParameter: String? { (try? Parameters(self))?.word("token") }

  /// The query without the token, for logs.
  package var shownQuery: String {
    // Most queries have no token. The quick check searches for the letter k, which is rare and part
    // of the name `token`, and for %, which may escape the letter.
    let mayHaveToken = query.utf8.contains { byte in
      byte == UInt8(ascii: "k") || byte == UInt8(ascii: "K") || byte == UInt8(ascii: "%")
    }
    guard mayHaveToken else { return query }
    return query.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let name = pair.prefix { $0 != "=" }
      let plain = PercentText.decode(name.utf8, plusIsSpace: true)?.lowercased()
      return plain == "token" ? "\(name)=[redacted]" : String(pair)
    }.joined(separator: "&")
  }
}
