import PlumbCore
import PlumbGeometry
import PlumbRaster
import Synchronization

/// The areas of a grid's cells on the ellipsoid, in m².
///
/// On a grid in degrees, the area of a cell is exact, and all cells of a row have the same area. On
/// other grids, the areas of a tile's cells are interpolated from a few cells. The edges of these
/// cells are divided until the area no longer changes. If the relative difference between
/// interpolated and computed areas exceeds 1e-10, the tile is divided into parts that are
/// interpolated separately.
final class CellAreas: CellWeights {
  private let transform: GridTransform
  private let workers: WorkerStates<Worker>
  /// The interpolated planes of all workers.
  private let interpolated = Mutex(InterpolatedPlanes())

  /// The objects of one worker.
  private final class Worker {
    let ground: GroundArea
    let planes = CellPlaneCache()

    init(_ ground: GroundArea) { self.ground = ground }
  }

  private struct InterpolatedPlanes {
    var planes: [CellWindow: InterpolatedPlane] = [:]
    /// The sum of the rows and columns of all planes.
    var lineCount = 0
  }

  /// The plane of a tile, which the first worker that needs it creates while others wait.
  private final class InterpolatedPlane: Sendable {
    /// The plane; nil in the inner optional if interpolation is not accurate in the tile.
    let plane = Mutex<CellPlane??>(nil)
  }

  /// The allowed relative difference between interpolated and computed areas.
  private static let tolerance = 1e-10
  /// The difference in m² that is caused by the limited accuracy of transformed points, for a cell
  /// with a side of 1 m.
  private static let resolution = 8e-9
  /// The number of cells per row and column from which areas are interpolated.
  private static let nodeCount = 5
  /// The number of rows and columns of all interpolated planes that are kept, of 64 bytes each.
  private static let lineLimit = 1 << 18

  /// - Throws: if the CRS is not on the Earth's surface.
  init(
    _ transform: GridTransform, _ reference: SpatialReference, workers: Int
  ) throws(GeometryError) {
    self.transform = transform
    self.workers = try WorkerStates(count: workers) { () throws(GeometryError) in
      Worker(try GroundArea(reference))
    }
  }

  /// - Throws: if the cells of a tile take too much memory.
  static func check(_ window: CellWindow) throws(RasterError) {
    guard window.width * window.height <= 1 << 24 else {
      throw RasterError(
        "the tiles have \(window.width) × \(window.height) cells, too many for sizes or weights: "
          + "convert the raster to smaller tiles", code: .limit)
    }
  }

  func weights(_ window: CellWindow, worker: Int) throws(RasterError) -> CellPlane {
    let state = workers[worker]
    return try state.planes.plane(window) { () throws(RasterError) in
      try plane(window, state.ground)
    }
  }

  private func plane(
    _ window: CellWindow, _ ground: GroundArea
  ) throws(RasterError) -> CellPlane {
    if ground.isGeographic, transform.isSeparable {
      return CellPlane(
        rows: (window.row..<window.row + window.height).map { row in
          ground.band(
            from: transform.coordinates(column: 0, row: Double(row)).y,
            to: transform.coordinates(column: 0, row: Double(row + 1)).y,
            width: transform.columnX)
        })
    }
    let (columns, rows) = (0..<window.width, 0..<window.height)
    let area = { (column: Int, row: Int) in
      ground.area(self.transform.corners(column: window.column + column, row: window.row + row))
    }
    if let plane = interpolatedPlane(window, area) { return plane }
    try Self.check(window)
    var block = Block(
      values: [Double](repeating: .nan, count: window.width * window.height),
      width: window.width)
    fill(columns, rows, &block, area)
    return CellPlane(block.values, width: window.width)
  }

  /// Returns a plane of interpolated areas; nil if interpolation is not accurate in the whole tile.
  private func interpolatedPlane(
    _ window: CellWindow, _ area: (_ column: Int, _ row: Int) -> Double
  ) -> CellPlane? {
    // The factors of a tile with few rows or columns need more memory than its numbers.
    guard window.width * window.height > 8 * (window.width + window.height) else { return nil }
    let shared = interpolated.withLock { state in
      if let known = state.planes[window] { return known }
      if state.lineCount > Self.lineLimit { state = InterpolatedPlanes() }
      let plane = InterpolatedPlane()
      state.planes[window] = plane
      state.lineCount += window.width + window.height
      return plane
    }
    return shared.plane.withLock { known in
      if let known { return known }
      let plane = Interpolation(0..<window.width, 0..<window.height, area)?.plane
      known = .some(plane)
      return plane
    }
  }

  /// The interpolation of the areas of a rectangle of cells.
  private struct Interpolation {
    private let across: CellInterpolation
    private let down: CellInterpolation
    private let rows: Range<Int>
    /// The computed areas, by row.
    private let nodes: [[Double]]

