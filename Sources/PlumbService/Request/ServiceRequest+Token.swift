import Plumb

extension ServiceRequest {
  /// The token among the parameters; nil for none.
  package var tokenParameter: String? { (try? Parameters(self))?.word("token") }

  /// The query without its token, for a log.
  package var shownQuery: String {
    // Nearly all have none, and no escape could hide one.
    let bytes = query.utf8
    guard bytes.contains(UInt8(ascii: "%")) || query.lowercased().contains("token") else {
      return query
    }
    return query.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let name = pair.prefix { $0 != "=" }
      let plain = PercentText.decode(name.utf8, plusIsSpace: true)?.lowercased()
      return plain == "token" ? "\(name)=[redacted]" : String(pair)
    }.joined(separator: "&")
  }
}
