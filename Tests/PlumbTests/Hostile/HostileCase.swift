/// A layer of a map that tries to reach what the map was not given.
///
/// Its files lie in a folder of its own in the map's. In texts `{OUT}` is a folder outside, `{UP}` the
/// way there, `{HERE}` its own folder, `{URL}` an address where somebody listens.
struct HostileCase: Sendable {
  enum Kind: String, Sendable {
    case raster = "RasterLayer"
    case features = "ArcGISFeatureLayer"
    case service = "ArcGISMapServiceLayer"
  }

  enum Outcome: Sendable {
    /// The layer says that it does not answer.
    case refused
    /// It may answer, with what is its own.
    case harmless
  }

  var name: String
  var kind: Kind
  var url: String
  /// Texts by name. `->` begins a link, `=` the name of a good file that is copied, `|` is a named
  /// pipe.
  var files: [String: String] = [:]
  var outcome = Outcome.refused

  /// A path or another text that a layer has for a url.
  static func url(_ url: String, _ kind: Kind = .raster, files: [String: String] = [:]) -> Self {
    HostileCase(name: "\(kind.rawValue) \(url)", kind: kind, url: url, files: files)
  }

  /// A layer over a file of its own.
  static func file(
    _ name: String, _ kind: Kind, _ file: String, _ text: String,
    with others: [String: String] = [:],
    _ outcome: Outcome = .refused
  ) -> Self {
    HostileCase(
      name: name, kind: kind, url: "{HERE}/" + file,
      files: others.merging([file: text]) { $1 }, outcome: outcome)
  }
}
