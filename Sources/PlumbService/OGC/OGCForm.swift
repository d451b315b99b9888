/// A format of replies, with its values for the parameter `f` and its media types for the header
/// `Accept`.
struct OGCForm: Sendable {
  enum Kind: Sendable { case json, page, coverageJSON, geoJSON, csv, parquet }

  var kind: Kind
  /// The values of `f` that select the format, regardless of case.
  var words: [String]
  /// The media types in `Accept` that select the format. The media type of the reply is first.
  var types: [String]

  static let json = OGCForm(kind: .json, words: ["json"], types: ["application/json"])
  static let page = OGCForm(kind: .page, words: ["html"], types: ["text/html"])
  static let description = OGCForm(
    kind: .json, words: ["json"],
    types: ["application/vnd.oai.openapi+json", "application/json"])
  static let schema = OGCForm(
    kind: .json, words: ["json"], types: ["application/schema+json", "application/json"])
  static let features = OGCForm(
    kind: .geoJSON, words: ["json", "geojson"], types: ["application/geo+json", "application/json"])
  static let coverageJSON = OGCForm(
    kind: .coverageJSON, words: ["CoverageJSON", "json"],
    types: ["application/prs.coverage+json", "application/json"])
  static let geoJSON = OGCForm(
    kind: .geoJSON, words: ["GeoJSON"], types: ["application/geo+json"])
  static let csv = OGCForm(kind: .csv, words: ["CSV"], types: ["text/csv"])

  static let parquet = OGCForm(
    kind: .parquet, words: ["parquet"], types: [ContentType.parquet])

  /// The formats of data query replies.
  static let data = [coverageJSON, geoJSON, csv]

  /// Returns the format that a request selects with `f` or, without `f`, with the `Accept` header.
  ///
  /// - Parameter offers: the available formats, with the preferred format first.
  static func chosen(
    _ word: String?, accept: String, from offers: [OGCForm]
  ) throws(ServiceError) -> Kind {
    if let word {
      let folded = word.lowercased()
      if let found = offers.first(where: { $0.words.contains { $0.lowercased() == folded } }) {
        return found.kind
      }
      throw ServiceError(
        "'f': \(word.shown) is not one of " + offers.flatMap(\.words).joined(separator: ", "))
    }
    guard !accept.isEmpty, let first = offers.first else { return offers.first?.kind ?? .json }
    let ranges = accept.lowercased().split(separator: ",").prefix(64).map(range)
    var best = (kind: first.kind, weight: 0.0)
    for offer in offers {
      for type in offer.types {
        let weight = Self.weight(of: type, ranges)
        if weight > best.weight { best = (offer.kind, weight) }
      }
    }
    guard best.weight > 0 else {
      throw ServiceError(
        "none of the types in the Accept header is supported; only "
          + offers.map { $0.types[0] }.joined(separator: ", ") + " are", status: 406)
    }
    return best.kind
  }

  private static func range(_ text: Substring) -> (type: String, weight: Double) {
    let parts = text.split(separator: ";").map { String($0).trimmingASCIISpace() }
    let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
    return (parts.first ?? "", weight ?? 1)
  }

  /// Returns the weight of the most specific range that matches a type.
  private static func weight(
    of type: String, _ ranges: [(type: String, weight: Double)]
  ) -> Double {
    let group = type.prefix { $0 != "/" } + "/*"
    for candidate in [type, String(group), "*/*"] {
      if let range = ranges.first(where: { $0.type == candidate }) { return range.weight }
    }
    return 0
  }
}
