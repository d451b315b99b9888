#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Computes the delay before a request is retried.
enum BackOff {
  /// Returns the delay in seconds, which doubles with each attempt. It is multiplied by a random
  /// factor from 0.5 to 1.5, so that clients that failed at the same time do not retry at the same
  /// time.
  ///
  /// - Parameter tries: the number of failed attempts.
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
