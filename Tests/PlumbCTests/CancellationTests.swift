import Plumb
import PlumbTestSupport
import Synchronization
import Testing

/// Cancelled work: its threads are notified, and none of its results is returned.
@Suite struct CancellationTests {
  @Test func threadsHaveThatOfTheirStarter() throws {
    let cancellation = WorkCancellation()
    let seen = Atomic<Int>(0)
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(cancellation) {
        cancellation.cancel()
        Workers(count: 4).run(64) { _, _ in
          if WorkCancellation.isCurrentCancelled { seen.add(1, ordering: .relaxed) }
        }
        WorkCancellation.uncancelled { #expect(!WorkCancellation.isCurrentCancelled) }
        #expect(WorkCancellation.isCurrentCancelled)
      }
    }
    #expect(seen.load(ordering: .relaxed) == 64)
    #expect(!WorkCancellation.isCurrentCancelled)
  }

  /// Threads that outlive the work that started them are not part of it.
  @Test func detachedThreadsHaveNone() throws {
    let cancellation = WorkCancellation()
    let seen = Mutex<Bool?>(nil)
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(cancellation) {
        cancellation.cancel()
        Workers.detach { seen.withLock { $0 = WorkCancellation.isCurrentCancelled } }
      }
    }
    try waitUntil("the thread has run") { seen.withLock { $0 != nil } }
    #expect(seen.withLock { $0 } == false)
  }

  /// Neither a value nor an error of the work itself is returned.
  @Test func nothingLeavesCancelledWork() throws {
    #expect(try WorkCancellation.run(WorkCancellation()) { 5 } == 5)
    #expect(throws: GeometryError.self) {
      try WorkCancellation.run(WorkCancellation()) { throw GeometryError("its own") }
    }
    for fails in [false, true] {
      let cancellation = WorkCancellation()
      #expect(throws: CancellationError.self) {
        try WorkCancellation.run(cancellation) {
          cancellation.cancel()
          if fails { throw GeometryError("a consequence") }
        }
      }
      // The work does not start again.
      #expect(throws: CancellationError.self) {
        try WorkCancellation.run(cancellation) { Issue.record("it began") }
      }
    }
  }

  /// Lists that an engine left empty because of the cancellation are not returned.
  @Test func listsOfCancelledWorkDoNotGetOut() throws {
    let square = Polygon(
      VertexList([SIMD2(0, 0), SIMD2(1, 0), SIMD2(1, 1), SIMD2(0, 1), SIMD2(0, 0)]))
    let locator = GeometryLocator([.polygon(square)])
    let x = [Double](repeating: 0.5, count: 120_000)
    let workers = Workers(count: 2)
    let whole = locator.items(atEach: x, x, count: x.count, workers: workers)
    let seconds = RandomMoments.seconds {
      _ = locator.items(atEach: x, x, count: x.count, workers: workers)
    }
    var moments = RandomMoments(seed: 1, seconds: seconds)
    while moments.needsMore(40) {
      let run = CancelledRun(after: moments.next()) {
        locator.items(atEach: x, x, count: x.count, workers: workers)
      }
      moments.record(wasStrike: run.wasStrike)
      #expect(run.isRight { $0 == whole })
    }
    #expect(moments.areStrikes, "\(moments.strikes) of \(moments.count)")
  }

  /// Shared state does not contain results of cancelled work.
  @Test func valuesOfCancelledWorkAreNotKept() throws {
    let made = Atomic<Int>(0)
    let value = LazyValue { made.add(1, ordering: .relaxed).newValue }
    let cancellation = WorkCancellation()
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(cancellation) {
        cancellation.cancel()
        _ = value.value
      }
    }
    #expect(value.value == 2 && value.value == 2)
    let pool = IdlePool<Int, Int>(limit: 4)
    let other = WorkCancellation()
    _ = try? WorkCancellation.run(other) {
      try pool.lend(0, make: { 1 }) { _ in other.cancel() }
    }
    #expect(try pool.lend(0, make: { 2 }) { $0 } == 2)
    #expect(try pool.lend(0, make: { 3 }) { $0 } == 2)
    let recent = RecentValues<Int, Int>(limit: 4)
    let third = WorkCancellation()
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(third) {
        try recent.value(of: 0) {
          third.cancel()
          return 1
        }
      }
    }
    #expect(try recent.value(of: 0) { 2 } == 2)
    #expect(try recent.value(of: 0) { 3 } == 2)
  }
}
