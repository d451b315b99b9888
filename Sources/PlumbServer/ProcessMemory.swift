import Dispatch
import PlumbCore
import PlumbSandbox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of this process.
enum ProcessMemory {
  /// The mapped and the resident size in bytes; nil if the system does not provide them.
  static var sizes: (mapped: Int, resident: Int)? {
    MemoryPages().map { ($0.mapped, $0.resident) }
  }

  /// The maximum size of resident file pages that count as used memory, in bytes. It is an estimate
  /// for the pages of the program and its libraries. The system drops other file pages when it
  /// needs memory.
  private static let programBytes = 128 << 20

  /// The memory used by the process, without its helpers, in bytes; nil if the system does not
  /// provide it.
  static var used: Int? {
    MemoryPages().map { $0.anonymous + min($0.shared, programBytes) }
  }

  /// The growth in bytes after which free memory is returned to the system immediately.
  private static let growth = 32 << 20
  /// If the resident size changes by more than `change` bytes, free memory is returned to the system,
  /// at most once in `seconds` seconds.
  private static let change = 4 << 20
  private static let seconds = 10

  private struct Known {
    /// The lowest resident size since the last trim, in bytes.
    var bytes = 0
    /// The seconds since the last trim.
    var age = 0
  }

  /// Limits the number of heaps of the C library's allocator, and allocates large blocks outside
  /// the heaps, if the C library has such settings. Each heap retains free memory. With few heaps,
  /// some requests take up to 10 % longer.
  static func limitHeaps() {
    guard let address = dlsym(nil, "mallopt") else { return }
    let set = unsafeBitCast(address, to: (@convention(c) (Int32, Int32) -> Int32).self)
    // The options are glibc's M_ARENA_MAX (-8) and M_MMAP_THRESHOLD (-3).
    _ = set(-8, 2)
    _ = set(-3, 1 << 20)
  }

  private static let trimming = dlsym(nil, "malloc_trim").map {
    unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
  }

  /// Returns free memory to the system, if the C library has a function for it.
  static func trim() { _ = trimming?(0) }

  /// Starts to return free memory to the system periodically, because large requests leave much
  /// free memory in the allocator.
  ///
  /// - Returns: the timer, which runs until it is cancelled; nil if the C library has no function
  ///   to return memory.
  static func trimmingTimer() -> (any DispatchSourceTimer)? {
    guard trimming != nil else { return nil }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb-server.memory"))
    timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
    let known = WaitableState(Known())
    timer.setEventHandler {
      guard let now = sizes?.resident else { return }
      let isDue = known.withLock { known in
        known.age += 1
        let isDue =
          now > known.bytes + growth || known.age >= seconds && abs(now - known.bytes) > change
        if isDue { known.age = 0 } else { known.bytes = min(known.bytes, now) }
        return isDue
      }
      guard isDue else { return }
      trim()
      known.withLock { $0.bytes = sizes?.resident ?? now }
    }
    timer.resume()
    return timer
  }
}
