import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A fixed number of threads that share out numbered jobs: the only thread code in Plumb.
///
/// The threads live as long as one `run`; starting one costs some 20 µs, so a job list should hold
/// a millisecond's work or more.
public struct Workers: Sendable {
  /// How many threads run at once, the caller's among them; at least 1.
  public let count: Int

  /// - Parameter count: the number of threads; nil takes one for each processor that the process may
  ///   use, by its affinity and the CPU quota of its control groups.
  public init(count: Int? = nil) {
    self.count = max(1, count ?? ProcessorCount.available)
  }

  /// Calls `body(worker, job)` once for each job in `0..<jobs`, on up to `count` threads.
  ///
  /// Jobs start in ascending order. `worker` is in `0..<count`; no two calls with one worker
  /// number run at the same time, so it can index state that is not thread-safe.
  public func run(_ jobs: Int, _ body: (_ worker: Int, _ job: Int) -> Void) {
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

  /// Calls `body(worker, range)` for consecutive ranges that cover `0..<total`, each of at least
  /// `grain` elements but the last.
  public func runRanges(
    _ total: Int, grain: Int, _ body: (_ worker: Int, _ range: Range<Int>) -> Void
  ) {
    guard total > 0 else { return }
    let size = max(grain, 1)
    run((total + size - 1) / size) { worker, job in
      body(worker, job * size..<min(total, (job + 1) * size))
    }
  }

  /// Runs `body` on a thread of its own, which is never joined.
  public static func detach(_ body: @escaping @Sendable () -> Void) {
    let list = JobList(jobs: 1) { _, _ in body() }
    let start = Unmanaged.passRetained(WorkerStart(list: list, worker: 0))
    if let handle = startThread(start.toOpaque()) {
      pthread_detach(handle)
    } else {
      start.release()
    }
  }
}

private final class JobList {
  let jobs: Int
  let body: (Int, Int) -> Void
  let next = Atomic<Int>(0)

  init(jobs: Int, body: @escaping (Int, Int) -> Void) {
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

private final class WorkerStart {
  let list: JobList
  let worker: Int

  init(list: JobList, worker: Int) {
    self.list = list
    self.worker = worker
  }
}

/// Starts a thread that drains the job list behind `start`, which it owns from then on.
private func startThread(_ start: UnsafeMutableRawPointer) -> pthread_t? {
  #if canImport(Darwin)
    var handle: pthread_t?
    let code = pthread_create(
      &handle, nil,
      { pointer in
        let start = Unmanaged<WorkerStart>.fromOpaque(pointer).takeRetainedValue()
        start.list.drain(worker: start.worker)
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
        start.list.drain(worker: start.worker)
        return nil
      }, start)
    return code == 0 ? handle : nil
  #endif
}

/// One job on a thread of its own, beside the caller's work.
public final class BackgroundTask {
  private var handle: pthread_t?

  /// Starts `body` at once; when no thread can be had it runs here and now.
  public init(_ body: @escaping () -> Void) {
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
