/// A layer of a map that tries to access data outside of the map.
///
/// Its files are in a separate folder within the map's folder. In strings, `{OUT}` is a folder
/// outside, `{UP}` the relative path to it, `{HERE}` the layer's folder, and `{URL}` an address
/// with a listener.
struct HostileCase: Sendable {
  enum Kind: String, Sendable {
    case raster = "RasterLayer"
    case features = "ArcGISFeatureLayer"
    case service = "ArcGISMapServiceLayer"
  }

  enum Outcome: Sendable {
    /// The layer reports an error.
    case refused
    /// The layer may have results from its own data.
    case harmless
  }

  var name: String
  var kind: Kind
  var url: String
  /// The content of files by name. `->` begins a link, `=` begins the name of a valid file that is
  /// copied, and `|` is a named pipe.
  var files: [String: String] = [:]
  var outcome = Outcome.refused

  /// A path or other text as a layer's url.
  static func url(_ url: String, _ kind: Kind = .raster, files: [String: String] = [:]) -> Self {
    HostileCase(name: "\(kind.rawValue) \(url)", kind: kind, url: url, files: files)
  }

  /// A layer that refers to one of its files.
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
