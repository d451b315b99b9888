#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of a process, in bytes.
package struct MemoryPages: Sendable {
  /// The mapped address space.
  package var mapped: Int
  /// The pages in memory.
  package var resident: Int
  /// The pages of files and of shared memory among `resident`.
  package var shared: Int

  /// The pages in memory that belong to the process only.
  package var anonymous: Int { resident - shared }

  /// - Parameter process: the id of the process; nil for the current process.
  /// - Returns: nil if the system does not report the memory.
  package init?(process: pid_t? = nil) {
    let name = process.map { "\($0)" } ?? "self"
    guard let file = fopen("/proc/\(name)/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return nil }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let numbers = bytes.split(separator: UInt8(ascii: " "))
      .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count > 2 else { return nil }
    let page = sysconf(Int32(_SC_PAGESIZE))
    (mapped, resident, shared) = (numbers[0] * page, numbers[1] * page, numbers[2] * page)
  }
}
