import Logging
import PlumbCore
import PlumbSandbox
import PlumbService

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps the server and its helper processes within a memory limit. When memory is low, requests run
/// one at a time. When memory is almost exhausted, the guard first empties the tile cache and ends
/// the idle helpers, then closes the connection that has stalled for the longest time, and then
/// cancels a request: the one with the largest helper if that helper is large, otherwise the
/// longest-running one. These steps prevent the system from killing the process.
final class MemoryGuard: Sendable {
  /// The memory limit of the process and its helpers in bytes.
  let limit: Int
  private let pool: WorkPool
  private let table: ConnectionTable
  /// The memory of bodies and replies.
  private let ledger: MemoryLedger
  private let service: Service
  private let logger: Logger
  private let isClosed = WaitableState(false)

  /// The number of seconds between two checks. The short interval applies near the limit, because a
  /// request may allocate a gigabyte per second.
  private static let (interval, shortInterval) = (0.02, 0.004)
  /// The minimum number of seconds between two cancellations, because cancelled work releases its
  /// memory late. The short pause applies near the limit.
  private static let (pause, shortPause) = (0.15, 0.05)
  /// The memory that requests may always use in addition to the memory of the idle process, in
  /// bytes.
  private static let minimum = 32 << 20

  init(
    limit: Int, pool: WorkPool, table: ConnectionTable, ledger: MemoryLedger, service: Service,
    logger: Logger
  ) {
    (self.limit, self.pool, self.table, self.ledger) = (limit, pool, table, ledger)
    (self.service, self.logger) = (service, logger)
    Workers.detach { self.watch() }
  }

  private func watch() {
    // Loading the documents leaves freed memory in the allocator.
    ProcessMemory.trim()
    var rest = Self.used ?? 0
    var lastEnd = ContinuousClock.now
    var nextTrim = lastEnd
    var interval = Self.interval
    while true {
      let isClosed: Bool? = self.isClosed.wait(seconds: interval) { $0 ? true : nil }
      if isClosed == true { return }
      guard let used = Self.used else { return }
      let isIdle = pool.running == 0
      if isIdle { rest = min(rest, used) }
      let maximum = max(limit / 4 * 3, rest + Self.minimum)
      interval = used > limit / 16 * 11 ? Self.shortInterval : Self.interval
      if used > limit / 16 * 11 { pool.runsOneByOne = true }
      if used < limit / 16 * 9 { pool.runsOneByOne = false }
      // The memory of the documents does not count, because waiting would not reduce it.
      pool.holdsLarge = used > max(limit / 16 * 11, rest + Self.minimum)
      guard used > maximum else { continue }
      service.emptyCache()
      RunningHelpers.endIdle()
      // Returning free memory to the system takes time, so it is not repeated within `shortPause`.
      // During this time, a request is cancelled only if the memory in use exceeds `critical`.
      let critical = maximum + max(0, limit - maximum) / 4
      let isTrimmed = ContinuousClock.now < nextTrim
      if isTrimmed, used <= critical { continue }
      if !isTrimmed {
        ProcessMemory.trim()
        nextTrim = .now + .seconds(Self.shortPause)
      }
      guard let left = Self.used, left > maximum else { continue }
      let pause = left > critical ? Self.shortPause : Self.pause
      guard ContinuousClock.now >= lastEnd + .seconds(pause) else { continue }
      _ = table.closeLongestStalled()
      // Without requests, all memory in use belongs to the documents.
      if isIdle { rest = left }
      cancelRequest(left)
      lastEnd = .now
    }
  }

  /// Cancels the request with the largest helper process if this process uses at least a quarter of
  /// the limit; otherwise, cancels the request that has run for the longest time.
  private func cancelRequest(_ used: Int) {
    let helpers = RunningHelpers.memory
    let isLarge = RunningHelpers.largestWork(minimum: limit / 4).map(pool.end) ?? false
    guard isLarge || pool.endLongest() else { return }
    let which = isLarge ? "request with the largest helper process" : "longest running request"
    logger.warning(
      """
      \(used >> 20) MB of \(limit >> 20) MB are used, \(ledger.used >> 20) MB of them by bodies and \
      replies and \(helpers >> 20) MB by helper processes: the \(which) is cancelled
      """)
  }

  /// The memory used by the process and its helpers in bytes; nil if the system does not provide it.
  private static var used: Int? { ProcessMemory.used.map { $0 + RunningHelpers.memory } }

  func close() { isClosed.change { $0 = true } }

  // MARK: Helpers

  /// Limits the memory of each helper process to half of the limit of the server, but at least 64 MB
  /// and at most 2048 MB, unless the environment contains a limit. Call this function before helpers
  /// start.
  static func limitHelpers(_ limit: Int) {
    setenv("PLUMB_READER_MEMORY", "\(max(64, min(2048, limit >> 21)))", 0)
  }

  // MARK: The system's limit

  /// The lowest memory limit of the process's control group and the ancestors of this group, in
  /// bytes; nil if there is no limit.
  static var systemLimit: Int? {
    #if canImport(Darwin)
      nil
    #else
      groupFiles.compactMap { number(in: $0) }.min()
    #endif
  }

  /// The paths of the files with the groups' memory limits, for versions 1 and 2 of control groups.
  private static var groupFiles: [String] {
    guard let text = text(of: "/proc/self/cgroup") else { return [] }
    var files: [String] = []
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isFirst = parts[1].split(separator: ",").contains("memory")
      guard isFirst || parts[1].isEmpty else { continue }
      let (root, name) =
        isFirst
        ? ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") : ("/sys/fs/cgroup", "memory.max")
      var path = ""
      files.append("\(root)/\(name)")
      for part in parts[2].split(separator: "/") where part != ".." {
        path += "/\(part)"
        files.append("\(root)\(path)/\(name)")
      }
    }
    return files
  }

  /// Returns the number in a system file; nil for `max` (version 2) and for the very large number
  /// that version 1 uses, both of which mean that the group has no limit.
  private static func number(in path: String) -> Int? {
    guard let text = text(of: path), let number = Int(text.prefix { $0 != "\n" }) else {
      return nil
    }
    return number > 0 && number < 1 << 60 ? number : nil
  }

  private static func text(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
