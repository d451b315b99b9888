import Foundation

/// An expected event did not occur in time.
package struct WaitingError: Error, CustomStringConvertible {
  let event: String
  let seconds: Int

  package var description: String { "not within \(seconds) s: \(event)" }
}

/// Waits until a condition holds.
///
/// - Throws: `WaitingError` after a number of seconds.
package func waitUntil(
  _ event: String, seconds: Int = 60, _ holds: () throws -> Bool
) throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while try !holds() {
    guard ContinuousClock.now < end else { throw WaitingError(event: event, seconds: seconds) }
    usleep(2000)
  }
}

/// Waits in a task until a condition holds.
///
/// - Throws: `WaitingError` after a number of seconds.
package func waitUntil(
  _ event: String, seconds: Int = 60, _ holds: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while try !holds() {
    guard ContinuousClock.now < end else { throw WaitingError(event: event, seconds: seconds) }
    try await Task.sleep(for: .milliseconds(2))
  }
}
