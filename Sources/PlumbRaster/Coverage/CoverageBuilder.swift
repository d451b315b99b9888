import PlumbCore

/// Computes the exact covered fraction of each cell of a grid, by adding up the signed areas to the
/// right of each edge in each cell. The time depends on the number of cells that edges cross, and
/// on the number of rows.
///
/// The sums are exact for polygons whose rings do not cross or overlap. Other polygons are detected
/// by fractions below 0 or above 1, or by a test for crossings.
package final class CoverageBuilder {
  /// The coverage of the areas added so far.
  package var store: CoverageStore
  private let grid: TileGrid
  private let transform: GridTransform
  private let rule: InclusionRule
  private let edgeCellLimit: Int
  /// Whether an area was not added because its edges cross more cells than allowed.
  package private(set) var isOverLimit = false
  private var vertices: [SIMD2<Double>] = []
  private var sums = CellSums()
  private var centers = CellCenters()

  /// - Parameters:
  ///   - grid: the cells.
  ///   - transform: the placement of the cells in the coordinates of the areas.
  ///   - rule: the rule that determines which partially covered cells count.
  ///   - edgeCellLimit: the maximum number of cells that the edges of an area may cross.
  package init(
    grid: TileGrid, transform: GridTransform, rule: InclusionRule = InclusionRule(),
    edgeCellLimit: Int = .max
  ) {
    (self.grid, self.transform, self.rule) = (grid, transform, rule)
    self.edgeCellLimit = edgeCellLimit
    store = CoverageStore(isExact: rule.isExact)
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
    if isTooComplex(window) {
      isOverLimit = true
      return
    }
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
    // For an area within one cell, use its size, which does not have the rounding errors of sums.
    if isSingle { sums.setOnly(max(0, area.size)) }
    let isConsistent = sums.finish(into: &store)
    if !isConsistent { area.condition = .inconsistent }
    area.runs = start.runs..<store.runs.count
    area.cells = start.cells..<store.cells.count
    addWeights(area.cells, polygon.ringEnds, rows: window.row..<window.row + window.height)
  }

  /// Whether the edges cross more cells of a window than allowed.
  private func isTooComplex(_ window: CellWindow) -> Bool {
    guard edgeCellLimit < .max else { return false }
    let low = SIMD2(Double(window.column), Double(window.row))
    let high = low + SIMD2(Double(window.width), Double(window.height))
    func clamped(_ point: SIMD2<Double>) -> SIMD2<Double> {
      point.clamped(lowerBound: low, upperBound: high)
    }
    var total = 0.0
    for (a, b) in zip(vertices, vertices.dropFirst()) {
      let step = clamped(b) - clamped(a)
      total += step.x.magnitude + step.y.magnitude + 1
    }
    return total > Double(edgeCellLimit)
  }

  /// Adds the weights of an area's partially covered cells.
  private func addWeights(_ cells: Range<Int>, _ ringEnds: [Int], rows: Range<Int>) {
    guard !rule.isExact else { return }
    let kept = store.cells[cells]
    switch rule.cells {
    case .exact: store.weights += kept.map { $0.fraction < rule.threshold ? 0 : $0.fraction }
    case .allTouched: store.weights += kept.map { $0.fraction < rule.threshold ? 0 : 1 }
    case .center:
      centers.begin(vertices, ringEnds, rows: rows)
      store.weights += kept.map {
        $0.fraction >= rule.threshold && centers.contains(row: $0.row, column: $0.column) ? 1 : 0
      }
    }
  }

  /// Returns the planar size of an area in cells, including parts outside of the grid; 0 if a
  /// vertex is not finite.
  package func size(of polygon: Polygon) -> Double {
    guard place(polygon.vertices.xy) != nil else { return 0 }
    return transform.determinant < 0 ? size(polygon) : -size(polygon)
  }

  // MARK: Points and lines

  /// Adds points as an area: the cells that contain them, each once.
  package func add(points: [SIMD2<Double>]) {
    var area = emptyArea()
    defer { store.areas.append(area) }
    guard let bounds = place(points) else { return }
    area.condition = .valid
    var cells: [CoverageStore.Cell] = []
    for position in vertices {
      guard let cell = cell(at: position) else {
        area.size += 1
        continue
      }
      cells.append(CoverageStore.Cell(row: cell.row, column: cell.column, fraction: 1))
    }
    cells.sort { ($0.row, $0.column) < ($1.row, $1.column) }
    var last: CoverageStore.Cell?
    for cell in cells where cell != last {
      store.cells.append(cell)
      last = cell
      area.size += 1
    }
    finish(&area, bounds)
  }

  /// Adds lines as an area: the fraction of a cell is the length of the lines in it, in the unit of
  /// their coordinates.
  ///
  /// A line along the border between cells belongs to the cells below it or to the right of it.
  package func add(_ lines: Polyline) {
    var area = emptyArea()
    defer { store.areas.append(area) }
    guard let bounds = place(lines.vertices.xy) else { return }
    area.condition = .valid
    var lengths: [SIMD2<Int32>: Double] = [:]
    for part in lines.parts {
      for index in part.dropFirst() {
        let step = lines.vertices.xy[index] - lines.vertices.xy[index - 1]
        let length = (step * step).sum().squareRoot()
        area.size += length
        addPieces(vertices[index - 1], vertices[index], length, &lengths)
      }
    }
    let cells = lengths.sorted { ($0.key.y, $0.key.x) < ($1.key.y, $1.key.x) }
    for (cell, length) in cells where length > 0 {
      store.cells.append(CoverageStore.Cell(row: cell.y, column: cell.x, fraction: length))
    }
    finish(&area, bounds)
  }

  /// Returns the length of lines in the unit of their coordinates.
  package func length(of lines: Polyline) -> Double {
    var length = 0.0
    for part in lines.parts {
      for index in part.dropFirst() {
        let step = lines.vertices.xy[index] - lines.vertices.xy[index - 1]
        length += (step * step).sum().squareRoot()
      }
    }
    return length
  }

  private func emptyArea() -> CoverageStore.Area {
    CoverageStore.Area(
      runs: store.runs.count..<store.runs.count, cells: store.cells.count..<store.cells.count,
      size: 0, condition: .unusable, window: CellWindow(column: 0, row: 0, width: 0, height: 0))
  }

  private func finish(
    _ area: inout CoverageStore.Area, _ bounds: (low: SIMD2<Double>, high: SIMD2<Double>)
  ) {
    area.cells = area.cells.lowerBound..<store.cells.count
    // A point on the right or lower border of the extent may be in a cell beyond the extent.
    let margin = SIMD2(repeating: 1.0)
    if let window = window((bounds.low - margin, bounds.high + margin)) { area.window = window }
    guard !rule.isExact else { return }
    // Fractions of lines and points are not compared with a threshold.
    store.weights += store.cells[area.cells].map { rule.cells == .exact ? $0.fraction : 1 }
  }

  /// The cell that contains a position; nil if it is not on the grid.
  private func cell(at position: SIMD2<Double>) -> (row: Int32, column: Int32)? {
    guard position.x >= 0, position.y >= 0, position.x < Double(grid.width),
      position.y < Double(grid.height)
    else { return nil }
    return (Int32(position.y), Int32(position.x))
  }

  /// Adds the length of an edge in each cell.
  private func addPieces(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ length: Double,
    _ lengths: inout [SIMD2<Int32>: Double]
  ) {
    let step = end - start
    // The start and the end of the part on the grid, as shares of the edge.
    var (from, to) = (0.0, 1.0)
    for (origin, change, size) in [
      (start.x, step.x, Double(grid.width)), (start.y, step.y, Double(grid.height)),
    ] {
      if change == 0 {
        if origin < 0 || origin >= size { return }
        continue
      }
      let (a, b) = (-origin / change, (size - origin) / change)
      from = max(from, min(a, b))
      to = min(to, max(a, b))
    }
    guard from < to else { return }
    var shares = [from, to]
    for (origin, change) in [(start.x, step.x), (start.y, step.y)] where change != 0 {
      let (a, b) = (origin + change * from, origin + change * to)
      let (first, last) = (min(a, b).rounded(.up), max(a, b).rounded(.down))
      guard first <= last else { continue }
      for border in stride(from: first, through: last, by: 1) {
        let share = (border - origin) / change
        if share > from, share < to { shares.append(share) }
      }
    }
    shares.sort()
    for (a, b) in zip(shares, shares.dropFirst()) where b > a {
      if let cell = cell(at: start + step * ((a + b) / 2)) {
        lengths[SIMD2(cell.column, cell.row), default: 0] += length * (b - a)
      }
    }
  }

  /// Removes the last area.
  package func removeLast() {
    guard let area = store.areas.popLast() else { return }
    store.runs.removeSubrange(area.runs)
    store.cells.removeSubrange(area.cells)
    if !rule.isExact { store.weights.removeSubrange(area.cells) }
  }

  /// Converts points to grid positions in `vertices`, and returns their extent; nil if there are no
  /// points, or if a point is not finite.
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
    // The sum is 0 only if all positions are finite.
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
        // The results of cancelled work are not used.
        if index % 1024 == 0, WorkCancellation.isCurrentCancelled { return }
        let next = vertices[index] - origin
        sums.add(last, next, sign)
        last = next
      }
    }
  }
}
