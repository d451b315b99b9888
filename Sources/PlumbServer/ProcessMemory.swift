import Dispatch
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of the process.
enum ProcessMemory {
  /// Bytes that are mapped and that the process has; nil where the system does not tell.
  static var sizes: (mapped: Int, resident: Int)? {
    counts.map { ($0[0], $0[1]) }
  }

  /// The most bytes of mapped files that count as used: those of the program and its libraries. The system
  /// drops pages of other files when it needs memory.
  private static let programBytes = 128 << 20

  /// Bytes that the process uses; nil where the system does not tell.
  static var used: Int? { counts.map { $0[1] - $0[2] + min($0[2], programBytes) } }

  /// The bytes of what is mapped, of what of that is in memory, and of files in memory.
  private static var counts: [Int]? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return nil }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let numbers = bytes.split(separator: UInt8(ascii: " "))
      .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count > 2 else { return nil }
    let page = sysconf(Int32(_SC_PAGESIZE))
    return numbers.map { $0 * page }
  }

  /// Bytes by which the memory grows before what is free in it goes back to the system at once.
  private static let growth = 32 << 20
  /// Bytes that are worth the effort at all, and seconds between two looks for them.
  private static let change = 4 << 20
  private static let seconds = 10

  private struct Known {
    /// The size when free memory was given back last, or less.
    var bytes = 0
    /// Seconds since then.
    var age = 0
  }

  /// Lets the C library's allocator keep few heaps, where it has a setting for their number. Each thread
  /// that has its own keeps free memory in it; with few, some requests take up to a tenth longer.
  static func limitHeaps() {
    guard let address = dlsym(nil, "mallopt") else { return }
    // M_ARENA_MAX of glibc.
    _ = unsafeBitCast(address, to: (@convention(c) (Int32, Int32) -> Int32).self)(-8, 2)
  }

  private static let trimming = dlsym(nil, "malloc_trim").map {
    unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
  }

  /// Gives free memory back to the system, where the C library has a function for it.
  static func trim() { _ = trimming?(0) }

  /// Gives free memory back to the system from time to time: a large request leaves much of it behind.
  ///
  /// - Returns: what does so until it is cancelled; nil where the C library has no such function.
  static func givingBack() -> (any DispatchSourceTimer)? {
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
