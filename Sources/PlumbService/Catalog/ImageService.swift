import Plumb
import PlumbIO
import Synchronization

/// A raster layer of a map as a service of its own.
final class ImageService: Sendable {
  let name: String
  let layer: ServiceLayer
  let settings: ServiceSettings
  let cache: TileCache
  private let map: Map
  /// Reading it anew takes a while.
  private let known = Mutex<SpatialReference?>(nil)
  private let identifiers = Mutex<[(reference: SpatialReference, identifier: RasterIdentifier)]>([])

  init(
    name: String, layer: ServiceLayer, map: Map, _ settings: ServiceSettings, _ cache: TileCache
  ) {
    (self.name, self.layer, self.map) = (name, layer, map)
    (self.settings, self.cache) = (settings, cache)
  }

  /// - Throws: why it does not open.
  func raster() throws -> Raster {
    try map.asking {
      try layer.layer.load()
      guard case .raster(let own) = layer.layer.typed, let raster = own.raster else {
        throw ServiceError("the layer has no raster", status: 500)
      }
      return raster
    }
  }

  /// What its coordinates are in.
  func reference() throws -> SpatialReference {
    if let known = known.withLock({ $0 }) { return known }
    let made = try raster().references.first?.map { try SpatialReference($0) } ?? .wgs84
    known.withLock { $0 = made }
    return made
  }

  /// Round all of its files; nil where they lie in no plane.
  func extent() throws -> Envelope? {
    let layer = RasterLayer(LayerProperties(id: "raster"), raster: try raster())
    return DrawnView.extent(of: Map(layers: [layer]), in: try reference())
  }

  /// What asks it at points of a reference.
  func identifier(_ reference: SpatialReference) throws -> RasterIdentifier {
    if let known = identifiers.withLock({ $0.first { $0.reference == reference } }) {
      return known.identifier
    }
    let made = try RasterIdentifier(
      [RasterSampler.Request(try raster())], reference: reference, cache: cache,
      workers: settings.workers)
    return identifiers.withLock { list in
      if let other = list.first(where: { $0.reference == reference }) { return other.identifier }
      if list.count >= 8 { list.removeFirst() }
      list.append((reference, made))
      return made
    }
  }

  /// What it holds at points of a reference.
  ///
  /// - Throws: where cells could not be read, which is not the same as that they have no value.
  func values(
    at points: [SIMD2<Double>], _ reference: SpatialReference, keepsCells: Bool = false
  ) throws -> RasterAnswer {
    let sampler = try identifier(reference)
    let answer = sampler.sample(
      x: points.map(\.x), y: points.map(\.y), keepsProvenance: keepsCells)[0]
    try WorkCancellation.checkCurrent()
    // Another request may have taken the reasons of this one.
    let reason = sampler.sampler.takeFailures().messages.first
    let count = answer.unreadRows(of: points.count)
    guard count > 0 else { return answer }
    throw ServiceError(
      reason?.text(ServiceWords.names)
        ?? "\(count) of \(points.count) points could not be read", status: 500, kind: .readError)
  }

  /// The width and height of a cell of its first file, in its units.
  func cellSize() throws -> (x: Double, y: Double) {
    guard let profile = try raster().members.first?.profile,
      let grid = profile.mapping.placement
    else { return (0, 0) }
    let (a, b, c) = (
      grid.coordinates(column: 0, row: 0), grid.coordinates(column: 1, row: 0),
      grid.coordinates(column: 0, row: 1)
    )
    func length(_ p: (x: Double, y: Double), _ q: (x: Double, y: Double)) -> Double {
      let (dx, dy) = (p.x - q.x, p.y - q.y)
      return (dx * dx + dy * dy).squareRoot()
    }
    return (length(b, a), length(c, a))
  }
}
