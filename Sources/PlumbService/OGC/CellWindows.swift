import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the part of a grid that contains the cells of a shape.
struct CellWindows {
  private let placement: GridPlacement
  private let grid: TileGrid
  private let reference: SpatialReference

  init(_ placement: GridPlacement, _ grid: TileGrid, _ reference: SpatialReference) {
    (self.placement, self.grid, self.reference) = (placement, grid, reference)
  }

  /// Returns disjoint windows that cover all cells of a shape. The result is the whole grid if the
  /// shape is nil or cannot be projected to the grid's CRS.
  func round(_ shape: Geometry?) throws -> [CellWindow] {
    let full = CellWindow(column: 0, row: 0, width: grid.width, height: grid.height)
    guard var shape else { return [full] }
    let box = shape.envelope
    let longest = max(box.xMax - box.xMin, box.yMax - box.yMin) / 64
    if longest > 0, longest.isFinite {
      shape = try GeometryEngine.densify(shape, maxSegmentLength: longest)
    }
    guard let copies = try? PeriodicShapes.copies(of: shape, in: reference) else { return [full] }
    var windows: [CellWindow] = []
    for copy in copies {
      guard case .polygon(let area) = copy else { continue }
      for ring in area.rings {
        guard let window = window(round: area.vertices.xy[ring]) else { continue }
        windows.append(window)
      }
    }
    return Self.merged(windows)
  }

  /// Returns the window around a ring; nil if no cell is near the ring. The window is the whole
  /// grid if a vertex cannot be located in the grid.
  private func window(round ring: ArraySlice<SIMD2<Double>>) -> CellWindow? {
    var (low, high) = (
      SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity)
    )
    for vertex in ring {
      let position = placement.gridPosition(x: vertex.x, y: vertex.y)
      guard position.column.isFinite, position.row.isFinite else {
        return CellWindow(column: 0, row: 0, width: grid.width, height: grid.height)
      }
      low = pointwiseMin(low, SIMD2(position.column, position.row))
      high = pointwiseMax(high, SIMD2(position.column, position.row))
    }
    // The margin is needed because edges may be curved between the densified vertices.
    let margin = (high - low) * 0.02 + 1
    let size = SIMD2(Double(grid.width), Double(grid.height))
    low = pointwiseMax(low - margin, SIMD2(0, 0)).rounded(.down)
    high = pointwiseMin(high + margin, size).rounded(.up)
    guard low.x < high.x, low.y < high.y else { return nil }
    return CellWindow(
      column: Int(low.x), row: Int(low.y), width: Int(high.x - low.x), height: Int(high.y - low.y))
  }

  private static func merged(_ windows: [CellWindow]) -> [CellWindow] {
    // Merging compares every pair of windows, so a large number of windows is replaced by one
    // window.
    if windows.count > 256, let first = windows.first { return [windows.reduce(first, joined)] }
    var result: [CellWindow] = []
    for window in windows {
      var window = window
      while let index = result.firstIndex(where: { overlap($0, window) }) {
        window = joined(window, result.remove(at: index))
      }
      result.append(window)
    }
    return result
  }

  private static func overlap(_ a: CellWindow, _ b: CellWindow) -> Bool {
    a.column < b.column + b.width && b.column < a.column + a.width && a.row < b.row + b.height
      && b.row < a.row + a.height
  }

  private static func joined(_ a: CellWindow, _ b: CellWindow) -> CellWindow {
    let (column, row) = (min(a.column, b.column), min(a.row, b.row))
    return CellWindow(
      column: column, row: row,
      width: max(a.column + a.width, b.column + b.width) - column,
      height: max(a.row + a.height, b.row + b.height) - row)
  }
}
