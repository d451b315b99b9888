import Plumb

/// What a raster holds at some points.
struct DataSamples: Sendable {
  /// In the reference that was asked.
  var points: [SIMD2<Double>]
  var answer: RasterAnswer
  /// Which of the points count, ascending; nil for all.
  var rows: [Int]?

  var count: Int { rows?.count ?? points.count }

  /// - Throws: where tiles could not be read.
  init(
    _ image: ImageService, _ reference: SpatialReference, _ points: [SIMD2<Double>],
    keepsCells: Bool
  ) throws {
    self.points = points
    answer = try image.values(at: points, reference, keepsCells: keepsCells)
  }
}
