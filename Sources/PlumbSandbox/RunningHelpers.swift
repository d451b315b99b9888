import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The helper processes of this process that are running.
package enum RunningHelpers {
  private struct Entry {
    weak var helper: HelperProcess?
    let process: pid_t
  }

  private static let entries = Mutex<[Entry]>([])

  static func add(_ helper: HelperProcess) {
    entries.withLock { $0.append(Entry(helper: helper, process: helper.process)) }
  }

  static func remove(_ helper: HelperProcess) {
    let process = helper.process
    entries.withLock { $0.removeAll { $0.process == process } }
  }

  /// The private memory of all helpers in bytes; 0 on systems that do not report the memory of other
  /// processes.
  package static var memory: Int {
    let processes = entries.withLock { $0.map(\.process) }
    return processes.reduce(0) { $0 + (MemoryPages(process: $1)?.anonymous ?? 0) }
  }

  /// Ends the helper that uses the most memory, unless that is less than `minimum` bytes. Its
  /// request fails with `HelperFailure.memory`.
  package static func endLargest(minimum: Int) {
    // The last reference to a helper must not be released while the list is locked.
    let helpers = entries.withLock { $0.compactMap(\.helper) }
    let sizes = helpers.map { (MemoryPages(process: $0.process)?.anonymous ?? 0, $0) }
    guard let (size, helper) = sizes.max(by: { $0.0 < $1.0 }), size >= minimum else { return }
    entries.withLock { entries in
      // After the end of a process, another process may have the same id.
      if entries.contains(where: { $0.process == helper.process }) { helper.endForMemory() }
    }
  }

  /// Ends the helpers that are idle, to release their memory. Their owners start others when needed.
  package static func endIdle() {
    let helpers = entries.withLock { $0.compactMap(\.helper) }
    for helper in helpers { helper.endIfIdle(longerThan: .seconds(1)) }
  }
}
