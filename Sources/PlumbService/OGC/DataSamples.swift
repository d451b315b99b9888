import Plumb

/// The values of a raster at some points.
struct DataSamples: Sendable {
  /// The points in the requested CRS.
  var points: [SIMD2<Double>]
  /// The values; with several dates, those of the last one.
  var values: RasterAnswer
  /// The dates as text, and the values of each; empty for a layer without dates.
  var dates: [(text: String, values: RasterAnswer)] = []
  /// Warnings about the CRSs, one line each.
  private(set) var warnings: [String] = []
  /// The indices of the points to return, ascending; nil for all points.
  var rows: [Int]?

  var count: Int { rows?.count ?? points.count }

  /// The size of the points and values in bytes.
  var memory: Int {
    let answers = dates.isEmpty ? [values] : dates.map(\.values)
    return points.count * 16 + (rows?.count ?? 0) * 8 + answers.reduce(0) { $0 + $1.memory }
  }

  /// - Throws: if tiles cannot be read.
  init(
    _ image: ImageService, _ reference: SpatialReference, _ points: [SIMD2<Double>],
    keepsCells: Bool, _ choice: ImageChoice
  ) throws {
    self.points = points
    values = try image.values(at: points, reference, keepsCells: keepsCells, choice, &warnings)
  }
}
