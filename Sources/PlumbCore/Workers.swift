import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A fixed number of threads that run numbered jobs.
///
/// The threads live as long as one `run`; starting one costs about 20 µs, so the jobs of a run
/// should take at least a millisecond in total. The threads inherit the `WorkCancellation` of the
/// thread that starts them. Jobs start even after a cancellation; a job that can end early must
/// check for the cancellation.
public struct Workers: Sendable {
  /// The number of threads, including the caller's; at least 1.
  public let count: Int

  /// - Parameter count: the number of threads; nil for one per processor that the CPU affinity of
  ///   the process and the CPU quota of its control groups allow.
  public init(count: Int? = nil) {
    self.count = max(1, count ?? ProcessorCount.available)
  }

  /// Calls `body(worker, job)` once for each job in `0..<jobs`, on up to `count` threads.
  ///
  /// Jobs start in ascending order. `worker` is in `0..<count`; no two calls with one worker
  /// number run at the same time, so it can index `WorkerStates`.
  public func run(_ jobs: Int, _ body: @Sendable (_ worker: Int, _ job: Int) -> Void) {
    let threads = min(count, jobs)
    if threads <= 1 {
      for job in 0..<max(0, jobs) { body(0, job) }
      return
    }
    withoutActuallyEscaping(body) { body in
      let shared = JobList(jobs: jobs, body: body)
      var handles: [pthread_t] = []
      for worker in 1..<threads {
        let start = Unmanaged.passRetained(WorkerStart(list: shared, worker: worker))
        if let handle = startThread(start.toOpaque()) {
          handles.append(handle)
        } else {
          start.release()
        }
      }
      shared.drain(worker: 0)
      for handle in handles { pthread_join(handle, nil) }
    }
  }

  /// Calls `body(worker, range)` for consecutive ranges that cover `0..<total`, each of at least `grain`
  /// elements except the last.
  public func runRanges(
    _ total: Int, grain: Int, _ body: @Sendable (_ worker: Int, _ range: Range<Int>) -> Void
  ) {
    guard total > 0 else { return }
    let size = max(grain, 1)
    run((total + size - 1) / size) { worker, job in
      body(worker, job * size..<min(total, (job + 1) * size))
    }
  }

  /// Returns the results of `body(worker, job)` for each job in `0..<jobs`, in the order of the jobs.
  ///
  /// - Throws: the error of the failed job with the lowest number; no job with a higher number
  ///   starts after the failure.
  public func map<Value: Sendable, Failure: Error>(
    _ jobs: Int, _ body: @Sendable (_ worker: Int, _ job: Int) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    guard jobs > 0 else { return [] }
    var results = [Result<Value, Failure>?](repeating: nil, count: jobs)
    results.withUnsafeMutableBufferPointer { results in
      // Each job writes its own element.
      let results = SharedPointer(results)
      let lowestFailed = Atomic<Int>(.max)
      run(jobs) { worker, job in
        // A job with a lower number than the failed job still runs, because its error would take
        // precedence.
        if job > lowestFailed.load(ordering: .relaxed) { return }
        do throws(Failure) {
          results.pointer[job] = .success(try body(worker, job))
        } catch {
          results.pointer[job] = .failure(error)
          lowestFailed.min(job, ordering: .relaxed)
        }
      }
    }
    var values: [Value] = []
    values.reserveCapacity(jobs)
    for result in results {
      // Because jobs start in ascending order, jobs that have not started have higher numbers than
      // a failed job.
      if let result { values.append(try result.get()) }
    }
    return values
  }

  /// Returns the results of `body(worker, range)` for each of the ranges of `runRanges`, in order.
  ///
  /// - Throws: the error of the lowest range that failed; no higher range starts after the failure.
  public func mapRanges<Value: Sendable, Failure: Error>(
    _ total: Int, grain: Int,
    _ body: @Sendable (_ worker: Int, _ range: Range<Int>) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    guard total > 0 else { return [] }
    let size = max(grain, 1)
    return try map((total + size - 1) / size) { (worker, job) throws(Failure) in
      try body(worker, job * size..<min(total, (job + 1) * size))
    }
  }

