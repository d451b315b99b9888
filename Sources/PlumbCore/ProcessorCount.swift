#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The number of processors that this process may use: the processors in its CPU affinity mask,
/// limited by the CPU quota of its control groups.
enum ProcessorCount {
  /// At least 1.
  package static let available = max(1, min(affinity() ?? online, quota() ?? .max))

  private static var online: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The number of processors in the affinity mask of this thread; nil if it is unknown.
  static func affinity(root: String = "") -> Int? {
    guard let facts = text(root + "/proc/thread-self/status") else { return nil }
    let key = "Cpus_allowed:"
    guard let line = facts.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
      return nil
    }
    // The mask consists of hexadecimal digits in groups separated by commas.
    let count = line.dropFirst(key.count).reduce(0) { sum, digit in
      sum + (digit.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : nil
  }

  /// The CPU quota as a number of processors, rounded up; nil if there is no quota. It is the lowest quota of
  /// the process's control group and all the group's ancestors, in cgroups v1 and v2.
  ///
  /// - Parameter root: the folder that contains `proc` and `sys`.
  static func quota(root: String = "") -> Int? {
    guard let groups = text(root + "/proc/self/cgroup") else { return nil }
    var minimum: Int?
    for line in groups.split(separator: "\n") {
      // hierarchy-ID:controllers:path
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0" && parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("cpu") else { continue }
      let mounts =
        isUnified ? ["cgroup", "cgroup/unified"] : ["cgroup/cpu", "cgroup/" + parts[1]]
      for mount in mounts {
        let found = Self.minimum(in: root + "/sys/fs/" + mount, path: parts[2], isUnified)
        minimum = [minimum, found].compactMap { $0 }.min()
      }
    }
    return minimum
  }

  /// Returns the lowest quota of a group and its ancestors up to the mount point. In a container,
  /// the mount point is the container's own group, and groups outside the container are not
  /// visible.
  private static func minimum(in mount: String, path: Substring, _ isUnified: Bool) -> Int? {
    var names = path.split(separator: "/")
    var minimum: Int?
    while true {
      let folder = ([mount] + names.map(String.init)).joined(separator: "/")
      let limit = isUnified ? unifiedQuota(folder) : legacyQuota(folder)
      minimum = [minimum, limit].compactMap { $0 }.min()
      if names.popLast() == nil { return minimum }
    }
  }

  /// Reads `cpu.max`: `QUOTA PERIOD`, or `max PERIOD` without a quota.
  private static func unifiedQuota(_ folder: String) -> Int? {
    let words = text(folder + "/cpu.max")?.split { $0 == " " || $0 == "\n" } ?? []
    guard words.count == 2 else { return nil }
    return processors(words[0], words[1])
  }

  /// Reads the quota of version 1; −1 means no quota.
  private static func legacyQuota(_ folder: String) -> Int? {
    guard let quota = text(folder + "/cpu.cfs_quota_us"),
      let period = text(folder + "/cpu.cfs_period_us")
    else { return nil }
    return processors(quota.prefix { $0 != "\n" }, period.prefix { $0 != "\n" })
  }

  private static func processors(_ quota: Substring, _ period: Substring) -> Int? {
    guard let quota = Int(quota), let period = Int(period), quota > 0, period > 0 else {
      return nil
    }
    return max(1, quota / period + (quota % period == 0 ? 0 : 1))
  }

  /// Reads a short file.
  private static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var count = 0
    while count < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if got <= 0 { break }
      count += got
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
