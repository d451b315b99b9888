import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the cells of a raster whose centres lie in an area, or near a point.
struct RasterCells {
  private let image: ImageService
  private let raster: Raster
  /// What shapes are in, and what cells come in.
  private let reference: SpatialReference
  private let limit: Int

  init(_ image: ImageService, _ reference: SpatialReference, _ limit: Int) throws {
    (self.image, self.reference, self.limit) = (image, reference, limit)
    raster = try image.raster()
  }

  /// Cells whose centres lie in an area or on its edge, the area's edges being straight in its reference.
  func inside(_ area: Geometry) throws -> DataSamples {
    let locator = GeometryLocator(
      [area], period: reference.period, workers: Workers(count: 1))
    return try samples(windowOf: area) { !locator.items(at: $0).isEmpty }
  }

  /// Cells whose centres are at most so far from a point, along the ground.
  func near(_ point: Geometry, metres: Double) throws -> DataSamples {
    guard case .point(let centre) = point else { throw ServiceError("'coords' is no POINT") }
    let calculator = try DistanceCalculator(reference, measure: .ground)
    // Half way round the Earth, and all of it is near.
    var window: Geometry?
    if metres < 19_000_000 {
      do {
        let areas = try GeometryEngine.buffer(
          around: [point], distances: [max(1, metres * 1.01)], unit: .metre, method: .geodesic(),
          workers: Workers(count: 1))
        window = areas.first.map { .polygon($0) }
      } catch {
        throw ServiceError("'coords': \(error.message)", kind: .badPoint)
      }
    }
    return try samples(windowOf: window) {
      calculator.distance(from: centre.xy, to: $0) <= metres
    }
  }

  /// - Parameters:
  ///   - shape: round all cells that can count; nil where any can.
  ///   - isWanted: whether a centre counts.
  private func samples(
    windowOf shape: Geometry?, _ isWanted: (SIMD2<Double>) -> Bool
  ) throws -> DataSamples {
    var points: [SIMD2<Double>] = []
    var cells: [(member: Int32, column: Int32, row: Int32)] = []
    var looked = 0
    for (index, member) in raster.members.enumerated() {
      let profile = member.profile
      guard case .affine(let grid) = profile.mapping else {
        throw ServiceError(
          "the raster's cells lie in no plane: ask it at points", kind: .unsupported)
      }
      let own = try profile.reference.map { try SpatialReference($0) } ?? reference
      let back =
        own == reference || own.isEquivalent(to: reference)
        ? nil : try Transformation(from: own, to: reference)
      for window in try CellWindows(grid, profile.grid, own).round(shape) {
        looked += window.width * window.height
        guard looked <= limit * 4 else { throw tooMany() }
        try forEachCentre(window, grid, back) { point, column, row in
          guard point.x.isFinite, point.y.isFinite, isWanted(point) else { return }
          points.append(point)
          cells.append((Int32(index), Int32(column), Int32(row)))
        }
        guard points.count <= limit else { throw tooMany() }
      }
    }
    var samples = try DataSamples(image, reference, points, keepsCells: raster.isMosaic)
    guard let cell = samples.answer.provenance else { return samples }
    // Where files overlap, a cell counts that answers itself.
    samples.rows = points.indices.filter { number in
      cell.member[number] == cells[number].member && cell.column[number] == cells[number].column
        && cell.row[number] == cells[number].row
    }
    return samples
  }

  private func tooMany() -> ServiceError {
    ServiceError(
      "more than \(limit) cells in one request, or far more round the shape: ask for a smaller one",
      kind: .limit)
  }

  /// Calls `body` with the centre of each cell, in the reference that was asked.
  private func forEachCentre(
    _ window: CellWindow, _ grid: GridTransform, _ back: Transformation?,
    _ body: (_ point: SIMD2<Double>, _ column: Int, _ row: Int) -> Void
  ) throws {
    var x = [Double](repeating: 0, count: window.width)
    var y = x
    for row in window.row..<window.row + window.height {
      if row % 16 == 0 { try WorkCancellation.checkCurrent() }
      for index in 0..<window.width {
        let centre = grid.coordinates(
          column: Double(window.column + index) + 0.5, row: Double(row) + 0.5)
        (x[index], y[index]) = (centre.x, centre.y)
      }
      if let back {
        x.withUnsafeMutableBufferPointer { x in
          y.withUnsafeMutableBufferPointer { y in
            if let x = x.baseAddress, let y = y.baseAddress {
              back.apply(x: x, y: y, count: window.width)
            }
          }
        }
      }
      for index in 0..<window.width {
        body(SIMD2(x[index], y[index]), window.column + index, row)
      }
    }
  }
}

/// Finds the part of a grid in which the cells of a shape lie.
struct CellWindows {
  private let transform: GridTransform
  private let grid: TileGrid
  private let reference: SpatialReference

  init(_ transform: GridTransform, _ grid: TileGrid, _ reference: SpatialReference) {
    (self.transform, self.grid, self.reference) = (transform, grid, reference)
  }

  /// Windows that do not overlap, with all cells of a shape; all of the grid for nil, and where the shape
  /// cannot be brought to the grid's reference.
  func round(_ shape: Geometry?) throws -> [CellWindow] {
    let whole = CellWindow(column: 0, row: 0, width: grid.width, height: grid.height)
    guard var shape else { return [whole] }
    let box = shape.envelope
    let longest = max(box.xMax - box.xMin, box.yMax - box.yMin) / 64
    if longest > 0, longest.isFinite {
      shape = try GeometryEngine.densify(shape, maxSegmentLength: longest)
    }
    guard let copies = try? PeriodicShapes.copies(of: shape, in: reference) else { return [whole] }
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

  /// Nil where no cell is near; all of the grid where a vertex has no counterpart.
  private func window(round ring: ArraySlice<SIMD2<Double>>) -> CellWindow? {
    var (low, high) = (
      SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity)
    )
    for vertex in ring {
      let position = transform.gridPosition(x: vertex.x, y: vertex.y)
      guard position.column.isFinite, position.row.isFinite else {
        return CellWindow(column: 0, row: 0, width: grid.width, height: grid.height)
      }
      low = pointwiseMin(low, SIMD2(position.column, position.row))
      high = pointwiseMax(high, SIMD2(position.column, position.row))
    }
    // An edge bends between the vertices that it was cut at.
    let margin = (high - low) * 0.02 + 1
    let size = SIMD2(Double(grid.width), Double(grid.height))
    low = pointwiseMax(low - margin, SIMD2(0, 0)).rounded(.down)
    high = pointwiseMin(high + margin, size).rounded(.up)
    guard low.x < high.x, low.y < high.y else { return nil }
    return CellWindow(
      column: Int(low.x), row: Int(low.y), width: Int(high.x - low.x), height: Int(high.y - low.y))
  }

  private static func merged(_ windows: [CellWindow]) -> [CellWindow] {
    // Each would be compared with each.
    guard windows.count <= 256 else {
      return windows.first.map { windows.reduce($0, joined) }.map { [$0] } ?? []
    }
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
