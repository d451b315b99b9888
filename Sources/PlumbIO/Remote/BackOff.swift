#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How long to wait before a request is tried again.
enum BackOff {
  /// Twice as long each time, and by chance up to a half more or less, so that those who failed
  /// together do not come back together.
  ///
  /// - Parameter tries: how many have failed.
  static func delay(_ base: Double, _ tries: Int) -> Double {
    min(base * Double(1 << min(tries - 1, 16)), 16) * Double.random(in: 0.5...1.5)
  }

  static func wait(_ seconds: Double) {
    var time = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    var left = timespec()
    while nanosleep(&time, &left) != 0, errno == EINTR { time = left }
  }
}
