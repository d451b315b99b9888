import Plumb
import PlumbIO

/// The services of all opened documents.
package final class ServiceCatalog: Sendable {
  /// The maps, in the given order.
  let maps: [MapService]
  /// The networks, in the given order.
  let networks: [NetworkService]
  let settings: ServiceSettings
  private let cache: TileCache
  /// The paths from which the documents were opened.
  private let paths: (maps: [String], networks: [NetworkChoice])
  /// Warnings about the documents, one line each.
  package let warnings: [String]

  /// Opens documents.
  ///
  /// - Parameters:
  ///   - maps: paths of map documents, rasters and feature files.
  ///   - networks: paths of networks, optionally with valves and a CRS, as parsed by
  ///     `NetworkChoice`.
  /// - Throws: if a document does not open, or if two documents have the same stem.
  package init(maps: [String], networks: [String], _ settings: ServiceSettings) throws {
    self.settings = settings
    var seen: [String: String] = [:]
    let choices = try networks.map { try NetworkChoice($0) }
    paths = (maps, choices)
    for path in maps + choices.map(\.path) {
      let stem = Self.stem(of: path)
      guard !stem.isEmpty else { throw PlumbError("\(path.printable) has no name") }
      if let other = seen.updateValue(path, forKey: stem.lowercased()) {
        throw PlumbError(
          "\(other.printable) and \(path.printable) would both be the service \(stem.printable); "
            + "rename one of them")
      }
    }
    cache = TileCache(capacity: settings.cacheBytes)
    self.maps = try maps.map { [cache] in
      try MapService(path: $0, name: Self.stem(of: $0), settings, cache)
    }
    self.networks = try choices.map {
      try NetworkService($0, name: Self.stem(of: $0.path), settings)
    }
    warnings = self.networks.flatMap(\.opened.warnings) + self.maps.flatMap(\.warnings)
  }

  /// Removes all cached tiles.
  func emptyCache() { cache.empty() }

  private init(
    _ former: ServiceCatalog, maps: [MapService], networks: [NetworkService]? = nil
  ) {
    (self.maps, settings, paths) = (maps, former.settings, former.paths)
    self.networks = networks ?? former.networks
    cache = former.cache
    warnings = self.networks.flatMap(\.opened.warnings) + maps.flatMap(\.warnings)
  }

  /// Reopens the maps that lack layers because services were unavailable, if the services are
  /// available now. Returns the catalog with the reopened maps; nil if no map was reopened. A map
  /// that does not open, or would lose a layer, is not replaced.
  ///
  /// - Parameter lines: receives the warnings of the reopened maps, and the failures of maps that
  ///   could not be reopened.
  func renewed(_ lines: inout [String]) -> ServiceCatalog? {
    var isRenewed = false
    let maps = maps.map { map in
      guard map.isOutdated else { return map }
      do {
        guard let other = try map.reopened() else { return map }
        lines += other.warnings + Self.warm(other)
        isRenewed = true
        return other
      } catch {
        let fault = PlumbError(error).line.text(settings.names)
        if map.isNews(fault) {
          lines.append("\(map.name.printable) cannot be reopened and is kept as it is: \(fault)")
        }
        return map
      }
    }
    return isRenewed ? ServiceCatalog(self, maps: maps) : nil
  }

  /// Reloads the documents, and returns the catalog with the reloaded documents. A document that
  /// cannot be opened, or a map that would lose a working layer, is not replaced.
  ///
  /// - Returns: the catalog, the number of documents that were not replaced, and messages about all
  ///   documents, one line each.
  func reread() -> (catalog: ServiceCatalog, kept: Int, lines: [String]) {
    var (kept, lines): (Int, [String]) = (0, [])
    func keep(_ name: String, _ reason: String) {
      kept += 1
      lines.append("\(name.printable) was not reloaded: \(reason)")
    }
    let maps = zip(self.maps, paths.maps).map { former, path in
      do {
        let other = try MapService(path: path, name: former.name, settings, cache)
        let warnings = other.warnings + Self.warm(other)
        if let loss = former.loss(in: other) {
          keep(former.name, loss)
          return former
        }
        lines += warnings
        return other
      } catch {
        keep(former.name, PlumbError(error).line.text(settings.names))
        return former
      }
    }
    let networks = zip(self.networks, paths.networks).map { former, choice in
      do {
        let other = try NetworkService(choice, name: former.name, settings)
        _ = try other.layers()
        lines += other.opened.warnings
        return other
      } catch {
        keep(former.name, PlumbError(error).line.text(settings.names))
        return former
      }
    }
    return (ServiceCatalog(self, maps: maps, networks: networks), kept, lines)
  }

  /// Reads the data that the first requests need, which are features and the extents of layers.
  ///
  /// - Returns: read failures and warnings, one line each. Layers that did not open are not
  ///   included.
  package func warm() -> [String] {
    var lines = maps.flatMap(Self.warm)
    for network in networks {
      do {
        _ = try network.layers()
      } catch {
        lines.append("\(network.name.printable): \(ServiceError(error).message)")
      }
    }
    return lines
  }

  private static func warm(_ map: MapService) -> [String] {
    let lines = map.layers.filter(\.isFeatures).compactMap { layer in
      map.warning(of: layer).map { "\(map.name.printable): \($0)" }
    }
    _ = map.extent
    let unreadable = map.unreadable.sorted { $0.key < $1.key }
    return lines
      + unreadable.map {
        "\(map.name.printable): \(map.layers[$0.key].name.printable): \($0.value)"
      }
  }

  /// Returns the last component of a path without its extension. For a path such as `era5.nc#t2m`, returns
  /// the name of the variable.
  static func stem(of path: String) -> String {
    if FileKind(path: path) == nil, let mark = path.utf8.lastIndex(of: UInt8(ascii: "#")) {
      let variable = path[path.utf8.index(after: mark)...].prefix { $0 != "[" }
      if !variable.isEmpty { return String(variable.map { $0 == "/" ? "_" : $0 }) }
    }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// Returns the service with a name, ignoring case.
  func map(_ name: String) -> MapService? {
    maps.first { $0.name == name } ?? maps.first { $0.name.lowercased() == name.lowercased() }
  }

  func network(_ name: String) -> NetworkService? {
    networks.first { $0.name == name }
      ?? networks.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Returns a map's raster layer by the name of its image service, `{stem}_{layerId}`.
  func image(_ name: String) -> ImageService? {
    for map in maps {
      let prefix = map.name.lowercased() + "_"
      guard name.lowercased().hasPrefix(prefix),
        let number = Int(name.dropFirst(prefix.count)), let image = map.image(number)
      else { continue }
      return image
    }
    return nil
  }

  /// The names and types of the services, in listing order.
  var listing: [(name: String, type: String)] {
    var list: [(String, String)] = []
    for map in maps {
      list += [(map.name, "MapServer"), (map.name, "FeatureServer")]
      list += map.images.map { ($0.name, "ImageServer") }
    }
    for network in networks {
      list += [(network.name, "FeatureServer"), (network.name, "UtilityNetworkServer")]
    }
    return list
  }
}
