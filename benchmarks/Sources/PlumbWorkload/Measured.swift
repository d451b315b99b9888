#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A timed part of the process.
struct Measured {
  /// The wall time in seconds.
  var seconds: Double
  /// The CPU time of all processors in seconds.
  var cpu: Double
  /// The peak memory of the process until the end of the work, in bytes.
  var peak: Int

  static func run(_ body: () throws -> Void) rethrows -> Measured {
    let before = usage()
    let time = try timed(body)
    let after = usage()
    #if canImport(Darwin)
      let peak = after.ru_maxrss
    #else
      let peak = after.ru_maxrss * 1024
    #endif
    return Measured(seconds: time, cpu: cpu(after) - cpu(before), peak: peak)
  }

  /// The output for the suite, with further numbers by name.
  func json(_ others: KeyValuePairs<String, Int> = [:]) -> String {
    let facts = others.map { ", \"\($0.key)\": \($0.value)" }.joined()
    return "{\"seconds\": [\(seconds)], \"cpu\": \(cpu), \"peak\": \(peak)\(facts)}"
  }

  private static func usage() -> rusage {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(RUSAGE_SELF.rawValue, &usage)
    #endif
    return usage
  }

  private static func cpu(_ usage: rusage) -> Double {
    Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
  }
}

/// The duration of `body` in seconds.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return seconds(since: start)
}

/// The elapsed time in seconds.
func seconds(since start: ContinuousClock.Instant) -> Double {
  let time = (ContinuousClock.now - start).components
  return Double(time.seconds) + Double(time.attoseconds) * 1e-18
}
