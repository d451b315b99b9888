#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a helper may use.
package struct HelperLimits: Sendable {
  /// Bytes of memory of its own.
  package var memory = 2 << 30
  /// Seconds for one request, of processor time and by the clock.
  package var seconds = 30.0
  /// Bytes of one file that it writes, which are temporary ones.
  package var fileSize = 1 << 30
  /// Files that are open at once.
  package var files = 256

  /// Those of this process's helpers: `PLUMB_READER_MEMORY` (megabytes) and `PLUMB_READER_SECONDS` change
  /// them.
  package static let current: HelperLimits = {
    var limits = HelperLimits()
    if let megabytes = number("PLUMB_READER_MEMORY"), megabytes >= 64, megabytes <= 1_048_576 {
      limits.memory = Int(megabytes) << 20
    }
    if let seconds = number("PLUMB_READER_SECONDS"), seconds >= 0.1, seconds <= 86_400 {
      limits.seconds = seconds
    }
    return limits
  }()

  private static func number(_ name: String) -> Double? {
    getenv(name).flatMap { Double(String(cString: $0)) }
  }

  static var memoryReason: String {
    "it took more than the \(current.memory >> 20) MB that a helper process may take "
      + "(PLUMB_READER_MEMORY)"
  }

  static var timeReason: String {
    "it took more than the processor time that a helper process may take (PLUMB_READER_SECONDS)"
  }
}
