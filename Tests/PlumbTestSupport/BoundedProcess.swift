import Foundation

extension Process {
  /// Waits until the process has ended. A process that continues is killed.
  ///
  /// - Throws: `WaitingError` after a number of seconds.
  package func waitForExit(seconds: Int = 60) throws {
    let program = executableURL?.lastPathComponent ?? "a process"
    do {
      try waitUntil("\(program) ends", seconds: seconds) { !isRunning }
    } catch {
      kill(processIdentifier, SIGKILL)
      throw error
    }
    // Returns immediately, and releases the resources of the ended process.
    waitUntilExit()
  }
}
