import Plumb

/// A layer of a map by the number that a service has for it.
///
/// - Invariant: the layer is loaded and asked within `Map.asking` alone.
final class ServiceLayer: @unchecked Sendable {
  /// From 0, depth first, the topmost first; in a map that was opened anew, those that are new come last.
  fileprivate(set) var number: Int
  /// From 0, depth first, the topmost first.
  let rank: Int
  let layer: any Layer
  /// As `Map.layer(id:)` takes it.
  let path: String
  /// The layer that it lies in; nil at the top.
  fileprivate(set) var parent: Int?
  /// What lies below it.
  fileprivate(set) var children: [Int] = []

  var name: String { layer.properties.name }
  var isFeatures: Bool { if case .feature = layer.typed { true } else { false } }
  var isRaster: Bool { if case .raster = layer.typed { true } else { false } }
  var isGroup: Bool {
    switch layer.typed {
    case .group, .mapImage: true
    case .feature, .raster, .remote, .broken: false
    }
  }

  /// Why it cannot be read; nil for one that can. To be called within `Map.asking`.
  ///
  /// - Parameter names: what settings are called.
  func failure(_ names: [Setting: String]) -> String? {
    guard case .failed(let error) = layer.loadStatus else { return nil }
    return error.line.text(names)
  }

  /// What is said of a list that goes without the layer.
  func omission(_ error: any Error) -> String {
    "\(name.printable) is left out: \(ServiceError(error).message)"
  }

  private init(_ number: Int, _ layer: any Layer, path: String, parent: Int?) {
    (self.number, rank, self.layer) = (number, number, layer)
    (self.path, self.parent) = (path, parent)
  }

  /// All layers of a map by their numbers. To be called within `Map.asking`.
  ///
  /// - Parameter former: the numbers that layers had by their paths, which they keep: clients know them by
  ///   these. Where one of them is gone, all are numbered afresh.
  static func all(of map: Map, keeping former: [String: Int] = [:]) -> [ServiceLayer] {
    let layers = all(of: map)
    var taken: Set<Int> = []
    var numbers: [Int] = []
    var next = former.count
    for layer in layers {
      if let known = former[layer.path], taken.insert(known).inserted {
        numbers.append(known)
      } else {
        numbers.append(next)
        next += 1
      }
    }
    guard taken == Set(0..<former.count) else { return layers }
    for layer in layers {
      layer.number = numbers[layer.number]
      layer.parent = layer.parent.map { numbers[$0] }
      layer.children = layer.children.map { numbers[$0] }
    }
    return layers.sorted { $0.number < $1.number }
  }

  private static func all(of map: Map) -> [ServiceLayer] {
    var all: [ServiceLayer] = []
    func add(_ layer: any Layer, parent: Int?, service: String?, depth: Int) {
      let path = (service.map { $0 + "/" } ?? "") + layer.id
      let own = ServiceLayer(all.count, layer, path: path, parent: parent)
      if let parent { all[parent].children.append(own.number) }
      all.append(own)
      // A layer that fails has no sublayers.
      try? layer.load()
      guard depth < 256 else { return }
      let isService = if case .mapImage = layer.typed { true } else { false }
      let inner = service ?? (isService ? layer.id : nil)
      for sublayer in layer.sublayers {
        add(sublayer, parent: own.number, service: inner, depth: depth + 1)
      }
    }
    for layer in map.layers.reversed() { add(layer, parent: nil, service: nil, depth: 0) }
    return all
  }
}
