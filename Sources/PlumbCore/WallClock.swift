#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The current time in UTC, since 1970.
package enum WallClock {
  private static var time: timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time
  }

  package static var seconds: Int { time.tv_sec }

  package static var milliseconds: Int64 { microseconds / 1000 }

  package static var microseconds: Int64 {
    let time = time
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
