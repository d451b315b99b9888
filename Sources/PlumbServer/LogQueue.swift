import Plumb
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A queue of log lines for standard error. A separate thread writes the lines, so that logging
/// never waits for the process that reads the log. Lines above the size limit are dropped and
/// counted.
final class LogQueue: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var bytes = 0
    /// The number of lines dropped since a line was last added.
    var dropped = 0
    var allDropped = 0
    var isWriting = false
  }

  private let state = WaitableState(State())
  /// The maximum size of waiting lines in bytes.
  private static let limit = 4 << 20
  /// The maximum number of bytes that the system writes to a pipe in one piece.
  private static let atomicSize = Int(PIPE_BUF)
  /// The time in which lines are collected before they are written, in microseconds.
  private static let pause: UInt32 = 2000

  /// The queue of the process.
  static let shared = LogQueue()

  private init() {
    Workers.detach { [state] in
      while true {
        let _: Bool? = state.wait {
          guard !$0.lines.isEmpty || $0.dropped > 0 else { return nil }
          $0.isWriting = true
          return true
        }
        // Lines that arrive during the pause do not have to wake this thread.
        usleep(Self.pause)
        let (lines, dropped) = state.withLock { state in
          defer { (state.lines, state.bytes, state.dropped) = ([], 0, 0) }
          return (state.lines, state.dropped)
        }
        Self.write(lines)
        if dropped > 0 {
          Self.write(
            Array("plumb-server: warning: \(dropped) lines of the log were dropped\n".utf8))
        }
        state.change { $0.isWriting = false }
      }
    }
  }

  /// Writes lines, several of them in one call.
  private static func write(_ lines: [[UInt8]]) {
    var part: [UInt8] = []
    for line in lines {
      if part.count + line.count > atomicSize, !part.isEmpty {
        write(part)
        part.removeAll(keepingCapacity: true)
      }
      part += line
    }
    if !part.isEmpty { write(part) }
  }

  /// Writes lines, in one call if possible, so that lines of several processes do not mix.
  private static func write(_ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        #if canImport(Darwin)
          Darwin.write(STDERR_FILENO, $0.baseAddress! + start, bytes.count - start)
        #else
          Glibc.write(STDERR_FILENO, $0.baseAddress! + start, bytes.count - start)
        #endif
      }
      if count > 0 {
        start += count
      } else if errno == EAGAIN {
        // Another process may have set the shared descriptor to non-blocking mode.
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }

  /// Adds a line, including its line break.
  func put(_ line: [UInt8]) {
    state.change { state in
      guard state.bytes + line.count <= Self.limit else {
        state.dropped += 1
        state.allDropped += 1
        return
      }
      state.lines.append(line)
      state.bytes += line.count
    }
  }

  /// The number of lines dropped since the start.
  var dropped: Int { state.withLock { $0.allDropped } }

  /// Waits until all lines are written, up to a time limit.
  func flush(seconds: Double) {
    let _: Bool? = state.wait(seconds: seconds) { $0.lines.isEmpty && !$0.isWriting ? true : nil }
  }
}
