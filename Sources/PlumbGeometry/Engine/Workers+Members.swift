import PlumbCore

extension Workers {
  /// The results of `body` for each index in `0..<count`, in order; each worker has its own state.
  ///
  /// - Throws: the error of the lowest index that fails, with the index as its `member`; an error
  ///   without `member` if the work was cancelled.
  func mapMembers<State, Result: Sendable>(
    _ count: Int, grain: Int, state: @autoclosure () throws(GeometryError) -> State,
    _ body: @Sendable (State, Int) throws(GeometryError) -> Result
  ) throws(GeometryError) -> [Result] {
    let jobs = (count + grain - 1) / grain
    let states = try WorkerStates(count: min(self.count, jobs)) { () throws(GeometryError) in
      try state()
    }
    return try mapMembers(count, grain: grain, states: states, body)
  }

  /// The results of `body` for each index, with given states, one per worker.
  func mapMembers<State, Result: Sendable>(
    _ count: Int, grain: Int, states: WorkerStates<State>,
    _ body: @Sendable (State, Int) throws(GeometryError) -> Result
  ) throws(GeometryError) -> [Result] {
    let parts = try mapRanges(count, grain: grain) { (worker, range) throws(GeometryError) in
      let state = states[worker]
      var results: [Result] = []
      results.reserveCapacity(range.count)
      for index in range {
        if WorkCancellation.isCurrentCancelled { throw GeometryError.cancelled }
        do throws(GeometryError) {
          results.append(try body(state, index))
        } catch {
          throw error.of(member: index)
        }
      }
      return results
    }
    if parts.count == 1 { return parts[0] }
    var results: [Result] = []
    results.reserveCapacity(count)
    for part in parts { results += part }
    return results
  }
}
