#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The resource limits of a helper.
package struct HelperLimits: Sendable {
  /// The limit of private memory in bytes.
  package var memory = 2 << 30
  /// The limit of processor time and of wall-clock time for one request, in seconds.
  package var seconds = 30.0
  /// The size limit of each temporary file that the helper writes, in bytes.
  var fileSize = 1 << 30
  /// The limit of open files.
  package var files = 256

  /// The limits of this process's helpers. The environment variables `PLUMB_READER_MEMORY` (in
  /// megabytes) and `PLUMB_READER_SECONDS` override the defaults.
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
    "it exceeded the limit of \(current.memory >> 20) MB of memory of a helper process "
      + "(PLUMB_READER_MEMORY)"
  }

  static var timeReason: String {
    "it exceeded the processor time limit of a helper process (PLUMB_READER_SECONDS)"
  }
}
