import PlumbCore
import PlumbTestSupport
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct WorkersTests {
  @Test(arguments: [1, 2, 3, 8], [0, 1, 2, 7, 1000])
  func everyJobOnce(count: Int, jobs: Int) {
    let done = (0..<jobs).map { _ in Counter() }
    let busy = Busy(count: count)
    Workers(count: count).run(jobs) { worker, job in
      busy.enter(worker)
      done[job].add()
      busy.leave(worker)
    }
    #expect(done.allSatisfy { $0.value == 1 })
    #expect(busy.clashes.value == 0)
  }

  @Test(arguments: [0, 1, 99, 100, 101, 12_345], [1, 100, 5000])
  func rangesCoverAll(total: Int, grain: Int) {
    let seen = TrivialBuffer<UInt8>(count: total, zeroed: true)
    let short = Counter()
    Workers(count: 4).runRanges(total, grain: grain) { _, range in
      for i in range { seen.base[i] += 1 }
      if range.count < grain, range.upperBound != total { short.add() }
    }
    #expect(seen.array.allSatisfy { $0 == 1 })
    #expect(short.value == 0)
  }

  @Test(arguments: [1, 2, 3, 8], [0, 1, 2, 7, 1000])
  func resultsAreInTheOrderOfJobs(count: Int, jobs: Int) {
    let squares = Workers(count: count).map(jobs) { _, job in "\(job * job)" }
    #expect(squares == (0..<jobs).map { "\($0 * $0)" })
    let sums = Workers(count: count).mapRanges(jobs, grain: 3) { _, range in
      range.reduce(0, +)
    }
    #expect(sums.count == (jobs + 2) / 3)
    #expect(sums.reduce(0, +) == (0..<jobs).reduce(0, +))
  }

  private struct Fault: Error, Equatable { var job: Int }

  /// In any order of execution, the lowest job's error is thrown, and jobs that have not begun are
  /// not run.
  @Test(arguments: [1, 2, 8])
  func errorOfTheLowestJob(count: Int) {
    for _ in 0..<50 {
      let began = Counter()
      #expect(throws: Fault(job: 10)) {
        _ = try Workers(count: count).map(10_000) { (_, job) throws(Fault) in
          began.add()
          if job >= 10 { throw Fault(job: job) }
          return job
        }
      }
      #expect(began.value < 10_000)
    }
  }

  @Test func statesAreOneWorkersEach() {
    final class Sum { var value = 0 }
    let workers = Workers(count: 4)
    let states = WorkerStates(count: workers.count) { Sum() }
    workers.run(10_000) { worker, job in states[worker].value += job }
    #expect((0..<states.count).reduce(0) { $0 + states[$1].value } == 49_995_000)
  }

  @Test func backgroundValueIsThereTwice() throws {
    let value = BackgroundValue { 7 }
    #expect(try value.value() == 7)
    #expect(try value.value() == 7)
    let fault = BackgroundValue { () throws -> Int in throw Fault(job: 1) }
    #expect(throws: Fault(job: 1)) { _ = try fault.value() }
    #expect(throws: Fault(job: 1)) { _ = try fault.value() }
  }

  // MARK: From tasks

  /// Any number of jobs that wait for each other run at once, although tasks have few threads,
  /// because the work is done on separate threads.
  @Test func backgroundWorkBlocksNoThreadOfTasks() async throws {
    let count = 64
    let arrived = Counter()
    let met = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          try await Workers.inBackground { _ in
            arrived.add()
            for _ in 0..<10_000 where arrived.value < count { usleep(1000) }
            return arrived.value == count
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(met == Array(repeating: true, count: count))
  }

  @Test func backgroundWorkIsCancelled() async throws {
    let (began, passed) = (Counter(), Counter())
    // The priority is higher than that of the tests that wait for a thread of the pool.
    let task = Task.detached(priority: .high) {
      try await Workers.inBackground { cancellation in
        began.add()
        while true {
          try cancellation.check()
          passed.add()
          usleep(100)
        }
      }
    }
    try await waitUntil("the work begins") { passed.value > 0 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(began.value == 1)
    // Work cancelled before it begins does not run.
    let late = Task.detached(priority: .high) {
      withUnsafeCurrentTask { $0?.cancel() }
      try await Workers.inBackground { _ in began.add() }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(began.value == 1)
  }

  /// Jobs run concurrently: two that wait for each other both finish.
  @Test func jobsRunAtOnce() {
    let (arrived, met) = (Counter(), Counter())
    Workers(count: 2).run(2) { _, _ in
      arrived.add()
      // There is a deadline, so that a single thread fails instead of hanging.
      for _ in 0..<10_000_000 where arrived.value < 2 { sched_yield() }
      if arrived.value == 2 { met.add() }
    }
    #expect(met.value == 2)
  }

  @Test func countIsAtLeastOne() {
    #expect(Workers(count: 0).count == 1)
    #expect(Workers(count: -3).count == 1)
    #expect(Workers().count >= 1)
  }
}

/// The active workers, and whether a number was ever used twice at the same time.
private final class Busy: Sendable {
  let clashes = Counter()
  private let workers: Mutex<[Bool]>

  init(count: Int) { workers = Mutex([Bool](repeating: false, count: count)) }

  func enter(_ worker: Int) {
    workers.withLock { list in
      if !list.indices.contains(worker) || list[worker] {
        clashes.add()
      } else {
        list[worker] = true
      }
    }
  }

  func leave(_ worker: Int) {
    workers.withLock { list in if list.indices.contains(worker) { list[worker] = false } }
  }
}
