import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A run of `plumb` with its peak memory and its signal. The run is killed after a time limit.
public struct MeasuredRun: Sendable {
  /// The exit status, or minus the number of the signal that ended it; nil if it was ended after 20
  /// s.
  public var status: Int?
  /// The peak memory in bytes.
  public var peakMemory: Int
  public var output: String
  public var errors: String

  public init(_ arguments: [String], folder: String) throws {
    let errorPath = folder + "/.errors"
    let outputPath = folder + "/.output"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let program = TestPaths.program("plumb")
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for text in argv { free(text) } }
    var pid = pid_t()
    guard posix_spawn(&pid, program, &actions, nil, &argv, environ) == 0 else {
      throw CocoaError(.executableNotLoadable)
    }
    var usage = rusage()
    var raw: Int32 = 0
    let end = ContinuousClock.now + .seconds(180)
    var isLate = false
    var peak = 0
    while wait4(pid, &raw, WNOHANG, &usage) == 0 {
      peak = max(peak, Self.peakMemory(of: pid) ?? 0)
      if ContinuousClock.now > end, !isLate {
        isLate = true
        kill(pid, SIGKILL)
      }
      usleep(1000)
    }
    let signal = Int(raw & 0x7F)
    status = isLate ? nil : signal != 0 ? -signal : Int(raw >> 8 & 0xFF)
    #if canImport(Darwin)
      peakMemory = Int(usage.ru_maxrss)
    #else
      // The kernel includes this process's peak until the program is loaded.
      peakMemory = peak
    #endif
    output = (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? ""
    errors = (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? ""
  }

  /// The peak memory so far, from the kernel; nil if it is not available.
  private static func peakMemory(of pid: pid_t) -> Int? {
    // Until the program is loaded, the memory is that of this process.
    let files = FileManager.default
    guard
      let loaded = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe"),
      loaded != (try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe")),
      let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(separator: " ").dropLast().last.flatMap({ Int($0) })
    else { return nil }
    return kilobytes << 10
  }

  /// Whether the run ended without being killed, with a result or an error, in less than 1 GB.
  public var isSound: Bool { (status == 0 || status == 1) && peakMemory < 1 << 30 }
}
