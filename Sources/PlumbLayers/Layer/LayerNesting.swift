import PlumbCore

/// Limits the traversal of nested layers, because groups can be changed freely and may end up containing
/// themselves.
enum LayerNesting {
  /// The maximum number of levels below a layer.
  static let limit = 256

  /// The reason why a layer's sublayers cannot be traversed: the sublayers are nested too deeply,
  /// or a group occurs twice. Map image layers check their own sublayers when they load.
  static func failure(of layer: any Layer) -> LayerError? {
    var level = below(layer)
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(layer)]
    for _ in 0..<limit {
      if level.isEmpty { return nil }
      for layer in level {
        guard !below(layer).isEmpty, !seen.insert(ObjectIdentifier(layer)).inserted else {
          continue
        }
        return LayerError(
          code: .badLayer,
          message: "the group \(layer.id.printable) occurs twice in this layer, or contains itself")
      }
      level = level.flatMap { below($0) }
    }
    return level.isEmpty
      ? nil
      : LayerError(code: .badLayer, message: "layers nest deeper than \(limit) levels")
  }

  private static func below(_ layer: any Layer) -> [any Layer] {
    layer.isService ? [] : layer.sublayers
  }
}
