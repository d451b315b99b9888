import Plumb
import PlumbCore
import PlumbLayers

/// A layer of a map document, as `MAP#LAYER`.
package struct MapLayerPath {
  /// The path of the map document.
  package let map: String
  /// The id of the layer.
  package let layer: String

  /// Returns nil if the text does not name a map document, or is the path of an existing file.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let mark = bytes.lastIndex(of: UInt8(ascii: "#")), Map.isMissing(path: text) else {
      return nil
    }
    map = String(decoding: bytes[..<mark], as: UTF8.self)
    layer = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
    guard !map.isEmpty, !layer.isEmpty, Map.isDocument(path: map) else { return nil }
  }

  /// Reads the features of the layer.
  ///
  /// - Throws: for a map that cannot be opened, an unknown layer, or a layer that is not a feature
  ///   layer.
  func features(in context: RunContext, workers: Workers) throws -> FeatureInput {
    let map = try Map.open(
      path: map, access: context.access, signIn: context.signIn, workers: workers)
    map.notes.forEach(context.remark)
    guard let named = map.layer(id: layer) else {
      throw PlumbError(
        messageTemplate: "\(.areas): the map has no layer \(layer.shown)", code: .badQuery)
    }
    guard case .feature(let features) = named.typed else {
      throw PlumbError(
        messageTemplate: "\(.areas): \(layer.shown) is not a feature layer", code: .badLayer)
    }
    do {
      let set = try features.loadFeatures()
      return FeatureInput(
        FeatureListSource(set.features, fields: set.fields, reference: set.spatialReference),
        itemName: "feature", files: [self.map])
    } catch {
      throw error.of(named.name.printable)
    }
  }
}
