extension Workers {
  /// Runs `body` on a thread of its own and waits for it without holding one of the threads that
  /// tasks share, as reading files and long computations would.
  ///
  /// Starting the thread costs some 20 µs.
  ///
  /// - Parameter body: called unless the task has been cancelled by then.
  /// - Throws: `CancellationError` for a task that was cancelled before `body` had ended; else the error of
  ///   `body`.
  public static func inBackground<Value: Sendable>(
    _ body: @escaping @Sendable (WorkCancellation) throws -> Value
  ) async throws -> Value {
    let cancellation = WorkCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let work: @Sendable () -> Void = {
          continuation.resume(
            with: Result {
              try WorkCancellation.run(cancellation) { try body(cancellation) }
            })
        }
        // Where no thread can be had, here and now.
        if !detach(work) { work() }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
