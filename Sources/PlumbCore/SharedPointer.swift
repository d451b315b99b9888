/// A pointer, or a few pointers, that the jobs of `Workers` share. This type is exempt from the
/// compiler's data-race checks, so that jobs can write into one large buffer.
///
/// ```swift
/// let target = SharedPointer(buffer)
/// workers.runRanges(buffer.count, grain: 4096) { _, range in
///   for index in range { target.pointer[index] = value(index) }
/// }
/// ```
///
/// - Invariant: in one run, a job writes only elements that no other job reads or writes, and reads only
///   elements that no job writes; the memory outlives the run.
@frozen
public struct SharedPointer<Pointer: BitwiseCopyable>: @unchecked Sendable {
  /// The shared pointer.
  public let pointer: Pointer

  /// Wraps a pointer; the caller guarantees the invariant above.
  @inlinable
  public init(_ pointer: Pointer) { self.pointer = pointer }
}

/// A state for each worker of `Workers`, of a type that is not thread-safe, such as a transformation or a
/// file handle.
///
/// - Invariant: only the worker with the number of a state uses the state, and within a run, only one
///   thread at a time has this number; if the states are used in several runs, the runs do not overlap.
public struct WorkerStates<State>: @unchecked Sendable {
  @usableFromInline let states: [State]

  /// - Parameter states: one for each worker.
  public init(_ states: [State]) { self.states = states }

  /// - Parameters:
  ///   - count: the number of workers.
  ///   - make: called once per worker, in order.
  public init<Failure: Error>(
    count: Int, _ make: () throws(Failure) -> State
  ) throws(Failure) {
    var states: [State] = []
    for _ in 0..<count { states.append(try make()) }
    self.states = states
  }

  /// The number of states.
  @inlinable
  public var count: Int { states.count }

  /// The state of a worker, by its number from 0.
  @inlinable
  public subscript(worker: Int) -> State { states[worker] }
}
