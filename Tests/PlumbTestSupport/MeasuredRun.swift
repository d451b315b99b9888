import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One run of `plumb` with its peak memory and its signal, which must not take for ever.
public struct MeasuredRun: Sendable {
  /// The exit status, or minus the signal that ended it; nil when it had to be ended after 20 s.
  public var status: Int?
  /// Most memory in use at once, in bytes.
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
    let end = ContinuousClock.now + .seconds(20)
    var isLate = false
    while wait4(pid, &raw, WNOHANG, &usage) == 0 {
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
      peakMemory = Int(usage.ru_maxrss) << 10
    #endif
    output = (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? ""
    errors = (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? ""
  }

  /// Whether it ended by itself, with an answer or a refusal, in less than 1 GB.
  public var isSound: Bool { (status == 0 || status == 1) && peakMemory < 1 << 30 }
}
