import Plumb

extension ServiceCatalog {
  /// Returns the map that a request names, or the only map if the request does not name a map.
  func map(named name: String?) throws(ServiceError) -> MapService {
    guard let name else {
      guard maps.count == 1 else {
        throw ServiceError(
          "map: specify one of \(maps.map(\.name.printable).joined(separator: ", "))",
          kind: .badOption)
      }
      return maps[0]
    }
    guard let map = map(name) else {
      throw ServiceError("there is no map \(name.shown)", status: 404, kind: .notFound)
    }
    return map
  }

  /// Returns the network that a request names, or the only network if the request does not name a
  /// network.
  func network(named name: String?) throws(ServiceError) -> NetworkService {
    guard let name else {
      guard networks.count == 1 else {
        throw ServiceError(
          "network: specify one of \(networks.map(\.name.printable).joined(separator: ", "))",
          kind: .badOption)
      }
      return networks[0]
    }
    guard let network = network(name) else {
      throw ServiceError("there is no network \(name.shown)", status: 404, kind: .notFound)
    }
    return network
  }
}
