import Plumb
import PlumbBatch
import PlumbCore
import PlumbLayers
import PlumbRaster

/// A map that is prepared for many points in a caller's arrays. Only one thread at a time may use
/// the map.
package final class PreparedMap {
  /// The layers, and the files that they read.
  package let source: BatchSource
  private let workers: Workers
  private let resampling: Resampling

  /// Whether the map should be prepared again, because a remote layer failed a few seconds ago and
  /// may respond now.
  package var isStale: Bool { source.isStale }

  package init(_ opened: OpenedMap, _ query: OpenedMap.Query, workers: Workers) throws {
    var options = BatchIdentify.Options(points: "")
    (options.bands, options.resampling) = (query.bands, query.resampling)
    (options.cache, options.workers) = (opened.cache, workers)
    source = try BatchSource(
      .map(opened.map(for: query), query.options, layer: query.layer), options,
      reference: query.reference)
    (self.workers, resampling) = (workers, query.resampling)
  }

  /// Returns the requested columns and their values at some points.
  ///
  /// - Parameters:
  ///   - request: the request, which specifies the columns and whether warnings are errors.
  ///   - points: a closure that calls its argument with the points, and returns the result.
  ///   - context: receives the warnings.
  /// - Throws: the layer's failure if only one layer is identified, the error of strict mode, an
  ///   error for a column that does not exist, or `CancellationError` for cancelled work.
  package func answers(
    _ request: Identify.Request,
    at points: ((PointCoordinates) -> MapAnswers) throws -> MapAnswers, in context: RunContext
  ) throws -> (columns: [ResultColumns.Column], answers: MapAnswers) {
    let result = ResultColumns(
      source.parts, options: request.columns, resampling: resampling, advice: source.advice)
    try result.checkNames(against: [])
    let columns = try Self.chosen(result.columns, request.fields)
    for line in source.warnings { context.warn(MessageTemplate(line)) }
    try context.report(
      source.transformationWarnings.map { MessageTemplate($0) }, isStrict: request.isStrict, "it")
    source.startLoading()
    var counter = RowCounter(source, itemName: "point")
    var summary = counter.emptySummary
    let answers = try points { coordinates in
      let answers = source.answers(
        to: coordinates, keepsProvenance: request.hasProvenance, keepsTiles: true)
      counter.add(coordinates, bad: Self.badRows(of: coordinates), answers, to: &summary)
      return answers
    }
    source.finishLoading()
    try WorkCancellation.checkCurrent()
    let report = counter.report(summary)
    if let failure = source.failure { throw failure }
    try context.report(source.layerWarnings, isStrict: request.isStrict)
    report.warnings.forEach(context.warn)
    if let failure = report.failure { throw failure }
    if request.isStrict, let refusal = counter.refusal(summary) { throw refusal }
    return (columns, answers)
  }

  /// The indices, counted from 0, of the points whose coordinates are not finite numbers.
  static func badRows(of points: PointCoordinates) -> [(line: Int, fault: PointFault)] {
    guard let status = points.status else { return [] }
    return (0..<points.count).filter { status[$0] == SampleStatus.badPoint.rawValue }
      .map { ($0, .missing) }
  }

  private static func chosen(
    _ columns: [ResultColumns.Column], _ names: [String]?
  ) throws -> [ResultColumns.Column] {
    guard let names else { return columns }
    return try names.map { name in
      guard let column = columns.first(where: { $0.name == name }) else {
        throw OptionViolation(
          "\(.fields): the result has no column \(name.printable)\(NameSuggestions.advice(name, among: columns.map(\.name)))"
        )
      }
      return column
    }
  }
}
