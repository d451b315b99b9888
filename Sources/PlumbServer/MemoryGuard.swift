import Logging
import PlumbCore
import PlumbService

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps the server within some memory: requests wait for each other where little is left; where almost none
/// is, the cache of tiles is emptied, and then the request that has run for the longest time is ended, before
/// the system ends the process.
final class MemoryGuard: Sendable {
  /// Bytes that the process may have.
  let limit: Int
  private let pool: WorkPool
  private let service: Service
  private let logger: Logger
  private let isClosed = WaitableState(false)

  /// Seconds between two looks, and from the end of one request to that of another: memory comes back
  /// with a delay.
  private static let interval = 0.02
  private static let pause = 0.15
  /// Memory beside what the process has at rest that requests get in any case.
  private static let least = 64 << 20

  init(limit: Int, pool: WorkPool, service: Service, logger: Logger) {
    (self.limit, self.pool, self.service, self.logger) = (limit, pool, service, logger)
    Workers.detach { self.watch() }
  }

  private func watch() {
    // Reading the documents has left some behind.
    ProcessMemory.trim()
    var rest = ProcessMemory.used ?? 0
    var nextEnd = ContinuousClock.now
    while true {
      let isClosed: Bool? = self.isClosed.wait(seconds: Self.interval) { $0 ? true : nil }
      if isClosed == true { return }
      guard let used = ProcessMemory.used else { return }
      let isIdle = pool.running == 0
      if isIdle { rest = min(rest, used) }
      let most = max(limit / 8 * 7, rest + Self.least)
      if used > limit / 4 * 3 { pool.runsOneByOne = true }
      if used < limit / 8 * 5 { pool.runsOneByOne = false }
      guard used > most, ContinuousClock.now >= nextEnd else { continue }
      service.emptyCache()
      ProcessMemory.trim()
      guard let left = ProcessMemory.used, left > most else { continue }
      // Then it is the documents that need more.
      if isIdle { rest = left }
      guard pool.endLongest() else { continue }
      nextEnd = ContinuousClock.now + .seconds(Self.pause)
      logger.warning(
        "\(left >> 20) MB of \(limit >> 20) MB are taken: the request that ran for the longest time is ended"
      )
    }
  }

  func close() { isClosed.change { $0 = true } }

  // MARK: The limit of the system

  /// The bytes that the process's control group may have, with those that it is in; nil without a limit.
  static var systemLimit: Int? {
    #if canImport(Darwin)
      nil
    #else
      groupFiles.compactMap { number(in: $0) }.min()
    #endif
  }

  /// The files that have the limits of the groups, in either version of control groups.
  private static var groupFiles: [String] {
    guard let text = text(of: "/proc/self/cgroup") else { return [] }
    var files: [String] = []
    for line in text.split(separator: "\n") {
      // NUMBER:CONTROLLERS:PATH
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

  /// The number that a file of the system is; nil for `max` and what version 1 says without a limit.
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
