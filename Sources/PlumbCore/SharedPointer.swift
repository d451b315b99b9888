/// A pointer, or a few of them, that the jobs of `Workers` share: the one way past the compiler's
/// check where jobs write into one large piece of memory.
///
/// ```swift
/// let target = SharedPointer(buffer)
/// workers.runRanges(buffer.count, grain: 4096) { _, range in
///   for index in range { target.pointer[index] = value(index) }
/// }
/// ```
///
/// - Invariant: a job writes only elements that no other job reads or writes in the same run, reads
///   what no job writes, and the memory outlives the run.
@frozen
public struct SharedPointer<Pointer: BitwiseCopyable>: @unchecked Sendable {
  /// What the jobs share.
  public let pointer: Pointer

  /// Vouches for the invariant above.
  @inlinable
  public init(_ pointer: Pointer) { self.pointer = pointer }
}

/// A state for each worker of `Workers`, of a type that is not thread-safe, as transformations and
/// handles of files are.
///
/// - Invariant: a state is used through the number of its worker alone, which is one thread's at a
///   time within a run; who keeps states for several runs starts one run after the other.
public struct WorkerStates<State>: @unchecked Sendable {
  @usableFromInline let states: [State]

  /// - Parameter states: one for each worker.
  public init(_ states: [State]) { self.states = states }

  /// - Parameters:
  ///   - count: how many workers there are.
  ///   - make: called for each worker in turn.
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
