import PlumbLayers

/// The members that layers of both documents share, as far as an object has them.
package struct LayerSettings {
  package var minScale: Double?
  package var maxScale: Double?
  package var definitionExpression: String?
  package var renderer: Renderer?
  /// What a raster is drawn with.
  package var rasterRenderer: RasterRenderer?
  /// What of the drawing is drawn in another way.
  package var undrawn = UndrawnParts()
  /// Whether there is a renderer, be it one that is not drawn.
  private var hasRenderer = false
  /// Whose data they are, as the document says it.
  package var attribution: String?
  package var popup: PopupDefinition?
  /// Whether it says that there is to be no popup.
  package var isPopupDisabled = false

  /// Reads `minScale`, `maxScale`, `definitionExpression`, `drawingInfo`, `popupInfo`,
  /// `disablePopup`, and `layerDefinition` for what the object itself does not say.
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
    // All of it is read, so that what is wrong there shows whatever the layer itself says.
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

  /// The condition; nil for none, and for one of blanks.
  package var condition: String? {
    definitionExpression.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
  }

  /// Takes over what others say.
  package mutating func override(with other: LayerSettings) {
    minScale = other.minScale ?? minScale
    maxScale = other.maxScale ?? maxScale
    definitionExpression = other.definitionExpression ?? definitionExpression
    renderer = other.renderer ?? renderer
    if other.hasRenderer { undrawn = UndrawnParts() }
    undrawn.formUnion(other.undrawn)
    hasRenderer = hasRenderer || other.hasRenderer
    rasterRenderer = other.rasterRenderer ?? rasterRenderer
    attribution = other.attribution ?? attribution
    popup = other.isPopupDisabled ? nil : other.popup ?? popup
  }
}

extension DocumentNode {
  /// Whose data the object's are, as services and layers say it; nil for none.
  package var attribution: String? {
    label("attribution") ?? label("copyrightText") ?? label("copyright")
  }
}
