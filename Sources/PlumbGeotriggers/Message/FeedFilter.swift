import PlumbExpressions

/// A filter for the locations of a feed. It is an Arcade expression on `$locationupdate` that
/// returns true or false.
public struct FeedFilter: Sendable {
  let program: ArcadeProgram

  /// - Throws: for an invalid expression, with the position of the error.
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

  /// Returns the locations for which the expression is true. If the expression fails or does not
  /// return true or false, the location is omitted and an issue is added.
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
        fault = "it returns \(value.asText), neither true nor false"
      } catch {
        fault = error.message
      }
      found.append(batch.issue(row, "the feed's filter omits the location: \(fault)"))
      return false
    }
    issues += found
    return result
  }
}
