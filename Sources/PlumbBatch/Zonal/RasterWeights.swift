import PlumbCore
import PlumbGeometry
import PlumbRaster
import Synchronization

/// The weights of a grid's cells, from another raster. If the cells of that raster are finer, the
/// weight of a cell is the mean of the finer cells under it. Otherwise, the weight is the value of
/// the cell of that raster that contains the centre of the grid's cell.
final class RasterWeights: CellWeights {
  /// The CRS of the raster of the weights; nil if unknown.
  let reference: SpatialReference?
  private let transform: GridTransform
  /// One sampler for each worker. Each sampler reads on its worker's thread.
  private let samplers: [ZonalSampler]
  private let placement: AreaPlacement
  private let grid: TileGrid
  private let weightTransform: GridTransform
  private let isFiner: Bool
  private let toWeights: WorkerStates<Transformation>?
  private let planes: WorkerStates<CellPlaneCache>

  /// - Parameters:
  ///   - raster: the raster of the weights, with one band.
  ///   - cells: the grid of the cells that receive weights.
  ///   - reference: the CRS of the grid; nil if unknown.
  /// - Throws: if the raster has several bands, or if the CRSs of the raster and the grid are
  ///   incompatible.
  init(
    _ raster: Raster, for cells: ZonalGrid, _ reference: SpatialReference?, cache: TileCache,
    workers: Workers
  ) throws {
    guard raster.bands.count == 1, !raster.bands[0].pixelType.isComplex else {
      throw PlumbError(
        messageTemplate:
          "\(.weights): \(raster.name.printable) has \(raster.bands.count) bands, not one band of numbers",
        code: .badOption)
    }
    transform = cells.transform
    samplers = try (0..<workers.count).map { _ in
      try ZonalSampler(raster, cache: cache, workers: Workers(count: 1))
    }
    let weights = samplers[0].cells
    let target = try weights.reference.map { try SpatialReference($0) }
    guard (target == nil) == (reference == nil) else {
      throw PlumbError(
        messageTemplate: "\(.weights): one of the rasters has a CRS, and the other has none",
        code: .noReference)
    }
    self.reference = target
    (weightTransform, grid) = (weights.transform, weights.grid)
    placement = try AreaPlacement(weights, from: reference, to: target, workers: workers)
    if let reference, let target, !reference.isEquivalent(to: target) {
      toWeights = try WorkerStates(count: workers.count) { () throws(GeometryError) in
        try Transformation(from: reference, to: target)
      }
    } else {
      toWeights = nil
    }
    planes = WorkerStates(count: workers.count) { CellPlaneCache() }
    isFiner = try Self.isFiner(
      weights.grid, weights.transform, target, than: cells.transform, cells.grid, reference)
  }

  /// Returns whether the cells of a raster are smaller than the cells of another raster, compared
  /// at the middle of the other raster.
  private static func isFiner(
    _ grid: TileGrid, _ transform: GridTransform, _ reference: SpatialReference?,
    than other: GridTransform, _ otherGrid: TileGrid, _ otherReference: SpatialReference?
  ) throws -> Bool {
    let cell = other.corners(column: otherGrid.width / 2, row: otherGrid.height / 2)
    guard let reference, let otherReference, !reference.isEquivalent(to: otherReference) else {
      return abs(transform.determinant) < abs(other.determinant) * (1 - 1e-9)
    }
    // The cell of this raster that is nearest to the middle of the other raster.
    var (x, y) = ([cell[0].x], [cell[0].y])
    try Transformation(from: otherReference, to: reference).apply(x: &x, y: &y, count: 1)
    let (column, row) = transform.gridPosition(x: x[0], y: y[0])
    func index(_ position: Double, _ count: Int) -> Int {
      position.isFinite ? Int(min(Double(count - 1), max(0, position))) : 0
    }
    let near = transform.corners(
      column: index(column, grid.width), row: index(row, grid.height))
    let size = try GroundArea(reference).area(near)
    return size < (try GroundArea(otherReference).area(cell)) * (1 - 1e-9)
  }

  /// Returns and clears the failures to read weights since the last call.
  func removeFailures() -> [ReadFailures] { samplers.map { $0.removeFailures() } }

  func weights(_ window: CellWindow, worker: Int) throws(RasterError) -> CellPlane {
    try planes[worker].plane(window) { () throws(RasterError) in
      CellPlane(try values(window, worker), width: window.width)
    }
  }

  private func values(
    _ window: CellWindow, _ worker: Int
  ) throws(RasterError) -> [Double] {
    try CellAreas.check(window)
    let builder = CoverageBuilder(grid: grid, transform: weightTransform)
    if isFiner {
      for row in window.row..<window.row + window.height {
        if WorkCancellation.isCurrentCancelled { break }
        for column in window.column..<window.column + window.width {
          let cell = (try? placement.place(quadrilateral(column, row), worker: worker))
            .flatMap { try? placement.turned($0) }
          builder.add(cell ?? .empty())
        }
      }
    } else {
      for center in centers(window, worker) { builder.add(points: [center]) }
    }
    var values = [Double](repeating: .nan, count: window.width * window.height)
    let isIncomplete = Atomic(false)
    values.withUnsafeMutableBufferPointer { values in
      let target = SharedPointer(values)
      let cells = OrderedCoverage(CoverageParts(builder.store), along: samplers[worker].cells.grid)
      samplers[worker].read(cells, bands: [0], detail: ZonalSampler.Detail()) {
        cell, _, result, _ in
        if result.hasReadError { isIncomplete.store(true, ordering: .relaxed) }
        if result.moments.count > 0 { target.pointer[cell] = result.moments.mean }
      }
    }
    guard !isIncomplete.load(ordering: .relaxed) else {
      throw RasterError("weights of cells cannot be read", code: .readError)
    }
    return values
  }

  private func quadrilateral(_ column: Int, _ row: Int) -> Polygon {
    // `Polygon` closes the ring and sets its orientation.
    Polygon(VertexList(transform.corners(column: column, row: row)))
  }

  private func centers(_ window: CellWindow, _ worker: Int) -> [SIMD2<Double>] {
    var (x, y) = ([Double](), [Double]())
    for row in window.row..<window.row + window.height {
      for column in window.column..<window.column + window.width {
        let center = transform.coordinates(column: Double(column) + 0.5, row: Double(row) + 0.5)
        x.append(center.x)
        y.append(center.y)
      }
    }
    if let toWeights { toWeights[worker].apply(x: &x, y: &y, count: x.count) }
    return zip(x, y).map { placement.turned(SIMD2($0, $1)) }
  }
}
