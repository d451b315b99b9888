import Plumb
import PlumbTestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Timed waits, which changes of the system time must not affect.
@Suite struct MonotonicTimeTests {
  @Test func deadlinesAreOfTheMonotonicClock() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let deadline = MonotonicTime(after: 2.75).time
    let seconds =
      Double(deadline.tv_sec - now.tv_sec) + Double(deadline.tv_nsec - now.tv_nsec) * 1e-9
    #expect(seconds >= 2.75 && seconds < 60)
    #expect((0..<1_000_000_000).contains(deadline.tv_nsec))
    for unusual: Double in [-1, .infinity, -.infinity] { _ = MonotonicTime(after: unusual) }
  }

  /// If a condition variable and its deadline used different clocks, a wait would end immediately
  /// or take years.
  @Test func aWaitIsAsLongAsItsTime() {
    let state = WaitableState(0)
    let start = ContinuousClock.now
    #expect(state.wait(seconds: 0.02) { $0 == 1 ? true : nil } == nil)
    #expect(ContinuousClock.now - start >= .milliseconds(20))
    let other = BackgroundTask { state.change { $0 = 1 } }
    #expect(state.wait(seconds: 60) { $0 == 1 ? true : nil } == true)
    other.wait()
    #expect(ContinuousClock.now - start < .seconds(50))
  }

  /// No other wait uses the system time.
  @Test func noFileWaitsByTheTimeOfDay() throws {
    let wait = "pthread_cond_timedwait"
    let run = try ProgramRun(
      "/bin/grep", ["-rlIE", wait + "|sem_timedwait|mutex_timedlock", TestPaths.root + "/Sources"])
    let files = run.output.split(separator: "\n").map(String.init)
    #expect(files.map { $0.split(separator: "/").last } == ["WaitableState.swift"])
  }
}
