import PlumbIO
import PlumbLayers

extension DocumentNode {
  /// The drawing settings of a layer that Plumb applies differently or not at all.
  ///
  /// Does not report errors, because invalid members are reported when they are parsed.
  var undrawnParts: UnsupportedDrawing {
    var found = UnsupportedDrawing()
    let definition = tree["layerDefinition"]
    let drawings = [tree["drawingInfo"], definition?["drawingInfo"]].compactMap { $0 }
    if let renderer = drawings.lazy.compactMap({ $0["renderer"] }).first {
      RendererGaps(renderer).add(to: &found)
    }
    let showsLabels = tree["showLabels"]?.isTrue != false
    let labels = [tree, definition].compactMap { $0 } + drawings
    if showsLabels, labels.contains(where: { !$0.list("labelingInfo").isEmpty }) {
      found.add("labels")
    }
    if drawings.contains(where: { $0["transparency"]?.isNonzero == true }) {
      found.add("transparency of the renderer")
    }
    for object in [tree, definition].compactMap({ $0 }) {
      if let kind = object["featureReduction"]?.word("type"), kind != "none" {
        found.add("feature reduction (\(kind.printable))", changesSizes: true)
      }
      if let mode = object.word("blendMode"), mode != "normal" {
        found.add("blend mode \(mode.printable)")
      }
      if !object.list("effect").isEmpty { found.add("effects") }
      if !object.list("orderBy").isEmpty { found.add("order of features (orderBy)") }
    }
    let features = tree["featureSet"]?.list("features") ?? []
    if features.contains(where: { $0["symbol"] != nil }) {
      found.add("symbols of single features", changesSizes: true)
    }
    return found
  }
}

/// Finds the settings of a renderer that Plumb applies differently or not at all.
private struct RendererGaps {
  private let renderer: JSONTree
  private let type: String

  init(_ renderer: JSONTree) {
    self.renderer = renderer
    type = renderer.word("type") ?? ""
  }

  func add(to found: inout UnsupportedDrawing) {
    switch type {
    case "simple", "uniqueValue", "classBreaks":
      addValues(to: &found)
      for symbol in symbols { Self.add(symbol, to: &found) }
    case "rasterColormap": break
    case "rasterStretch": addStretch(to: &found)
    case "rasterShadedRelief":
      if renderer.word("hillshadeType") == "multi-directional" {
        found.add("light from multiple directions")
      }
    case "heatmap": found.add("heat map", changesSizes: true)
    default: found.add("renderer \(type.printable)", changesSizes: true)
    }
  }

  /// Adds unsupported methods of choosing and modifying symbols.
  private func addValues(to found: inout UnsupportedDrawing) {
    if let expression = renderer.word("valueExpression"), !expression.isEmpty {
      found.add("values of an expression (valueExpression)", changesSizes: true)
    }
    if let kind = renderer.word("normalizationType"), !kind.isEmpty, kind != "esriNormalizeNone" {
      found.add("normalized values (\(kind.printable))", changesSizes: true)
    }
    let variables = renderer.list("visualVariables").map { $0.word("type") ?? "unknown" }
    for kind in variables {
      found.add("visual variable \(kind.printable)", changesSizes: kind == "sizeInfo")
    }
    if let expression = renderer.word("rotationExpression"), !expression.isEmpty {
      found.add("rotation by values (rotationExpression)")
    }
    if renderer["backgroundFillSymbol"] != nil { found.add("background of the symbols") }
  }

  private var symbols: [JSONTree] {
    let classes = renderer.list("uniqueValueGroups").flatMap { $0.list("classes") }
    let entries = renderer.list("uniqueValueInfos") + classes + renderer.list("classBreakInfos")
    return [renderer["symbol"], renderer["defaultSymbol"]].compactMap { $0 }
      + entries.compactMap { $0["symbol"] }
  }

  /// The names of unsupported symbol types, and whether the sizes of their symbols are ignored.
  private static let kinds: [String: (name: String, changesSizes: Bool)] = [
    "CIMSymbolReference": ("CIM symbols", true), "esriTS": ("text symbols", true),
    "esriPMS": ("picture markers", false), "esriPFS": ("picture fills", false),
    "esriPLS": ("picture lines", false),
  ]

  private static func add(_ symbol: JSONTree, to found: inout UnsupportedDrawing) {
    let type = symbol.word("type") ?? ""
    if let kind = kinds[type] { found.add(kind.name, changesSizes: kind.changesSizes) }
    if let style = symbol.word("style"), !DocumentNode.isKnown(style: style, of: type) {
      found.add("style \(style.printable)")
    }
    if type == "esriSMS" || type == "esriPMS" {
      if symbol["angle"]?.isNonzero == true { found.add("angles of symbols") }
      if symbol["xoffset"]?.isNonzero == true || symbol["yoffset"]?.isNonzero == true {
        found.add("offsets of symbols")
      }
    }
    if let outline = symbol["outline"] { add(outline, to: &found) }
  }

  private func addStretch(to found: inout UnsupportedDrawing) {
    let kinds = ["minMax", "none", "standardDeviation", "percentClip"]
    if let kind = renderer.word("stretchType"), !kinds.contains(kind) {
      found.add("stretch \(kind.printable)")
    }
    if renderer["dra"]?.isTrue == true { found.add("dynamic range adjustment (dra)") }
    if let ramp = renderer["colorRamp"], DocumentNode(ramp, document: "").ramp() == nil {
      found.add("color ramp")
    }
  }
}

extension JSONTree {
  fileprivate subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self, let member = members[name] else { return nil }
    if case .null = member { return nil }
    return member
  }

  fileprivate func word(_ name: String) -> String? {
    if case .text(let text)? = self[name] { text } else { nil }
  }

  fileprivate func list(_ name: String) -> [JSONTree] {
    self[name]?.elements ?? []
  }

  fileprivate var isTrue: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

  fileprivate var isNonzero: Bool {
    switch self {
    case .integer(let number): number != 0
    case .real(let number): number != 0
    default: false
    }
  }
}
