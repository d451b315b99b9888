import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the points at which a raster is sampled along a line. The points are the vertices of the
/// line and, for each cell without a vertex that the line crosses, the midpoint of the line's path
/// through the cell. The cells are those of the raster's first file.
struct RasterLine {
  private let grid: GridPlacement
  private let size: SIMD2<Double>
  /// The number of grid columns in one period of x; nil if x is not periodic.
  private let columnsAround: Double?
  private let forward: Transformation?
  private let limit: Int
  /// The number of pieces into which an edge is divided if its CRS is not the CRS of the grid.
  private static let pieces = 64

  init(
    _ image: ImageService, _ reference: SpatialReference, limit: Int, _ choice: ImageChoice
  ) throws {
    self.limit = limit
    let profile = try image.raster(choice).members[0].profile
    guard let grid = profile.mapping.placement else {
      throw ServiceError("the raster's cells are not in a plane; query points", kind: .unsupported)
    }
    self.grid = grid
    size = SIMD2(Double(profile.grid.width), Double(profile.grid.height))
    columnsAround = grid.columnStep.flatMap { step in
      profile.longitudePeriod.map { $0 / step.magnitude }
    }
    let rasterReference = try profile.reference.map { try SpatialReference($0) } ?? reference
    forward =
      rasterReference == reference || rasterReference.isEquivalent(to: reference)
      ? nil : try Transformation(from: reference, to: rasterReference)
  }

  /// Returns the points in the line's CRS, in order.
  func points(along line: Geometry) throws -> [SIMD2<Double>] {
    guard case .polyline(let line) = line else {
      throw ServiceError("'coords' is not a LINESTRING")
    }
    var points: [SIMD2<Double>] = []
    for part in line.parts {
      let vertices = line.vertices.xy[part]
      guard let first = vertices.first else { continue }
      points.append(first)
      for (start, end) in zip(vertices, vertices.dropFirst()) {
        try WorkCancellation.checkCurrent()
        try append(from: start, to: end, &points)
        points.append(end)
      }
    }
    guard points.count <= limit else { throw tooMany() }
    return points
  }

  private func tooMany() -> ServiceError {
    ServiceError("more than \(limit) cells along the line; send a shorter line", kind: .limit)
  }

  /// Appends the midpoint of the path through each cell between two vertices, except the cells that
  /// contain the vertices.
  private func append(
    from start: SIMD2<Double>, to end: SIMD2<Double>, _ points: inout [SIMD2<Double>]
  ) throws {
    let count = forward == nil ? 1 : Self.pieces
    let positions = positions(from: start, to: end, pieces: count)
    // The positions along the edge, from 0 to 1, at which the edge enters another cell.
    var crossings: [Double] = []
    for piece in 0..<count {
      let (a, b) = (positions[piece], positions[piece + 1])
      guard a.x.isFinite, a.y.isFinite, b.x.isFinite, b.y.isFinite else { continue }
      let shift = shift(of: (a.x + b.x) / 2)
      try addCrossings(a.x - shift, b.x - shift, size.x, piece, count, &crossings) {
        isUneven ? grid.coordinates(column: $0, row: 0).x : $0
      }
      try addCrossings(a.y, b.y, size.y, piece, count, &crossings) {
        isUneven ? grid.coordinates(column: 0, row: $0).y : $0
      }
      guard points.count + crossings.count <= limit * 2 else { throw tooMany() }
    }
    guard crossings.count > 1 else { return }
    crossings.sort()
    for (first, second) in zip(crossings, crossings.dropFirst()) where second - first > 1e-12 {
      points.append(start + (end - start) * ((first + second) / 2))
    }
  }

  /// Returns grid positions along an edge at equal distances.
  private func positions(
    from start: SIMD2<Double>, to end: SIMD2<Double>, pieces: Int
  ) -> [SIMD2<Double>] {
    var x: [Double] = []
    var y: [Double] = []
    for index in 0...pieces {
      let point = start + (end - start) * (Double(index) / Double(pieces))
      x.append(point.x)
      y.append(point.y)
    }
    if let forward {
      x.withUnsafeMutableBufferPointer { x in
        y.withUnsafeMutableBufferPointer { y in
          if let x = x.baseAddress, let y = y.baseAddress {
            forward.apply(x: x, y: y, count: pieces + 1)
          }
        }
      }
    }
    return zip(x, y).map { x, y in
      let position = grid.gridPosition(x: x, y: y)
      return SIMD2(position.column, position.row)
    }
  }

  /// Returns the column offset that moves a column into the grid, if columns are periodic.
  private func shift(of column: Double) -> Double {
    guard let around = columnsAround, around > 0, column < 0 || column >= size.x else { return 0 }
    return (column / around).rounded(.down) * around
  }

  /// Whether an edge that is straight in coordinates is curved in columns and rows, because the
  /// spacing of columns and rows varies.
  private var isUneven: Bool { grid.transform == nil && grid.isSeparable }

  /// Adds the positions where a piece of an edge crosses column or row boundaries.
  ///
  /// - Parameter value: maps a column or row to a value that is linear along the edge.
  private func addCrossings(
    _ a: Double, _ b: Double, _ maximum: Double, _ piece: Int, _ count: Int,
    _ crossings: inout [Double], _ value: (Double) -> Double
  ) throws {
    let low = max(0, min(a, b)).rounded(.up)
    let high = min(maximum, max(a, b)).rounded(.down)
    guard a != b, low <= high else { return }
    guard high - low < Double(limit) else { throw tooMany() }
    let (start, end) = (value(a), value(b))
    guard start != end else { return }
    var line = low
    while line <= high {
      let share = (value(line) - start) / (end - start)
      crossings.append((Double(piece) + share) / Double(count))
      line += 1
    }
  }
}
