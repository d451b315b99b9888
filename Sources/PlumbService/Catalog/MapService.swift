import Plumb
import PlumbVerbs
import Synchronization

/// A map as a service, with its layers by number and cached data for queries.
final class MapService: Sendable {
  let name: String
  let path: String
  let map: Map
  /// The layers by number.
  let layers: [ServiceLayer]
  /// The image services of the map's raster layers.
  let images: [ImageService]
  /// The CRS of the service's coordinates.
  let reference: SpatialReference
  let cache: TileCache
  let settings: ServiceSettings
  let warnings: [String]
  private let fullExtent = Mutex<Envelope??>(nil)
  private let tables = Mutex<[Int: FeatureRows]>([:])
  private let numbers: [String: Int]
  /// The layers whose services were unavailable when the map was opened, in the order in which they
  /// are tried again.
  private let lost: Mutex<[ServiceLayer]>
  /// The layer numbers and messages of the failures when the map was opened. These include the
  /// failures of `lost` layers.
  private let firstFailures: [(number: Int, message: String)]
  /// The last failure to reopen the map.
  private let fault = Mutex("")
  let opened: OpenedMap
  private let inCells = Mutex<Raster?>(nil)
  private let readFailures = Mutex<[Int: String]?>(nil)

  /// - Parameter former: the previous layer numbers by layer path. Layers keep these numbers unless a layer
  ///   with a previous number no longer exists.
  init(
    path: String, name: String, _ settings: ServiceSettings, _ cache: TileCache,
    keeping former: [String: Int] = [:]
  ) throws {
    (self.path, self.name, self.settings, self.cache) = (path, name, settings, cache)
    let open: @Sendable () throws -> Map = {
      try Map.any(
        path: path, access: settings.access, signIn: settings.signIn, workers: settings.workers)
    }
    let map = try open()
    self.map = map
    reference = (map.resolvedReference ?? .wgs84).registered
    let layers = map.withLock { ServiceLayer.all(of: map, keeping: former) }
    self.layers = layers
    images = layers.filter(\.isRaster).map {
      ImageService(name: "\(name)_\($0.number)", layer: $0, map: map, settings, cache)
    }
    numbers = Dictionary(layers.map { ($0.path, $0.number) }) { first, _ in first }
    let failures = map.withLock { Self.failures(of: layers, settings) }
    firstFailures = failures
    warnings = failures.map { number, message in
      "\(name.printable): \(layers[number].name.printable): \(message)"
    }
    lost = Mutex(map.withLock { layers.filter { $0.layer.mayRecover } })
    opened = OpenedMap(map, cache: cache, reopen: open)
  }

  /// Whether a service that was unavailable when the map was opened is available now, so that the
  /// map's layers, their numbers and the map's extent may have changed. This property sends
  /// requests to the service unless a recent result is cached.
  var isOutdated: Bool {
    let start = ContinuousClock.now
    for layer in lost.withLock({ $0 }) where ContinuousClock.now - start < Self.searchLimit {
      if map.withLock({ (try? layer.layer.load()) != nil }) { return true }
      // Moves the layer to the end of the list, so that the other layers are tried first the next
      // time. An unavailable service may take a long time to fail.
      lost.withLock { lost in
        lost.removeAll { $0 === layer }
        lost.append(layer)
      }
    }
    return false
  }

  private static let searchLimit = Duration.seconds(30)

  /// Reopens the map. Layers keep their numbers unless one of them no longer exists.
  ///
  /// - Returns: the reopened map; nil if a layer that works in this map fails in the reopened map.
  /// - Throws: if the map does not open.
  func reopened() throws -> MapService? {
    let known = Dictionary(layers.map { ($0.path, $0.number) }) { first, _ in first }
    let other = try MapService(path: path, name: name, settings, cache, keeping: known)
    let failing = Set(failures.map { layers[$0.number].path })
    return other.firstFailures.allSatisfy { number, _ in
      let path = other.layers[number].path
      return known[path] == nil || failing.contains(path)
    } ? other : nil
  }

  /// Returns the name and the error of the first layer that works in this map and fails in `other`;
  /// nil if there is none.
  func loss(in other: MapService) -> String? {
    let failing = Set(failures.map(\.number))
    for layer in layers where !failing.contains(layer.number) {
      guard let number = other.number(ofPath: layer.path) else { continue }
      let reread = other.layers[number]
      if let failure = other.failures.first(where: { $0.number == number }) {
        return "\(layer.name.printable): \(failure.message)"
      }
      if unreadable[layer.number] == nil, let failure = other.unreadable[number] {
        return "\(layer.name.printable): \(failure)"
      }
      guard layer.isFeatures, reread.isFeatures, (try? rows(of: layer)) != nil else { continue }
      do {
        _ = try other.rows(of: reread)
      } catch {
        return "\(layer.name.printable): \(ServiceError(error).message)"
      }
    }
    return nil
  }

