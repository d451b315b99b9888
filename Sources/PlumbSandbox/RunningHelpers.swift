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

  /// Returns the work that waits for the helper with the most memory; nil if no helper with a
  /// request uses at least `minimum` bytes.
  package static func largestWork(minimum: Int) -> WorkCancellation? {
    let helpers = entries.withLock { $0.compactMap(\.helper) }
    var largest: (size: Int, work: WorkCancellation)?
    for helper in helpers {
      guard let work = helper.work,
        let size = MemoryPages(process: helper.process)?.anonymous,
        size >= max(minimum, largest?.size ?? 0)
      else { continue }
      largest = (size, work)
    }
    return largest?.work
  }

  /// Ends the helpers that are idle, to release their memory. Their owners start others when needed.
  package static func endIdle() {
    let helpers = entries.withLock { $0.compactMap(\.helper) }
    for helper in helpers { helper.endIfIdle(longerThan: .seconds(1)) }
  }
}
