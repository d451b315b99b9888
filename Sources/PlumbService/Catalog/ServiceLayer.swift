import Plumb

/// A layer of a map and its number in a service.
///
/// - Invariant: the layer is loaded and queried only within `Map.withLock`.
final class ServiceLayer: @unchecked Sendable {
  /// The layer's number from 0. Layers are numbered depth first, starting with the topmost layer.
  /// In a reopened map, new layers have the last numbers.
  fileprivate(set) var number: Int
  /// The layer's position from 0, depth first, starting with the topmost layer.
  let rank: Int
  let layer: any Layer
  /// The layer's path, which `Map.layer(id:)` accepts.
  let path: String
  /// The number of the parent layer; nil at the top.
  fileprivate(set) var parent: Int?
  /// The numbers of the sublayers.
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

  /// Returns the reason why the layer cannot be read; nil if it can be read. Call this method
  /// within `Map.withLock`.
  ///
  /// - Parameter names: the names of settings in messages.
  func failure(_ names: [Setting: String]) -> String? {
    guard case .failed(let error) = layer.loadStatus else { return nil }
    return error.line.text(names)
  }

  /// Returns the message for a list that omits the layer because of an error.
  func omission(_ error: any Error) -> String {
    "\(name.printable) is left out: \(ServiceError(error).message)"
  }

  private init(_ number: Int, _ layer: any Layer, path: String, parent: Int?) {
    (self.number, rank, self.layer) = (number, number, layer)
    (self.path, self.parent) = (path, parent)
  }

  /// Returns all layers of a map in the order of their numbers. Call this method within
  /// `Map.withLock`.
  ///
  /// - Parameter former: the previous layer numbers by path. Layers keep these numbers, because
  ///   clients identify layers by number. If a layer with a previous number no longer exists, all
  ///   layers are renumbered.
  static func all(of map: Map, keeping former: [String: Int] = [:]) -> [ServiceLayer] {
    let layers = all(of: map)
    var used: Set<Int> = []
    var numbers: [Int] = []
    var next = former.count
    for layer in layers {
      if let known = former[layer.path], used.insert(known).inserted {
        numbers.append(known)
      } else {
        numbers.append(next)
        next += 1
      }
    }
    guard used == Set(0..<former.count) else { return layers }
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
      let added = ServiceLayer(all.count, layer, path: path, parent: parent)
      if let parent { all[parent].children.append(added.number) }
      all.append(added)
      // A layer that does not load has no sublayers.
      try? layer.load()
      guard depth < 256 else { return }
      let isService = if case .mapImage = layer.typed { true } else { false }
      let inner = service ?? (isService ? layer.id : nil)
      for sublayer in layer.sublayers {
        add(sublayer, parent: added.number, service: inner, depth: depth + 1)
      }
    }
    for layer in map.layers.reversed() { add(layer, parent: nil, service: nil, depth: 0) }
    return all
  }
}
