import Plumb

/// The values of a raster at some points.
struct DataSamples: Sendable {
  /// The points in the requested CRS.
  var points: [SIMD2<Double>]
  var values: RasterAnswer
  /// The indices of the points to return, ascending; nil for all.
  var rows: [Int]?

  var count: Int { rows?.count ?? points.count }

  /// - Throws: if tiles cannot be read.
  init(
    _ image: ImageService, _ reference: SpatialReference, _ points: [SIMD2<Double>],
    keepsCells: Bool
  ) throws {
    self.points = points
    values = try image.values(at: points, reference, keepsCells: keepsCells)
  }
}
