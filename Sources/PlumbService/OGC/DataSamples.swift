import Plumb

/// The values of a raster at some points.
struct DataSamples: Sendable {
  /// The points in the requested CRS.
  var points: [SIMD2<Double>]
  var values: RasterAnswer
  /// The indices of the points to return, ascending; nil for all points.
  var rows: [Int]?

  var count: Int { rows?.count ?? points.count }

  /// The size of the points and values in bytes.
  var memory: Int { points.count * 16 + (rows?.count ?? 0) * 8 + values.memory }

  /// - Throws: if tiles cannot be read.
  init(
    _ image: ImageService, _ reference: SpatialReference, _ points: [SIMD2<Double>],
    keepsCells: Bool
  ) throws {
    self.points = points
    values = try image.values(at: points, reference, keepsCells: keepsCells)
  }
}
