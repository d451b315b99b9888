import Foundation

/// Prints statistics of a test if PLUMB_VERBOSE is set.
package func report(_ line: @autoclosure () -> String) {
  if ProcessInfo.processInfo.environment["PLUMB_VERBOSE"] != nil { print(line()) }
}
