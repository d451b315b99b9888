import PlumbCore

/// Keeps walks through layers of layers short: groups are changed at will, and could hold themselves.
enum LayerNesting {
  /// How many levels of layers there may be below one.
  static let limit = 256

  /// Why what lies below a layer cannot be walked: it is too deep, or a group is met again. Map image
  /// layers see to their own sublayers when they load.
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
          message: "the group \(layer.id.printable) lies in it twice, or in itself")
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
