import Plumb

/// How a map is asked.
struct MapQuery: Sendable, Hashable {
  var options = IdentifyOptions()
  /// The points' reference; nil for the map's.
  var crs: String?
  /// The one layer to ask; nil for all.
  var layer: String?
  /// Which of that layer's features to ask.
  var condition: String?
  /// Whether a warning is an error.
  var isStrict = false

  /// - Parameter options: what is left in them is somebody else's.
  init(_ options: inout Options, crs: String?) throws {
    self.crs = crs
    if options.has("tolerance") { self.options.tolerance = try Self.tolerance(&options) }
    self.options.scale = try options.number("scale")
    self.options.returnPopupsOnly = try options.flag("popups_only")
    if options.isText("max_results") {
      let text = try options.text("max_results")
      guard text == "all" else {
        throw CallError.bad("the option max_results: a number or \"all\" is expected")
      }
      self.options.maximumResultsPerLayer = nil
    } else {
      self.options.maximumResultsPerLayer = try options.integer("max_results", 1...Int.max) ?? 1
    }
    layer = try options.text("layer")
    condition = try options.text("where")
    isStrict = try options.flag("strict")
    if condition != nil, layer == nil {
      throw CallError.bad("the option where goes with layer: say which layer's features")
    }
    try self.options.check()
  }

  /// `12px`, `50m`, `2.5km` or 0.
  private static func tolerance(_ options: inout Options) throws -> IdentifyOptions.Tolerance {
    let fault = CallError.bad(
      "the option tolerance: a length as \"12px\", \"50m\" or \"2.5km\" is expected, or 0")
    guard options.isText("tolerance") else {
      guard try options.number("tolerance") == 0 else { throw fault }
      return .exact
    }
    let text = try options.text("tolerance") ?? ""
    guard let tolerance = IdentifyOptions.Tolerance(text: text) else { throw fault }
    return tolerance
  }
}
