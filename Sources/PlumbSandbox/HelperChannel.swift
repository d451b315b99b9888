import CSandbox
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The helper's end of the channel to the process that started it.
package struct HelperChannel: Sendable {
  /// Memory shared with the other process.
  package let memory: SharedPointer<UnsafeMutableRawBufferPointer>

  /// - Returns: nil if this process was not started as a helper.
  package init?(memorySize: Int) {
    var facts = stat()
    guard fstat(PLUMB_HELPER_MEMORY.number, &facts) == 0, Int(facts.st_size) == memorySize,
      let address = mmap(
        nil, memorySize, PROT_READ | PROT_WRITE, MAP_SHARED, PLUMB_HELPER_MEMORY.number, 0),
      address != MAP_FAILED
    else { return nil }
    memory = SharedPointer(UnsafeMutableRawBufferPointer(start: address, count: memorySize))
    plumb_helper_close_others()
  }

  /// Waits for the next request and returns it; nil when the channel is closed.
  package func receive() -> [UInt8]? {
    guard let head = read(HelperFrame.headSize) else { return nil }
    return read(HelperFrame.count(head))
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var position = 0
    while position < count {
      let more = bytes.withUnsafeMutableBytes {
        recv(PLUMB_HELPER_CHANNEL.number, $0.baseAddress! + position, count - position, 0)
      }
      if more <= 0 {
        guard more < 0, errno == EINTR else { return nil }
      } else {
        position += more
      }
    }
    return bytes
  }

  /// - Returns: false when the channel is closed.
  package func send(_ reply: [UInt8]) -> Bool {
    for bytes in [HelperFrame.head(reply.count), reply] {
      var position = 0
      while position < bytes.count {
        let more = bytes.withUnsafeBytes {
          write(PLUMB_HELPER_CHANNEL.number, $0.baseAddress! + position, bytes.count - position)
        }
        if more < 0, errno != EINTR { return false }
        position += max(0, more)
      }
    }
    return true
  }

  /// Ends this process when its parent ends, even during work.
  package func endWithOther() {
    Workers.detach {
      while true {
        // No events have to be requested, because a hang-up is always reported.
        var state = pollfd(fd: PLUMB_HELPER_CHANNEL.number, events: 0, revents: 0)
        if poll(&state, 1, -1) > 0 { _exit(0) }
      }
    }
  }

  /// Sets the resource limits of this process.
  package func limit(_ limits: HelperLimits) {
    _ = plumb_helper_limit(
      UInt64(limits.memory), UInt64(limits.fileSize), UInt64(limits.files))
    #if os(Linux)
      // If memory is exhausted, the system ends this process before the one that started it.
      if let file = fopen("/proc/self/oom_score_adj", "w") {
        fputs("1000", file)
        fclose(file)
      }
    #endif
  }

  /// Limits the processor time that this process may use after this call.
  package func limitTime(seconds: Double) {
    _ = plumb_helper_limit_time(UInt64(min(max(1, seconds), 1e6)))
  }
}

extension BinaryInteger {
  fileprivate var number: Int32 { Int32(self) }
}
