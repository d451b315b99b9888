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

  /// The objects with which one worker computes areas.
  private final class Worker {
    let ground: GroundArea
    let planes = CellPlaneCache()

    init(_ ground: GroundArea) { self.ground = ground }
  }

  private struct InterpolatedPlanes {
    var planes: [CellWindow: InterpolatedPlane] = [:]
    /// The factors for a row or column of cells, by the number of cells.
    var factors: [Int: CellPlane.ColumnFactors] = [:]
    /// The total number of rows and columns of all planes.
    var lineCount = 0

    mutating func factors(_ interpolation: CellInterpolation) -> CellPlane.ColumnFactors {
      if let known = factors[interpolation.count] { return known }
      let made = CellPlane.ColumnFactors(interpolation.factors)
      factors[interpolation.count] = made
      return made
    }
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
  /// The total number of rows and columns above which all kept interpolated planes are discarded.
  /// Each row or column needs at most 192 bytes.
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
    // For a tile with few rows or columns, the factors need more memory than the areas.
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
      let plane = Interpolation(0..<window.width, 0..<window.height, area).map { found in
        let (across, down) = interpolated.withLock { state in
          (state.factors(found.across), state.factors(found.down))
        }
        return CellPlane(rows: down.factors.map(found.rowFactors), columns: across)
      }
      known = .some(plane)
      return plane
    }
  }

  /// The interpolation of the areas of a rectangle of cells.
  private struct Interpolation {
    let across: CellInterpolation
    let down: CellInterpolation
    /// The computed areas of each row with nodes.
    private let nodes: [SIMD8<Double>]

    /// - Returns: nil if the rectangle is small or very long, or the interpolated areas are not accurate.
    init?(_ columns: Range<Int>, _ rows: Range<Int>, _ area: (Int, Int) -> Double) {
      let side = max(columns.count, rows.count)
      guard side > CellAreas.leastCount, side <= CellAreas.greatestCount else { return nil }
      let across = CellInterpolation(columns.count, nodeCount: CellAreas.nodeCount)
      let down = CellInterpolation(rows.count, nodeCount: CellAreas.nodeCount)
      nodes = down.nodes.map { row in
        var areas = SIMD8<Double>.zero
        for (index, column) in across.nodes.enumerated() {
          areas[index] = area(columns.lowerBound + column, rows.lowerBound + row)
        }
        return areas
      }
      (self.across, self.down) = (across, down)
      // Compares cells between the nodes.
      for row in down.probes {
        let factors = rowFactors(down.factors(of: row))
        for column in across.probes {
          let computed = area(columns.lowerBound + column, rows.lowerBound + row)
          let found = (across.factors(of: column) * factors).sum()
          let allowed =
            CellAreas.tolerance * computed + CellAreas.resolution * computed.squareRoot()
          guard (found - computed).magnitude <= allowed else { return nil }
        }
      }
    }

    /// Combines the areas of the nodes for one row. The area of a cell in this row is the dot product of
    /// the result and the factors of the cell's column.
    func rowFactors(_ factors: SIMD8<Double>) -> SIMD8<Double> {
      var sum = SIMD8<Double>.zero
      for (index, areas) in nodes.enumerated() { sum += factors[index] * areas }
      return sum
    }
  }

  private struct Block {
    var values: [Double]
    let width: Int
  }

  /// The number of rows and columns up to which all areas are computed.
  private static let leastCount = 2 * nodeCount
  /// The number of rows or columns above which a rectangle is divided.
  private static let greatestCount = 1 << 20

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
    let across = interpolation.across.factors
    for (row, rowFactors) in zip(rows, interpolation.down.factors) {
      let factors = interpolation.rowFactors(rowFactors)
      for (column, columnFactors) in zip(columns, across) {
        block.values[row * block.width + column] = (columnFactors * factors).sum()
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

/// The polynomial interpolation of values along a row or column of cells. The values are known at up
/// to eight of the cells, the nodes.
private struct CellInterpolation {
  /// The number of cells.
  let count: Int
  /// The cells whose values are known.
  let nodes: [Int]
  /// The cells between nodes at which interpolated and computed values are compared.
  let probes: [Int]

  init(_ count: Int, nodeCount: Int) {
    self.count = count
    let nodeCount = min(nodeCount, count)
    let nodes = (0..<nodeCount).map { $0 * (count - 1) / max(1, nodeCount - 1) }
    self.nodes = nodes
    let between = zip(nodes, nodes.dropFirst()).map { ($0 + $1) / 2 }
    probes = between.isEmpty ? nodes : [between[0], between[between.count - 1]]
  }

  /// For each cell, the factors by which the values at the nodes are multiplied.
  var factors: [SIMD8<Double>] { (0..<count).map(factors(of:)) }

  /// The factors by which the values at the nodes are multiplied for a cell, followed by zeros.
  func factors(of cell: Int) -> SIMD8<Double> {
    var factors = SIMD8<Double>.zero
    for (index, node) in nodes.enumerated() {
      var product = 1.0
      for other in nodes where other != node {
        product *= Double(cell - other) / Double(node - other)
      }
      factors[index] = product
    }
    return factors
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
