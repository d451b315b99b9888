import Plumb

/// All services of the documents that were opened.
package final class ServiceCatalog: Sendable {
  /// Maps, in the order in which they were named.
  let maps: [MapService]
  /// Networks, likewise.
  let networks: [NetworkService]
  let settings: ServiceSettings
  private let cache: TileCache
  /// The paths that the documents were opened by.
  private let paths: (maps: [String], networks: [NetworkChoice])
  /// What was read but may not be meant, one line each.
  package let warnings: [String]

  /// Opens documents.
  ///
  /// - Parameters:
  ///   - maps: paths of map documents, or what else opens as a map: rasters and files of features.
  ///   - networks: paths of networks, each maybe with its valves and its reference, as `NetworkChoice`
  ///     reads them.
  /// - Throws: what does not open, and two documents of one stem.
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

  /// Removes the tiles that are kept.
  func emptyCache() { cache.empty() }

  private init(
    _ former: ServiceCatalog, maps: [MapService], networks: [NetworkService]? = nil
  ) {
    (self.maps, settings, paths) = (maps, former.settings, former.paths)
    self.networks = networks ?? former.networks
    cache = former.cache
    warnings = self.networks.flatMap(\.opened.warnings) + maps.flatMap(\.warnings)
  }

  /// The same services, those maps opened anew whose layers' services are there by now and were not before;
  /// nil where there is none. A map that does not open any more, or has a layer less, stays as it is.
  ///
  /// - Parameter lines: gets what is wrong with the new maps, and why others do not open.
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
          lines.append("\(map.name.printable) cannot be opened again and stays as it is: \(fault)")
        }
        return map
      }
    }
    return isRenewed ? ServiceCatalog(self, maps: maps) : nil
  }

  /// The same documents read anew. One that does not open stays as it was, and so does a map of which a
  /// layer does not answer that did before.
  ///
  /// - Returns: the services, how many stay as they were, and what is said of all, a line each.
  func reread() -> (catalog: ServiceCatalog, kept: Int, lines: [String]) {
    var (kept, lines): (Int, [String]) = (0, [])
    func keep(_ name: String, _ reason: String) {
      kept += 1
      lines.append("\(name.printable) stays as it was: \(reason)")
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

  /// Reads what the first requests would wait for: features, and how far layers reach.
  ///
  /// - Returns: what could not be read, or was read but may not be meant, one line each. A layer that
  ///   did not open is not among them.
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
    return lines
  }

  /// A path's last part without its ending.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The service of a name, whatever the letters' case.
  func map(_ name: String) -> MapService? {
    maps.first { $0.name == name } ?? maps.first { $0.name.lowercased() == name.lowercased() }
  }

  func network(_ name: String) -> NetworkService? {
    networks.first { $0.name == name }
      ?? networks.first { $0.name.lowercased() == name.lowercased() }
  }

  /// A map's raster layer by the name of its image service, `{stem}_{layerId}`.
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

  /// The services' names and types, in a listing's order.
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
