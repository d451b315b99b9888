import Plumb
import PlumbIO
import PlumbVerbs
import Synchronization

/// A raster layer of a map as a separate service.
final class ImageService: Sendable {
  let name: String
  let layer: ServiceLayer
  let settings: ServiceSettings
  let cache: TileCache
  private let map: Map
  /// The CRS, cached because reading it is slow.
  private let known = Mutex<SpatialReference?>(nil)
  private let identifiers = Mutex<[CachedIdentifier]>([])
  /// Rasters of subsets of the files.
  private let parts = Mutex<[(members: [Int], raster: Raster)]>([])

  /// A prepared identifier.
  private struct CachedIdentifier {
    var reference: SpatialReference
    var choice: ImageChoice
    var identifier: RasterIdentifier
  }

  init(
    name: String, layer: ServiceLayer, map: Map, _ settings: ServiceSettings, _ cache: TileCache
  ) {
    (self.name, self.layer, self.map) = (name, layer, map)
    (self.settings, self.cache) = (settings, cache)
  }

  /// - Throws: if the layer does not open.
  func raster() throws -> Raster {
    try map.withLock {
      try layer.layer.load()
      guard case .raster(let rasterLayer) = layer.layer.typed, let raster = rasterLayer.raster
      else {
        throw ServiceError("the layer has no raster", status: 500)
      }
      return raster
    }
  }

  /// Returns the raster with the chosen files, or an overview of this raster.
  func raster(_ choice: ImageChoice) throws -> Raster {
    var chosen = try raster()
    if let members = choice.members { chosen = try part(of: chosen, members) }
    return choice.power > 0 ? chosen.overview(atMost: Double(1 << choice.power)) : chosen
  }

  /// - Parameter members: the indices of existing files.
  private func part(of raster: Raster, _ members: [Int]) throws -> Raster {
    if let known = parts.withLock({ $0.first { $0.members == members } }) { return known.raster }
    let made = try Raster(name: raster.name, members: members.map { raster.members[$0] })
    return parts.withLock { list in
      if let other = list.first(where: { $0.members == members }) { return other.raster }
      if list.count >= 8 { list.removeFirst() }
      list.append((members, made))
      return made
    }
  }

  /// The CRS of the raster's coordinates.
  func reference() throws -> SpatialReference {
    if let known = known.withLock({ $0 }) { return known }
    let made = try raster().references.first?.map { try SpatialReference($0) } ?? .wgs84
    known.withLock { $0 = made }
    return made
  }

  /// The extent of all files; nil if it cannot be determined in the raster's CRS.
  func extent() throws -> Envelope? {
    let layer = RasterLayer(LayerProperties(id: "raster"), raster: try raster())
    return DrawnView.extent(of: Map(layers: [layer]), in: try reference())
  }

  /// Returns an identifier for points in a CRS.
  func identifier(
    _ reference: SpatialReference, _ choice: ImageChoice = ImageChoice()
  ) throws -> RasterIdentifier {
    func known(_ list: [CachedIdentifier]) -> RasterIdentifier? {
      list.first { $0.reference == reference && $0.choice == choice }?.identifier
    }
    if let known = identifiers.withLock({ known($0) }) { return known }
    let made = try RasterIdentifier(
      [RasterSampler.Request(try raster(choice), bands: choice.bands)], reference: reference,
      resampling: choice.resampling, cache: cache, workers: settings.workers)
    return identifiers.withLock { list in
      if let other = known(list) { return other }
      if list.count >= 8 { list.removeFirst() }
      list.append(CachedIdentifier(reference: reference, choice: choice, identifier: made))
      return made
    }
  }

  /// Returns the values at points in a CRS.
  ///
  /// - Throws: if cells cannot be read. Cells without a value are not an error.
  func values(
    at points: [SIMD2<Double>], _ reference: SpatialReference, keepsCells: Bool = false,
    _ choice: ImageChoice = ImageChoice()
  ) throws -> RasterAnswer {
    let sampler = try identifier(reference, choice)
    let samples = sampler.sample(
      x: points.map(\.x), y: points.map(\.y), keepsProvenance: keepsCells)[0]
    try WorkCancellation.checkCurrent()
    // Another request may already have drained the messages of this request's failures.
    let reason = sampler.sampler.drainFailures().messages.first
    let count = samples.unreadRows(of: points.count)
    guard count > 0 else { return samples }
    throw ServiceError(
      reason?.text(FrontEnd.service.spellings)
        ?? "\(count) of \(points.count) points could not be read", status: 500, kind: .readError)
  }

  /// Returns the width and height of a cell of the first file, in the units of the file's CRS.
  func cellSize(_ choice: ImageChoice = ImageChoice()) throws -> (x: Double, y: Double) {
    guard let profile = try raster(choice).members.first?.profile,
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
