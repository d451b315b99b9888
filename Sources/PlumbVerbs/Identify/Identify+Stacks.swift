import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers
import PlumbRaster

extension Identify {
  /// Returns the stacks of a map's visible layers that have dates, the topmost first. If the request names
  /// a layer, returns the stacks of this layer.
  ///
  /// - Throws: if no layer has dates, if a layer cannot be opened, or if two layers with dates have the
  ///   same name.
  static func stacks(
    of map: Map, _ request: Request, in context: RunContext
  ) throws -> [DatedStack] {
    if !request.dates.isEmpty || request.grouping != nil {
      let option: Setting = request.dates.isEmpty ? .group : .dates
      throw OptionViolation(
        "\(option) is only for rasters: the map document has the dates of its layers")
    }
    var found = MapStacks()
    if let id = request.layer {
      guard let layer = map.layer(id: id) else {
        throw PlumbError("the map has no layer \(id.shown)", code: .badQuery)
      }
      try map.withLock { try found.add(layer, isNamed: true) }
    } else {
      try map.withLock {
        for layer in map.layers.reversed() { try found.add(layer, isNamed: false) }
      }
    }
    guard !found.stacks.isEmpty else {
      throw PlumbError(
        messageTemplate: request.layer == nil
          ? "no visible layer of the map has dates; set the member dates of a raster layer"
          : "the layer has no dates; set the member dates of the raster layer", code: .badOption)
    }
    var names: Set<String> = []
    for stack in found.stacks where !names.insert(stack.name).inserted {
      throw PlumbError(
        messageTemplate:
          "two layers with dates are called \(stack.name.printable): select one with \(.layer)",
        code: .ambiguous)
    }
    if !found.others.isEmpty {
      let list = found.others.map(\.printable).joined(separator: ", ")
      context.warn("layers without dates are not read: \(list)")
    }
    return try DatedStack.comparable(found.stacks)
  }

  /// Collects the stacks of layers. Must be used within `Map.withLock`.
  private struct MapStacks {
    var stacks: [DatedStack] = []
    /// The names of the layers without dates.
    var others: [String] = []

    /// - Parameter isNamed: whether the request names the layer, so that it need not be visible.
    mutating func add(_ layer: any Layer, isNamed: Bool) throws {
      guard layer.isVisible || isNamed else { return }
      switch layer.typed {
      case .raster(let raster):
        do throws(LayerError) {
          try raster.load()
        } catch {
          throw error.of(layer.name.printable)
        }
        if let stack = raster.stack { stacks.append(stack) } else { others.append(layer.name) }
      case .group, .mapImage:
        do throws(LayerError) {
          try layer.load()
        } catch {
          throw error.of(layer.name.printable)
        }
        for sublayer in layer.sublayers { try add(sublayer, isNamed: false) }
      case .feature, .remote, .broken: others.append(layer.name)
      }
    }
  }
}
