import Plumb

extension ServiceRequest {
  /// The token among the parameters; nil for none.
  package var tokenParameter: String? { (try? Parameters(self))?.word("token") }

  /// The query without its token, for a log.
  package var shownQuery: String {
    // Nearly all have none, and no escape could hide one.
    // The letter k is rare, and is in it.
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