    /// - Returns: nil if the rectangle is small, or the interpolated areas are not accurate.
    init?(_ columns: Range<Int>, _ rows: Range<Int>, _ area: (Int, Int) -> Double) {
      guard max(columns.count, rows.count) > CellAreas.leastCount else { return nil }
      self.rows = rows
      let across = CellInterpolation(columns, nodeCount: CellAreas.nodeCount)
      let down = CellInterpolation(rows, nodeCount: CellAreas.nodeCount)
      let nodes = down.nodes.map { row in across.nodes.map { area($0, row) } }
      (self.across, self.down, self.nodes) = (across, down, nodes)
      // Compares cells between the nodes.
      let isAccurate = down.probes.allSatisfy { row in
        across.probes.allSatisfy { column in
          let computed = area(column, row)
          let found = down.value(at: row, nodes.map { across.value(at: column, $0) })
          let allowed =
            CellAreas.tolerance * computed + CellAreas.resolution * computed.squareRoot()
          return (found - computed).magnitude <= allowed
        }
      }
      guard isAccurate else { return nil }
    }

    /// The areas of the row's cells at the nodes.
    func factors(row: Int) -> [Double] {
      across.nodes.indices.map { index in down.value(at: row, nodes.map { $0[index] }) }
    }

    func area(column: Int, factors: [Double]) -> Double { across.value(at: column, factors) }

    var plane: CellPlane {
      CellPlane(
        rows: rows.map { SIMD8(padding: factors(row: $0)[...]) },
        columns: across.cells.map { SIMD8(padding: across.factors(of: $0)) })
    }
  }

  private struct Block {
    var values: [Double]
    let width: Int
  }

  /// The number of rows and columns up to which all areas are computed.
  private static let leastCount = 2 * nodeCount

  /// Fills a rectangle of cells, by interpolation if it is accurate.
  private func fill(
    _ columns: Range<Int>, _ rows: Range<Int>, _ block: inout Block,
    _ area: (_ column: Int, _ row: Int) -> Double
  ) {
    // Cancelled work has no results.
    if WorkCancellation.isCurrentCancelled { return }
    guard max(columns.count, rows.count) > Self.leastCount else {
      for row in rows {
        for column in columns { block.values[row * block.width + column] = area(column, row) }
      }
      return
    }
    guard let interpolation = Interpolation(columns, rows, area) else {
      return fillParts(columns, rows, &block, area)
    }
    for row in rows {
      let factors = interpolation.factors(row: row)
      for column in columns {
        block.values[row * block.width + column] = interpolation.area(
          column: column, factors: factors)
      }
    }
  }

  private func fillParts(
    _ columns: Range<Int>, _ rows: Range<Int>, _ block: inout Block,
    _ area: (_ column: Int, _ row: Int) -> Double
  ) {
    for part in columns.halves {
      for other in rows.halves { fill(part, other, &block, area) }
    }
  }
}

/// The polynomial interpolation of the numbers of a row of cells from the numbers of some of the
/// cells.
private struct CellInterpolation {
  /// The cells whose numbers are known.
  let nodes: [Int]
  /// The cells between nodes at which the interpolation is compared with computed numbers.
  let probes: [Int]
  let cells: Range<Int>
  /// The factors of the numbers of the nodes, for each cell.
  private let factors: [Double]

  init(_ cells: Range<Int>, nodeCount: Int) {
    let count = min(nodeCount, cells.count)
    let nodes = (0..<count).map { cells.lowerBound + $0 * (cells.count - 1) / max(1, count - 1) }
    self.nodes = nodes
    let between = zip(nodes, nodes.dropFirst()).map { ($0 + $1) / 2 }
    probes = between.isEmpty ? nodes : [between[0], between[between.count - 1]]
    self.cells = cells
    factors = cells.flatMap { cell in
      nodes.map { node in
        nodes.reduce(1.0) { product, other in
          other == node ? product : product * Double(cell - other) / Double(node - other)
        }
      }
    }
  }

  func value(at cell: Int, _ numbers: [Double]) -> Double {
    zip(factors(of: cell), numbers).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// The factors of the numbers of the nodes for a cell.
  func factors(of cell: Int) -> ArraySlice<Double> {
    factors[(cell - cells.lowerBound) * nodes.count..<(cell - cells.lowerBound + 1) * nodes.count]
  }
}

extension SIMD8<Double> {
  /// Creates a vector from up to eight numbers, followed by zeros.
  fileprivate init(padding numbers: ArraySlice<Double>) {
    self = .zero
    for (index, number) in numbers.enumerated() { self[index] = number }
  }
}

extension Range<Int> {
  /// The first and the second half. A range of up to ten numbers is not divided.
  fileprivate var halves: [Range<Int>] {
    guard count > 10 else { return [self] }
    let middle = lowerBound + count / 2
    return [lowerBound..<middle, middle..<upperBound]
  }
}