  /// The layer numbers of rasters whose cells cannot be read, and the messages of the failures. Some
  /// tiles of each raster are read at the first use of this property; rasters at URLs are not read.
  var unreadable: [Int: String] {
    readFailures.withLock { known in
      if let known { return known }
      var found: [Int: String] = [:]
      for image in images {
        guard let raster = try? image.raster() else { continue }
        found[image.layer.number] = raster.readFailure?.text(settings.names)
      }
      known = found
      return found
    }
  }

  /// Whether a failure to reopen the map differs from the last failure and therefore should be
  /// reported.
  func isNews(_ fault: String) -> Bool {
    self.fault.withLock { known in
      defer { known = fault }
      return known != fault
    }
  }

  /// The numbers of the layers that cannot be read at the moment, and the messages of their
  /// failures.
  var failures: [(number: Int, message: String)] {
    // Without `lost` layers, all failures are permanent, so the map need not be locked.
    guard !lost.withLock({ $0.isEmpty }) else { return firstFailures }
    return map.withLock { Self.failures(of: layers, settings) }
  }

  private static func failures(
    of layers: [ServiceLayer], _ settings: ServiceSettings
  ) -> [(number: Int, message: String)] {
    layers.compactMap { layer in layer.failure(settings.names).map { (layer.number, $0) } }
  }

  /// Returns the reason why a layer cannot be read at the moment; nil if it can be read or has not
  /// been loaded yet.
  func failure(of layer: ServiceLayer) -> ServiceError? {
    map.withLock { layer.failure(settings.names) }.map {
      ServiceError($0, status: 500, kind: .loadFailed)
    }
  }

  /// Returns the number of a layer by its path.
  func number(ofPath path: String) -> Int? { numbers[path] }

  /// Returns a layer by the number in a URL.
  func layer(_ text: String) throws(ServiceError) -> ServiceLayer {
    guard let number = Int(text), layers.indices.contains(number) else {
      throw .notFound("Invalid Layer or Table ID: \(text.shown).")
    }
    return layers[number]
  }

  /// Returns the raster that was opened as a map, even if it is not georeferenced.
  ///
  /// - Throws: if the map was opened from a map document or a feature file.
  func raster() throws -> Raster {
    guard map.documents.isEmpty, map.layers.count == 1,
      case .raster(let layer) = map.layers[0].typed
    else {
      throw ServiceError(
        "cells belong to rasters, but \(name.shown) is not a raster", kind: .badOption)
    }
    return try map.withLock { try layer.open() }
  }

  /// Returns the raster of `raster()` in column and row coordinates. This raster is created at first use and
  /// then kept with its cached tiles.
  func cells() throws -> Raster {
    let raster = try raster()
    return try inCells.withLock { known in
      if let known { return known }
      let made = try raster.inCells()
      known = made
      return made
    }
  }

  func image(_ number: Int) -> ImageService? { images.first { $0.layer.number == number } }

  /// Returns the features of a layer, read at first use and cached.
  func rows(of layer: ServiceLayer) throws -> FeatureRows {
    if let known = tables.withLock({ $0[layer.number] }) { return known }
    guard case .feature(let features) = layer.layer.typed else {
      throw ServiceError("Layer \(layer.number) has no features.", kind: .badQuery)
    }
    let made = try map.withLock {
      FeatureRows(try features.loadFeatures(), geometryKind: features.table.geometryKind)
    }
    return tables.withLock { tables in
      if let other = tables[layer.number] { return other }
      tables[layer.number] = made
      return made
    }
  }

  /// Reads a layer's features and returns a warning about the features, or the reason why they
  /// cannot be read; nil if there is no warning or failure.
  func warning(of layer: ServiceLayer) -> String? {
    guard case .feature(let features) = layer.layer.typed else { return nil }
    do {
      _ = try rows(of: layer)
    } catch {
      // A failure to open the layer has already been reported.
      if case .failed = map.withLock({ features.loadStatus }) { return nil }
      return "\(layer.name.printable): \(ServiceError(error).message)"
    }
    return map.withLock { features.warning }.map { "\(layer.name.printable): \($0)" }
  }

  /// Whether a layer's features have no shapes.
  func isTable(_ layer: ServiceLayer) -> Bool {
    guard layer.isFeatures, let rows = try? rows(of: layer) else { return false }
    return rows.shape == nil && rows.count > 0
  }

  /// Returns Esri's name for the layer type.
  func typeName(_ layer: ServiceLayer) -> String {
    if layer.isGroup { return "Group Layer" }
    if layer.isRaster { return "Raster Layer" }
    if case .remote = layer.layer.typed { return "Raster Layer" }
    return isTable(layer) ? "Table" : "Feature Layer"
  }

  /// The extent of all visible layers in the service's CRS, or of all layers if no layer is
  /// visible. The extent is cached, because it is slow to compute.
  var extent: Envelope? {
    if let known = fullExtent.withLock({ $0 }) { return known }
    let found =
      DrawnView.extent(of: map, in: reference)
      ?? DrawnView.extent(of: map, in: reference, hidden: true)
    if !WorkCancellation.isCurrentCancelled { fullExtent.withLock { $0 = .some(found) } }
    return found
  }
}
