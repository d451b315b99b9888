import PlumbCore
import Synchronization

extension Workers {
  /// `body` of each index in `0..<count`, in order, each worker with a state of its own.
  ///
  /// - Throws: the error of the lowest index that has one, naming it as the member.
  func mapMembers<State, Result: Sendable>(
    _ count: Int, grain: Int, state: @autoclosure () -> State,
    _ body: (State, Int) throws(GeometryError) -> Result
  ) throws(GeometryError) -> [Result] {
    let jobs = (count + grain - 1) / grain
    return try mapMembers(
      count, grain: grain, states: (0..<min(self.count, jobs)).map { _ in state() }, body)
  }

  /// The same with the states given, one a worker.
  func mapMembers<State, Result: Sendable>(
    _ count: Int, grain: Int, states: [State],
    _ body: (State, Int) throws(GeometryError) -> Result
  ) throws(GeometryError) -> [Result] {
    guard count > 0 else { return [] }
    let failure = Mutex<(index: Int, error: GeometryError)?>(nil)
    let results = UnsafeMutableBufferPointer<Result?>.allocate(capacity: count)
    results.initialize(repeating: nil)
    defer {
      results.deinitialize()
      results.deallocate()
    }
    runRanges(count, grain: grain) { worker, range in
      for index in range {
        do throws(GeometryError) {
          results[index] = try body(states[worker], index)
        } catch {
          failure.withLock { known in
            if index < known?.index ?? .max { known = (index, error.of(member: index)) }
          }
          return
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure.error }
    // Every index has its result when none has failed.
    return [Result](unsafeUninitializedCapacity: count) { buffer, filled in
      for index in 0..<count {
        (buffer.baseAddress! + index).initialize(to: results[index].take()!)
      }
      filled = count
    }
  }
}
