import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the cells of a raster whose centres are in an area, or near a point.
struct RasterCells {
  private let image: ImageService
  private let raster: Raster
  private let choice: ImageChoice
  /// The CRS of shapes and of the returned cells.
  private let reference: SpatialReference
  private let limit: Int

  init(
    _ image: ImageService, _ reference: SpatialReference, _ limit: Int, _ choice: ImageChoice
  ) throws {
    (self.image, self.reference, self.limit) = (image, reference, limit)
    self.choice = choice
    raster = try image.raster(choice)
  }

  /// Returns the cells whose centres are in an area or on its boundary. The area's edges are
  /// straight lines in its CRS.
  func inside(_ area: Geometry) throws -> DataSamples {
    let locator = GeometryLocator(
      [area], period: reference.period, workers: Workers(count: 1))
    return try samples(windowOf: area) { !locator.items(at: $0).isEmpty }
  }

  /// Returns the cells whose centres are within a geodesic distance from a point.
  func near(_ point: Geometry, metres: Double) throws -> DataSamples {
    guard case .point(let centre) = point else { throw ServiceError("'coords' is not a POINT") }
    let calculator = try DistanceCalculator(reference, measure: .ground)
    // A distance of about half the Earth's circumference or more reaches all cells, so no window is
    // needed.
    var window: Geometry?
    if metres < 19_000_000 {
      // A point beyond a pole is not on the Earth, so no cell is near it.
      guard try isOnEarth(point) else {
        return try DataSamples(image, reference, [], keepsCells: raster.isMosaic, choice)
      }
      window = try GeometryEngine.buffer(
        around: [point], distances: [max(1, metres * 1.01)], unit: .metre, method: .geodesic(),
        workers: Workers(count: 1)
      ).first.map { .polygon($0) }
    }
    return try samples(windowOf: window) {
      calculator.distance(from: centre.xy, to: $0) <= metres
    }
  }

  private func isOnEarth(_ point: Geometry) throws -> Bool {
    guard case .point(let degrees)? = try? GeometryEngine.project(point, to: .wgs84) else {
      return false
    }
    return degrees.y.magnitude <= 90
  }

  /// - Parameters:
  ///   - shape: an area that covers all candidate cells; nil for all cells.
  ///   - isIncluded: returns whether a cell with the given centre is in the result.
  private func samples(
    windowOf shape: Geometry?, _ isIncluded: (SIMD2<Double>) -> Bool
  ) throws -> DataSamples {
    var points: [SIMD2<Double>] = []
    var cells: [(member: Int32, column: Int32, row: Int32)] = []
    var looked = 0
    for (index, member) in raster.members.enumerated() {
      let profile = member.profile
      guard let grid = profile.mapping.placement else {
        throw ServiceError(
          "the raster's cells are not in a plane; query points", kind: .unsupported)
      }
      let rasterReference = try profile.reference.map { try SpatialReference($0) } ?? reference
      let back =
        rasterReference == reference || rasterReference.isEquivalent(to: reference)
        ? nil : try Transformation(from: rasterReference, to: reference)
      for window in try CellWindows(grid, profile.grid, rasterReference).round(shape) {
        looked += window.width * window.height
        guard looked <= limit * 4 else { throw tooMany() }
        try forEachCentre(window, grid, back) { point, column, row in
          guard point.x.isFinite, point.y.isFinite, isIncluded(point) else { return }
          points.append(point)
          cells.append((Int32(index), Int32(column), Int32(row)))
        }
        guard points.count <= limit else { throw tooMany() }
      }
    }
    var samples = try DataSamples(image, reference, points, keepsCells: raster.isMosaic, choice)
    guard let cell = samples.values.provenance else { return samples }
    // Where files overlap, only the cell that provides the value is returned.
    samples.rows = points.indices.filter { number in
      cell.member[number] == cells[number].member && cell.column[number] == cells[number].column
        && cell.row[number] == cells[number].row
    }
    return samples
  }

  private func tooMany() -> ServiceError {
    ServiceError(
      "more than \(limit) cells in one request, or far more around the shape; send a smaller shape",
      kind: .limit)
  }

  /// Calls `body` with the centre of each cell, in the requested CRS.
  private func forEachCentre(
    _ window: CellWindow, _ grid: GridPlacement, _ back: Transformation?,
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
