import Foundation

/// An expected event did not occur in time.
package struct WaitingError: Error, CustomStringConvertible {
  let event: String

  package var description: String { "not within a minute: \(event)" }
}

private let longestWait = Duration.seconds(60)

/// Waits until a condition holds.
///
/// - Throws: `WaitingError` after a minute.
package func waitUntil(_ event: String, _ holds: () throws -> Bool) throws {
  let end = ContinuousClock.now + longestWait
  while try !holds() {
    guard ContinuousClock.now < end else { throw WaitingError(event: event) }
    usleep(2000)
  }
}

/// Waits in a task until a condition holds.
///
/// - Throws: `WaitingError` after a minute.
package func waitUntil(_ event: String, _ holds: () throws -> Bool) async throws {
  let end = ContinuousClock.now + longestWait
  while try !holds() {
    guard ContinuousClock.now < end else { throw WaitingError(event: event) }
    try await Task.sleep(for: .milliseconds(2))
  }
}
