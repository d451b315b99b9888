import PlumbCore
import PlumbLayers
import PlumbRaster

/// The results of rasters at individually given points.
package struct PointAnswers {
  /// The results at each point.
  package let results: [[IdentifyLayerResult]]
  /// Warnings about read failures, and about rasters that do not contain most points.
  package let warnings: [MessageTemplate]
  /// Hints about points beyond a pole, and points with x and y swapped.
  package let hints: [MessageTemplate]
  /// The error of a strict run; nil if every point has its results.
  package let refusal: PlumbError?
  /// Whether a cell could not be read.
  package let isUnread: Bool

  /// Reads the rasters.
  package init(_ identifier: RasterIdentifier, _ points: [SIMD2<Double>]) throws {
    let (x, y) = (points.map(\.x), points.map(\.y))
    let answers = identifier.sample(x: x, y: y, keepsProvenance: true)
    let unread = identifier.sampler.drainFailures().messages
    warnings = unread + identifier.outsideWarnings(answers, x: x, y: y).map { MessageTemplate($0) }
    hints = PointWarnings(x: x, y: y, reference: identifier.reference)
      .warnings(identifier, answers)
    refusal = identifier.refusal(of: answers)
    isUnread = answers.contains { answer in
      answer.columns.contains { column in
        (0..<column.count).contains { column.status(at: $0) == .readError }
      }
    }
    let maker = try IdentifyResultMaker(identifier)
    results = points.indices.map { maker.results(at: $0, of: answers, x: points[$0].x) }
  }
}
