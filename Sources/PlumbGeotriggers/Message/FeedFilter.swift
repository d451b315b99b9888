import PlumbExpressions

/// Which locations of a feed count: an Arcade expression on `$locationupdate` that is true or
/// false.
public struct FeedFilter: Sendable {
  let program: ArcadeProgram

  /// - Throws: what is wrong with the expression, with its position.
  public init(_ expression: String) throws(GeotriggerError) {
    do throws(ExpressionError) {
      program = try ArcadeProgram(expression, globals: ["$locationupdate"])
    } catch {
      throw GeotriggerError(
        "the feed's filter: \(error.message)", code: .badExpression, cause: error)
    }
  }
}

/// Filters the batches of one feed.
struct FilterRun {
  private let evaluator: ArcadeEvaluator
  private var locations = LocationFeature()

  init(_ filter: FeedFilter) { evaluator = ArcadeEvaluator(filter.program) }

  /// The locations that count. One for which the expression fails, or says neither true nor false,
  /// does not, and is an issue.
  mutating func kept(
    _ batch: LocationBatch, _ entities: EntityNames, _ issues: inout [GeotriggerIssue]
  ) -> LocationBatch {
    var found: [GeotriggerIssue] = []
    let result = batch.filter { row in
      let feature = locations.feature(batch, row, entities: entities)
      let fault: String
      do throws(ExpressionError) {
        let value = try evaluator.evaluate(
          [.feature(feature)], now: ArcadeDate(milliseconds: batch.time[row]))
        if case .boolean(let keeps) = value { return keeps }
        fault = "it gives \(value.asText), neither true nor false"
      } catch {
        fault = error.message
      }
      found.append(batch.issue(row, "the feed's filter leaves the location out: \(fault)"))
      return false
    }
    issues += found
    return result
  }
}
