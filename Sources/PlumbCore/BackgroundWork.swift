extension Workers {
  /// Runs `body` on a separate thread, so that file reads and long computations do not block the thread pool
  /// of Swift tasks.
  ///
  /// Starting the thread costs about 20 µs.
  ///
  /// - Parameter body: not called if the task is cancelled before it starts.
  /// - Throws: `CancellationError` if the task is cancelled before `body` ends; otherwise the error
  ///   of `body`.
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
        // If no thread is available, run the work on the calling thread.
        if !detach(work) { work() }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
