import PlumbCore
import PlumbGeometry
import PlumbRaster

/// The rasters of a run, and the grids that several rasters may share.
struct ZonalRasters {
  /// A raster, with the index of the grid on which its areas are placed.
  struct Source {
    var raster: Raster
    /// The name of the raster in the output.
    var name: String
    /// The date of the raster, if it has one.
    var dated: DatedName?
    var bands: [Int]
    /// The number of bands of all previous rasters.
    var firstBand: Int
    var sampler: ZonalSampler
    /// The index of the grid in `grids`.
    var grid: Int
  }

  /// A grid that several rasters may share.
  struct Grid {
    var placement: AreaPlacement
    var cells: ZonalGrid
    /// The raster's CRS; nil if unknown.
    var reference: SpatialReference?
    /// The sizes of the cells on the ground; nil if they are not needed.
    var sizes: CellAreas?
    var weights: (any CellWeights)?
    fileprivate var rasterWeights: RasterWeights?
    var discs: ZonalDiscs?
  }

  private(set) var sources: [Source] = []
  private(set) var grids: [Grid] = []
  /// The bands whose cells are evaluated, raster by raster.
  private(set) var outputBands: [ZonalBand] = []
  private let options: ZonalOptions
  private let keepsFilesOpen: Bool

  /// The number of rasters whose files are kept open between slices of areas.
  private static let openLimit = 8

  /// - Parameter reference: the CRS of the areas; nil if unknown.
  /// - Throws: the first error found.
  init(
    _ rasters: [Raster], _ options: ZonalOptions, _ reference: SpatialReference?
  ) throws {
    self.options = options
    keepsFilesOpen = rasters.count <= Self.openLimit
    for raster in rasters { try add(raster, reference) }
  }

  private mutating func add(_ raster: Raster, _ reference: SpatialReference?) throws {
    let sampler = try ZonalSampler(
      raster, cache: options.cache, workers: options.workers, keepsFilesOpen: keepsFilesOpen)
    let cells = sampler.cells
    let bands = options.bands ?? Array(raster.bands.indices)
    for band in bands where !raster.bands.indices.contains(band) {
      throw PlumbError(
        "\(raster.name.printable) has no band \(band + 1); it has 1 to \(raster.bands.count)",
        code: .badOption)
    }
    guard !bands.contains(where: { raster.bands[$0].pixelType.isComplex }) else {
      throw PlumbError(
        "\(raster.name.printable) has complex values, which have no statistics",
        code: .unsupported)
    }
    let target = try cells.reference.map { try SpatialReference($0) }
    guard (target == nil) == (reference == nil) else {
      throw PlumbError(
        "\(target == nil ? raster.name.printable : "the input of areas") has no CRS, so the areas "
          + "cannot be placed on the raster", code: .noReference,
        remedies: target == nil ? [] : ["set the CRS of the areas with \(.crs)"])
    }
    let known = grids.firstIndex { $0.cells == cells }
    if known == nil { grids.append(try grid(raster, cells, reference, target)) }
    let source = Source(
      raster: raster,
      name: sources.count < options.names.count ? options.names[sources.count] : raster.name,
      dated: sources.count < options.dates.count ? options.dates[sources.count] : nil,
      bands: bands, firstBand: outputBands.count, sampler: sampler, grid: known ?? grids.count - 1)
    sources.append(source)
    outputBands += bands.map { outputBand(of: source, at: $0) }
  }

  private func outputBand(of source: Source, at index: Int) -> ZonalBand {
    let band = source.raster.bands[index]
    let grid = grids[source.grid]
    let isScaled = options.isScaled && band.isScaled
    return ZonalBand(
      raster: source.name, dated: source.dated, number: index + 1,
      isOneOfSeveral: source.raster.bands.count > 1,
      type: isScaled ? nil : band.pixelType, scale: isScaled ? band.scale : 1,
      offset: isScaled ? band.offset : 0, classes: band.classes,
      transform: grid.cells.transform, hasSizes: grid.sizes != nil)
  }

