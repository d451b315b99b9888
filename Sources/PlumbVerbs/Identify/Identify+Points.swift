import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers

/// The verb `identify`.
package enum Identify {
  /// The outcome of an identify at points.
  package enum Outcome: Sendable {
    case done
    /// No layer answers.
    case failed(LayerError)
    /// Some cells cannot be read.
    case unread
  }

  /// Identifies at single points of a map.
  ///
  /// - Parameters:
  ///   - points: in the identifier's reference.
  ///   - isStrict: whether warnings are errors.
  ///   - context: takes the warnings, and the explanation where it wants one.
  ///   - take: takes the results of each point in order, before it is known whether strictness refuses
  ///     them.
  /// - Throws: the failure of the one layer asked, the refusal of strictness, `CancellationError` for
  ///   cancelled work, and the error of `take`.
  package static func run(
    at points: [SIMD2<Double>], with identifier: MapIdentifier, isStrict: Bool,
    in context: RunContext, take: (SIMD2<Double>, [IdentifyLayerResult]) throws -> Void
  ) throws -> Outcome {
    func check(_ lines: [Wording], _ pronoun: String) throws {
      if isStrict, let first = lines.first { throw PlumbError.strict(first, pronoun) }
      lines.forEach(context.warn)
    }
    try check(identifier.transformationWarnings.map { Wording($0) }, "it")
    if let note = context.note, let rasters = identifier.rasters {
      rasters.explanation(x: points.map(\.x), y: points.map(\.y)).forEach(note)
    }
    var refusal: PlumbError?
    for point in points {
      try WorkCancellation.checkCurrent()
      let results = identifier.identify(x: point.x, y: point.y)
      if let failure = identifier.failure { throw failure }
      if isStrict { refusal = refusal ?? IdentifyLayerResult.strictRefusal(of: results) }
      try take(point, results)
    }
    try WorkCancellation.checkCurrent()
    let unread = identifier.rasters?.sampler.takeFailures().messages ?? []
    try check(identifier.warnings + unread, "that")
    if let refusal { throw refusal }
    let uncertain = PointWarnings(
      x: points.map(\.x), y: points.map(\.y), reference: identifier.reference)
    uncertain.warnings(of: identifier).forEach(context.warn)
    if let absence = identifier.absence { context.warn(Wording(absence)) }
    if let failure = identifier.wholeFailure { return .failed(failure) }
    return unread.isEmpty ? .done : .unread
  }
}
