import PlumbCore

/// Computes the exact covered fraction of each cell of a grid, by adding up the signed areas to the right of
/// each edge, cell by cell. The time depends on the cells that edges cross, and on the rows between them.
///
/// The sums are exact for polygons whose rings do not cross or overlap; others are found by fractions below 0
/// or above 1, or by a test for crossings.
package final class CoverageBuilder {
  /// The coverage of the areas added so far.
  package var store = CoverageStore()
  private let grid: TileGrid
  private let transform: GridTransform
  private var vertices: [SIMD2<Double>] = []
  private var sums = CellSums()

  /// - Parameters:
  ///   - grid: the cells.
  ///   - transform: the placement of the cells in the coordinates of the areas.
  package init(grid: TileGrid, transform: GridTransform) {
    (self.grid, self.transform) = (grid, transform)
  }

  /// Adds an area.
  package func add(_ polygon: Polygon) {
    let start = (runs: store.runs.count, cells: store.cells.count)
    var area = CoverageStore.Area(
      runs: start.runs..<start.runs, cells: start.cells..<start.cells, size: 0,
      condition: .unusable, window: CellWindow(column: 0, row: 0, width: 0, height: 0))
    defer { store.areas.append(area) }
    guard let bounds = place(polygon.vertices.xy) else { return }
    // Exterior rings are clockwise in the coordinates of the area.
    let sign: Double = transform.determinant < 0 ? -1 : 1
    area.size = -sign * size(polygon)
    area.condition = .valid
    guard let window = window(bounds) else { return }
    area.window = window
    sums.begin(window)
    var first = 0
    for end in polygon.ringEnds {
      add(first..<end, window, sign)
      first = end
    }
    let isSingle =
      window.width == 1 && window.height == 1 && bounds.low.x >= Double(window.column)
      && bounds.high.x <= Double(window.column + 1) && bounds.low.y >= Double(window.row)
      && bounds.high.y <= Double(window.row + 1)
    // The size of an area within one cell has no rounding errors of sums.
    if isSingle { sums.setOnly(max(0, area.size)) }
    let isConsistent = sums.finish(into: &store)
    if !isConsistent { area.condition = .inconsistent }
    area.runs = start.runs..<store.runs.count
    area.cells = start.cells..<store.cells.count
  }

  /// Returns the planar size of an area in cells, including parts outside of the grid; 0 if a vertex is not finite.
  package func size(of polygon: Polygon) -> Double {
    guard place(polygon.vertices.xy) != nil else { return 0 }
    return transform.determinant < 0 ? size(polygon) : -size(polygon)
  }

  /// Removes the last area.
  package func removeLast() {
    guard let area = store.areas.popLast() else { return }
    store.runs.removeSubrange(area.runs)
    store.cells.removeSubrange(area.cells)
  }

  /// Converts points to grid positions in `vertices`, and returns their extent; nil if there are no points, or
  /// one is not finite.
  private func place(_ points: [SIMD2<Double>]) -> (low: SIMD2<Double>, high: SIMD2<Double>)? {
    guard !points.isEmpty else { return nil }
    vertices.removeAll(keepingCapacity: true)
    vertices.reserveCapacity(points.count)
    var low = SIMD2<Double>(repeating: .infinity)
    var high = -low
    var sum = SIMD2<Double>.zero
    if transform.isSeparable {
      let origin = SIMD2(transform.originX, transform.originY)
      let step = SIMD2(transform.columnX, transform.rowY)
      for point in points {
        let position = (point - origin) / step
        vertices.append(position)
        low = pointwiseMin(low, position)
        high = pointwiseMax(high, position)
        sum += position * 0
      }
    } else {
      for point in points {
        let (column, row) = transform.gridPosition(x: point.x, y: point.y)
        let position = SIMD2(column, row)
        vertices.append(position)
        low = pointwiseMin(low, position)
        high = pointwiseMax(high, position)
        sum += position * 0
      }
    }
    // The sum of finite numbers times 0 is 0.
    return sum == .zero ? (low, high) : nil
  }

  /// The sum of the signed areas of the rings, in cells.
  private func size(_ polygon: Polygon) -> Double {
    var total = 0.0
    var first = 0
    for end in polygon.ringEnds {
      defer { first = end }
      guard end - first > 2 else { continue }
      let origin = vertices[first]
      var last = SIMD2<Double>.zero
      var twice = 0.0
      for index in first + 1..<end {
        let next = vertices[index] - origin
        twice += last.x * next.y - last.y * next.x
        last = next
      }
      total += twice / 2
    }
    return total
  }

  /// The cells of the grid within an extent; nil if there are none.
  private func window(_ bounds: (low: SIMD2<Double>, high: SIMD2<Double>)) -> CellWindow? {
    func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int>? {
      guard high > 0, low < Double(count) else { return nil }
      let first = Int(max(0, low).rounded(.down))
      let end = Int(min(Double(count), high).rounded(.up))
      return first..<max(end, first + 1)
    }
    guard let columns = range(bounds.low.x, bounds.high.x, grid.width),
      let rows = range(bounds.low.y, bounds.high.y, grid.height)
    else { return nil }
    return CellWindow(
      column: columns.lowerBound, row: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private func add(_ ring: Range<Int>, _ window: CellWindow, _ sign: Double) {
    guard ring.count > 1 else { return }
    let origin = SIMD2(Double(window.column), Double(window.row))
    vertices.withUnsafeBufferPointer { vertices in
      var last = vertices[ring.lowerBound] - origin
      for index in ring.lowerBound + 1..<ring.upperBound {
        let next = vertices[index] - origin
        sums.add(last, next, sign)
        last = next
      }
    }
  }
}