  private func grid(
    _ raster: Raster, _ cells: ZonalGrid, _ reference: SpatialReference?,
    _ target: SpatialReference?
  ) throws -> Grid {
    // Discs are computed in the CRS of the raster.
    let source = options.radius == nil ? reference : target
    var grid = Grid(
      placement: try AreaPlacement(cells, from: source, to: target, workers: options.workers),
      cells: cells, reference: target)
    if needsSizes {
      if let target, target.isGeoreferenced {
        grid.sizes = try CellAreas(
          cells.transform, target, workers: options.workers.count)
      } else if options.form == .wide || options.form == .long {
        throw PlumbError(
          "\(raster.name.printable) has no CRS, so the sizes of its cells are unknown",
          code: .noReference)
      }
    }
    switch options.weights {
    case .area: grid.weights = grid.sizes
    case .raster(let weights):
      grid.rasterWeights = try RasterWeights(
        weights, for: cells, target, cache: options.cache, workers: options.workers)
      grid.weights = grid.rasterWeights
    case nil: break
    }
    if let radius = options.radius {
      guard let reference, let target else {
        throw PlumbError(
          messageTemplate:
            "\(.radius): \(raster.name.printable) has no CRS, so lengths on the ground are unknown",
          code: .noReference)
      }
      grid.discs = try ZonalDiscs(
        radius, from: reference, to: target, cells.transform, cells.grid, options.workers)
    }
    return grid
  }

  /// Warnings about transformations of the areas and of the cells with weights that may be less accurate
  /// than the CRSs allow, one line each.
  ///
  /// - Parameter reference: the CRS of the areas; nil if unknown.
  func transformationWarnings(from reference: SpatialReference?) -> [String] {
    var lines: [String] = []
    for grid in grids {
      guard let reference, let target = grid.reference, target.isGeoreferenced else { continue }
      let (cells, size) = (grid.cells.transform, grid.cells.grid)
      let corners = [(0, 0), (size.width, 0), (0, size.height), (size.width, size.height)].map {
        let corner = cells.coordinates(column: Double($0.0), row: Double($0.1))
        return SIMD2(corner.x, corner.y)
      }
      for line in [
        Transformation.warning(from: reference, to: target, around: corners, in: target),
        grid.rasterWeights?.reference.flatMap {
          Transformation.warning(from: target, to: $0, around: corners, in: target)
        },
      ] {
        if let line, !lines.contains(line) { lines.append(line) }
      }
    }
    return lines
  }

  /// Whether the sizes of cells on the ground are needed.
  private var needsSizes: Bool {
    if case .area = options.weights { return true }
    return options.statistics.contains(.area) || options.form == .classes
      || options.form == .wideClasses
  }

  /// Returns whether all tiles of all rasters fit into a cache.
  func fit(in cache: TileCache) -> Bool {
    let bytes = sources.reduce(0.0) { sum, source in
      let grid = source.sampler.cells.grid
      let cell = source.bands.reduce(0) { $0 + source.raster.bands[$1].pixelType.byteCount }
      return sum + Double(grid.width) * Double(grid.height) * Double(cell)
    }
    return bytes <= Double(cache.capacity) / 2
  }

  /// The size in bytes of the values of an area, without lists and classes.
  var valueBytes: Int {
    let width = options.statistics.reduce(1) { $0 + $1.columnCount }
    return max(1, outputBands.count * ZonalValues.byteCount(width: width))
  }

  /// The paths of the rasters and the weights.
  var files: [String] {
    var rasters = sources.map(\.raster)
    if case .raster(let weights) = options.weights { rasters.append(weights) }
    return rasters.flatMap { $0.members.flatMap(\.files) }
  }

  /// Returns and clears the failures to read tiles since the last call.
  func removeFailures() -> [ReadFailures] {
    sources.map { $0.sampler.removeFailures() }
      + grids.flatMap { $0.rasterWeights?.removeFailures() ?? [] }
  }
}
