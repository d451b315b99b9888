import Plumb
import PlumbCore

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
    let identifier = try image.identifier(reference)
    answer =
      identifier.sample(
        x: points.map(\.x), y: points.map(\.y), keepsProvenance: keepsCells)[0]
    try WorkCancellation.checkCurrent()
    let failures = identifier.sampler.takeFailures()
    if let failure = failures.messages.first, answer.unreadRows(of: points.count) > 0 {
      throw ServiceError(failure.text(ServiceWords.names), status: 500, kind: .readError)
    }
  }
}
