import PlumbCore
import PlumbGeometry
import PlumbRaster

/// Computes discs on the ellipsoid around points, in the CRS of a raster.
struct ZonalDiscs {
  private let radius: Double
  private let source: SpatialReference
  private let method: BufferMethod
  private let workers: Workers

  /// The maximum deviation of a disc's edge, in cells.
  private static let deviation = 1e-3

  /// - Parameters:
  ///   - radius: the radius in metres.
  ///   - source: the CRS of the points.
  ///   - target: the CRS of the raster.
  init(
    _ radius: Double, from source: SpatialReference, to target: SpatialReference,
    _ transform: GridTransform, _ grid: TileGrid, _ workers: Workers
  ) throws {
    (self.radius, self.source, self.workers) = (radius, source, workers)
    let corners = transform.corners(column: grid.width / 2, row: grid.height / 2)
    let side = try GroundArea(target).area(corners).squareRoot()
    // In a raster of the whole world, the middle cell may lie outside the projected Earth.
    let deviation = side.isFinite && side > 0 ? max(1e-5, side * Self.deviation) : Double.nan
    method = .geodesic(
      GeodesicBufferOptions(maxDeviation: deviation, outputReference: target))
  }

  /// Discs around features; nil for a feature that is not a point, or whose disc cannot be computed.
  struct Discs {
    var areas: [Geometry?]
    /// The indices of the features whose discs cannot be transformed to the CRS of the raster.
    var untransformed: Set<Int> = []
  }

  func discs(around features: [Feature]) throws -> Discs {
    var result = Discs(areas: [Geometry?](repeating: nil, count: features.count))
    var (points, indices): ([Geometry], [Int]) = ([], [])
    for (index, feature) in features.enumerated() {
      guard var point = feature.area, point.dimension == 0 else { continue }
      point.spatialReference = source
      points.append(point)
      indices.append(index)
    }
    if points.isEmpty { return result }
    do throws(GeometryError) {
      for (index, disc) in zip(indices, try buffers(around: points)) {
        result.areas[index] = .polygon(disc)
      }
      return result
    } catch {
      try WorkCancellation.checkCurrent()
      guard error.member != nil else { throw error }
    }
    // Computes the discs one by one, because at least one disc cannot be computed.
    for (index, point) in zip(indices, points) {
      try WorkCancellation.checkCurrent()
      do throws(GeometryError) {
        result.areas[index] = try buffers(around: [point]).first.map { .polygon($0) }
      } catch {
        if error.code == .transformFailed { result.untransformed.insert(index) }
      }
    }
    return result
  }

  private func buffers(around points: [Geometry]) throws(GeometryError) -> [Polygon] {
    try GeometryEngine.buffer(
      around: points, distances: [radius], unit: .metre, method: method, workers: workers)
  }
}
