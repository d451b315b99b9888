import PlumbLayers

/// The layer settings that web maps and map services have in common. A missing setting is nil.
struct LayerSettings {
  package var minScale: Double?
  package var maxScale: Double?
  package var definitionExpression: String?
  package var renderer: Renderer?
  /// The renderer of a raster.
  var rasterRenderer: RasterRenderer?
  /// The drawing settings that Plumb applies differently or not at all.
  package var undrawn = UnsupportedDrawing()
  /// Whether the document defines a renderer, including a renderer that Plumb does not support.
  private var hasRenderer = false
  /// The credits in the document.
  package var attribution: String?
  package var popup: PopupDefinition?
  /// Whether the popup is disabled.
  var isPopupDisabled = false

  /// Reads `minScale`, `maxScale`, `definitionExpression`, `drawingInfo`, `popupInfo`, `disablePopup`, and
  /// the same members of `layerDefinition` if the object itself lacks them.
  package init(_ node: DocumentNode) throws(DocumentFault) {
    minScale = try node.size("minScale")
    maxScale = try node.size("maxScale")
    definitionExpression = try node.text("definitionExpression")
    renderer = try node.member("drawingInfo")?.member("renderer")?.renderer()
    rasterRenderer = try node.member("drawingInfo")?.member("renderer")?.rasterRenderer()
    undrawn = node.undrawnParts
    hasRenderer = try node.member("drawingInfo")?.member("renderer") != nil
    attribution = node.attribution
    popup = try node.popup()
    isPopupDisabled = try node.flag("disablePopup") ?? false
    guard let definition = try node.member("layerDefinition") else { return }
    if case .text(let text) = definition.tree {
      definitionExpression = definitionExpression ?? text
      return
    }
    try definition.object()
    // All members are read, so that errors are reported even if the layer itself overrides the value.
    let (minimum, maximum) = (try definition.size("minScale"), try definition.size("maxScale"))
    let expression = try definition.text("definitionExpression")
    let drawn = try definition.member("drawingInfo")?.member("renderer")?.renderer()
    minScale = minScale ?? minimum
    maxScale = maxScale ?? maximum
    definitionExpression = definitionExpression ?? expression
    renderer = renderer ?? drawn
    if try definition.member("drawingInfo")?.member("renderer") != nil { hasRenderer = true }
    if rasterRenderer == nil {
      rasterRenderer = try definition.member("drawingInfo")?.member("renderer")?.rasterRenderer()
    }
    attribution = attribution ?? definition.attribution
  }

  package var scaleRange: ScaleRange {
    ScaleRange(minScale: minScale ?? 0, maxScale: maxScale ?? 0)
  }

  /// The condition; nil if the condition is missing or blank.
  package var condition: String? {
    definitionExpression.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
  }

  /// Replaces settings with the settings of `other`. Settings that `other` lacks are kept.
  mutating func override(with other: LayerSettings) {
    minScale = other.minScale ?? minScale
    maxScale = other.maxScale ?? maxScale
    definitionExpression = other.definitionExpression ?? definitionExpression
    renderer = other.renderer ?? renderer
    if other.hasRenderer { undrawn = UnsupportedDrawing() }
    undrawn.formUnion(other.undrawn)
    hasRenderer = hasRenderer || other.hasRenderer
    rasterRenderer = other.rasterRenderer ?? rasterRenderer
    attribution = other.attribution ?? attribution
    popup = other.isPopupDisabled ? nil : other.popup ?? popup
  }
}

extension DocumentNode {
  /// The credits of a service or layer; nil for none.
  package var attribution: String? {
    label("attribution") ?? label("copyrightText") ?? label("copyright")
  }
}