  /// Runs `body` on a separate thread, which is never joined and does not inherit the caller's
  /// `WorkCancellation`.
  ///
  /// - Returns: whether a thread was started; if not, `body` does not run.
  @discardableResult
  public static func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
    let list = JobList(jobs: 1) { _, _ in body() }
    let start = Unmanaged.passRetained(WorkerStart(list: list, worker: 0, cancellation: nil))
    guard let handle = startThread(start.toOpaque()) else {
      start.release()
      return false
    }
    pthread_detach(handle)
    return true
  }
}

private final class JobList: Sendable {
  let jobs: Int
  let body: @Sendable (Int, Int) -> Void
  let next = Atomic<Int>(0)

  init(jobs: Int, body: @escaping @Sendable (Int, Int) -> Void) {
    self.jobs = jobs
    self.body = body
  }

  func drain(worker: Int) {
    while true {
      let job = next.wrappingAdd(1, ordering: .relaxed).oldValue
      if job >= jobs { return }
      body(worker, job)
    }
  }
}

private final class WorkerStart: Sendable {
  let list: JobList
  let worker: Int
  let cancellation: WorkCancellation?

  /// - Parameter cancellation: by default the cancellation of the calling thread, which starts the
  ///   worker.
  init(
    list: JobList, worker: Int, cancellation: WorkCancellation? = WorkCancellation.current
  ) {
    self.list = list
    self.worker = worker
    self.cancellation = cancellation
  }

  func drain() {
    WorkCancellation.with(cancellation) { list.drain(worker: worker) }
  }
}

/// Starts a thread that runs the job list of `start`; the thread owns `start` from then on.
private func startThread(_ start: UnsafeMutableRawPointer) -> pthread_t? {
  #if canImport(Darwin)
    var handle: pthread_t?
    let code = pthread_create(
      &handle, nil,
      { pointer in
        let start = Unmanaged<WorkerStart>.fromOpaque(pointer).takeRetainedValue()
        start.drain()
        return nil
      }, start)
    return code == 0 ? handle : nil
  #else
    var handle = pthread_t()
    let code = pthread_create(
      &handle, nil,
      { pointer in
        guard let pointer else { return nil }
        let start = Unmanaged<WorkerStart>.fromOpaque(pointer).takeRetainedValue()
        start.drain()
        return nil
      }, start)
    return code == 0 ? handle : nil
  #endif
}

/// A value that is computed on a separate thread, in parallel with the caller.
public final class BackgroundValue<Value: Sendable> {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  private let outcome = Outcome()
  private let task: BackgroundTask

  /// Starts `body` immediately; if no thread is available, it runs on the calling thread.
  public init(_ body: @escaping @Sendable () throws -> Value) {
    task = BackgroundTask { [outcome] in
      let result = Result(catching: body)
      outcome.result.withLock { $0 = result }
    }
  }

  /// Waits for the value or the error of `body`; each call has the same outcome.
  public func value() throws -> Value {
    task.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
      preconditionFailure("the job is done")
    }
    return try result.get()
  }
}

/// One job on a separate thread, in parallel with the caller.
public final class BackgroundTask {
  private var handle: pthread_t?

  /// Starts `body` immediately; if no thread is available, it runs on the calling thread.
  public init(_ body: @escaping @Sendable () -> Void) {
    let list = JobList(jobs: 1) { _, _ in body() }
    let start = Unmanaged.passRetained(WorkerStart(list: list, worker: 0))
    handle = startThread(start.toOpaque())
    if handle == nil {
      start.release()
      body()
    }
  }

  deinit { wait() }

  /// Returns when the job is done.
  public func wait() {
    if let handle { pthread_join(handle, nil) }
    handle = nil
  }
}
