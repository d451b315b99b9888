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
  private let grid: TileGrid
  private let workers: WorkerStates<Worker>

  /// The objects of one worker.
  private final class Worker {
    let ground: GroundArea
    let planes = CellPlaneCache()

    init(_ ground: GroundArea) { self.ground = ground }
  }

  /// The allowed relative difference between interpolated and computed areas.
  private static let tolerance = 1e-10
  /// The difference in m² that is caused by the limited accuracy of transformed points, for a cell
  /// with a side of 1 m.
  private static let resolution = 8e-9
  /// The number of cells per row and column from which areas are interpolated.
  private static let nodeCount = 5

  /// - Throws: if the CRS is not on the Earth's surface.
  init(
    _ transform: GridTransform, _ grid: TileGrid, _ reference: SpatialReference, workers: Int
  ) throws(GeometryError) {
    (self.transform, self.grid) = (transform, grid)
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
    try Self.check(window)
    var block = Block(
      values: [Double](repeating: .nan, count: window.width * window.height),
      width: window.width)
    fill(
      0..<window.width, 0..<window.height, &block, ground,
      origin: (window.column, window.row))
    return CellPlane(block.values, width: window.width)
  }

  private struct Block {
    var values: [Double]
    let width: Int
  }

  private func area(_ column: Int, _ row: Int, _ ground: GroundArea) -> Double {
    ground.area(transform.corners(column: column, row: row))
  }

  /// Fills a rectangle of cells, by interpolation if it is accurate.
  private func fill(
    _ columns: Range<Int>, _ rows: Range<Int>, _ block: inout Block, _ ground: GroundArea,
    origin: (column: Int, row: Int)
  ) {
    // Cancelled work has no results.
    if WorkCancellation.isCurrentCancelled { return }
    let exact = { (column: Int, row: Int) in
      self.area(origin.column + column, origin.row + row, ground)
    }
    guard max(columns.count, rows.count) > 2 * Self.nodeCount else {
      for row in rows {
        for column in columns { block.values[row * block.width + column] = exact(column, row) }
      }
      return
    }
    let across = CellInterpolation(columns, nodeCount: Self.nodeCount)
    let down = CellInterpolation(rows, nodeCount: Self.nodeCount)
    let nodes = down.nodes.map { row in across.nodes.map { exact($0, row) } }
    // Compares cells between the nodes.
    let isAccurate = down.probes.allSatisfy { row in
      across.probes.allSatisfy { column in
        let true_ = exact(column, row)
        let found = down.value(at: row, nodes.map { across.value(at: column, $0) })
        let allowed = Self.tolerance * true_ + Self.resolution * true_.squareRoot()
        return (found - true_).magnitude <= allowed
      }
    }
    guard isAccurate else {
      for part in columns.halves {
        for other in rows.halves { fill(part, other, &block, ground, origin: origin) }
      }
      return
    }
    for row in rows {
      let values = across.nodes.indices.map { index in
        down.value(at: row, nodes.map { $0[index] })
      }
      for column in columns {
        block.values[row * block.width + column] = across.value(at: column, values)
      }
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
  private let first: Int
  /// The factors of the numbers of the nodes, for each cell.
  private let factors: [Double]

  init(_ cells: Range<Int>, nodeCount: Int) {
    let count = min(nodeCount, cells.count)
    let nodes = (0..<count).map { cells.lowerBound + $0 * (cells.count - 1) / max(1, count - 1) }
    self.nodes = nodes
    let between = zip(nodes, nodes.dropFirst()).map { ($0 + $1) / 2 }
    probes = between.isEmpty ? nodes : [between[0], between[between.count - 1]]
    first = cells.lowerBound
    factors = cells.flatMap { cell in
      nodes.map { node in
        nodes.reduce(1.0) { product, other in
          other == node ? product : product * Double(cell - other) / Double(node - other)
        }
      }
    }
  }

  func value(at cell: Int, _ numbers: [Double]) -> Double {
    let start = (cell - first) * nodes.count
    var sum = 0.0
    for index in numbers.indices { sum += factors[start + index] * numbers[index] }
    return sum
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
