import CSandbox
import PlumbCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A child process for work that may crash or hang. The child process responds to one request at a
/// time over a channel, and returns large results in shared memory.
///
/// Only one thread at a time may use an instance.
package final class HelperProcess: Sendable {
  /// Memory shared with the helper.
  package let memory: SharedPointer<UnsafeMutableRawPointer>
  package let memorySize: Int
  package let process: pid_t
  private let channel: Int32
  /// The helper's standard error.
  private let errors: Int32
  /// The id of the process that started the helper. Copies of that process that `fork` created must
  /// not use the helper.
  private let owner = getpid()
  private let ended = Atomic<Bool>(false)
  /// The work of the current request, if it can be cancelled.
  private let currentWork = Mutex<WorkCancellation?>(nil)
  /// The memory peak of this process when the helper starts. On Linux, a child process inherits the
  /// peak of its parent.
  private let inheritedPeak: Int
  /// The time at which the helper was last reserved or finished a request; nil during a request.
  private let idleSince = Mutex<ContinuousClock.Instant?>(.now)

  /// The maximum length of a response in bytes. Longer responses are not read.
  private static let maximumReply = 1 << 30

  /// - Parameters:
  ///   - program: the path of the program.
  ///   - arguments: the arguments after the program's name.
  ///   - memorySize: the size of the shared memory in bytes.
  /// - Throws: `HelperFailure.missing` if the helper does not start.
  package init(program: String, arguments: [String], memorySize: Int) throws(HelperFailure) {
    var files = OpenFiles()
    defer { files.close() }
    let (local, other) = try files.add { socketpair(AF_UNIX, Self.streamKind, 0, $0) }
    let (reading, writing) = try files.add { pipe($0) }
    let shared = try files.add(plumb_helper_memory(memorySize))
    // Reading the helper's output must not block.
    for file in [local, reading, writing] {
      _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
    }
    guard
      let address = mmap(nil, memorySize, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0),
      address != MAP_FAILED
    else { throw .missing(SystemMessage.current) }
    var process: pid_t = 0
    let code = Self.withList([program] + arguments) { arguments in
      Self.withList(Self.environment) { environment in
        plumb_helper_start(program, arguments, environment, other, shared, writing, &process)
      }
    }
    guard code == 0 else {
      munmap(address, memorySize)
      throw .missing("\(program.printable): \(SystemMessage.text(code))")
    }
    files.keep([local, reading])
    (self.process, channel, errors) = (process, local, reading)
    (memory, self.memorySize) = (SharedPointer(address), memorySize)
    var usage = rusage()
    getrusage(Self.usageOfProcess, &usage)
    inheritedPeak = Self.inheritsPeak ? Self.peak(of: usage) : 0
    RunningHelpers.add(self)
  }

  deinit { end() }

  /// Whether the process is known to have ended.
  package var isEnded: Bool {
    if ended.load(ordering: .relaxed) || getpid() != owner { return true }
    // The caller is about to use the helper, so `endIfIdle` must not end the helper.
    idleSince.withLock { if $0 != nil { $0 = .now } }
    // Between requests, the only possible event is the end of the process.
    var state = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) != 0
  }

  /// Sends a request and waits for the response.
  ///
  /// - Parameter seconds: the time limit.
  /// - Throws: if the request times out or is cancelled, or the helper has ended. In each of these
  ///   cases, the helper is no longer running.
  package func call(_ request: [UInt8], seconds: Double) throws(HelperFailure) -> [UInt8] {
    let deadline = ContinuousClock.now + .seconds(seconds)
    idleSince.withLock { $0 = nil }
    currentWork.withLock { $0 = WorkCancellation.current }
    defer {
      currentWork.withLock { $0 = nil }
      idleSince.withLock { $0 = .now }
    }
    do throws(HelperFailure) {
      var head = HelperFrame.head(request.count)
      try send(&head, deadline)
      var body = request
      try send(&body, deadline)
      var reply = [UInt8](repeating: 0, count: HelperFrame.headSize)
      try receive(&reply, deadline)
      let count = HelperFrame.count(reply)
      guard count <= Self.maximumReply else { throw HelperFailure.ended("") }
      reply = [UInt8](repeating: 0, count: count)
      try receive(&reply, deadline)
      discardErrors()
      return reply
    } catch {
      let end = end()
      switch error {
      case .ended: throw end ?? error
      case .late: throw .late(seconds: seconds)
      default: throw error
      }
    }
  }

  /// Ends the process.
  ///
  /// - Returns: the reason why the process ended; nil if its end was already known.
  @discardableResult
  package func end() -> HelperFailure? {
    guard !ended.exchange(true, ordering: .relaxed) else { return nil }
    defer {
      close(channel)
      close(errors)
      munmap(memory.pointer, memorySize)
    }
    guard getpid() == owner else { return nil }
    RunningHelpers.remove(self)
    // The system may assign the same id to another process later, which `endIfIdle` must not end.
    idleSince.withLock { $0 = nil }
    // If the process has already ended, SIGKILL does not change its exit status.
    kill(process, SIGKILL)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { return .ended("") }
    }
    if let line = faultLine() { return .ended(line) }
    let peak = Self.peak(of: usage)
    return Self.failure(status, memory: peak > inheritedPeak ? peak : 0)
  }

  /// Returns the pages of the shared memory to the system.
  package func releaseMemory() {
    #if os(Linux)
      madvise(memory.pointer, memorySize, MADV_REMOVE)
    #endif
  }

  /// Ends the process if it has been idle for longer than `duration`. The owner of the helper
  /// notices this by `isEnded`.
  func endIfIdle(longerThan duration: Duration) {
    idleSince.withLock { since in
      guard let time = since, ContinuousClock.now - time > duration else { return }
      // `end` unmaps the shared memory, and therefore only the owner may call it.
      kill(process, SIGKILL)
    }
  }

  /// The work that waits for this helper; nil if there is none, or if it cannot be cancelled.
  var work: WorkCancellation? { currentWork.withLock { $0 } }

  // MARK: Channel

  /// The interval of checks for cancellation in milliseconds.
  private static let interval: Int32 = 20

  private func wait(_ events: Int32, _ deadline: ContinuousClock.Instant) throws(HelperFailure) {
    while true {
      var state = pollfd(fd: channel, events: Int16(events), revents: 0)
      let count = poll(&state, 1, Self.interval)
      if count > 0 { return }
      if count < 0, errno != EINTR { throw .ended("") }
      if WorkCancellation.isCurrentCancelled { throw .cancelled }
      if ContinuousClock.now > deadline { throw .late(seconds: 0) }
    }
  }

  private func send(
    _ bytes: inout [UInt8], _ deadline: ContinuousClock.Instant
  ) throws(HelperFailure) {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glue.send(channel, bytes.baseAddress! + position, bytes.count - position)
      }
      if count > 0 {
        position += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        try wait(Int32(POLLOUT), deadline)
      } else if errno != EINTR {
        throw .ended("")
      }
    }
  }

  private func receive(
    _ bytes: inout [UInt8], _ deadline: ContinuousClock.Instant
  ) throws(HelperFailure) {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeMutableBytes { bytes in
        read(channel, bytes.baseAddress! + position, bytes.count - position)
      }
      if count > 0 {
        position += count
      } else if count == 0 {
        throw .ended("")
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        try wait(Int32(POLLIN), deadline)
      } else if errno != EINTR {
        throw .ended("")
      }
    }
  }

  private func discardErrors() { while !readErrors().isEmpty {} }

  private func readErrors() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(errors, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }

  // MARK: The end

  /// Returns the last line that the helper's crash handler printed; nil if the handler printed no line.
  private func faultLine() -> String? {
    var text: [UInt8] = []
    while text.count < 1 << 17 {
      let more = readErrors()
      if more.isEmpty { break }
      text += more
    }
    let lines = text.split(separator: UInt8(ascii: "\n"))
    let start = Array("plumb: ".utf8)
    guard let line = lines.last(where: { $0.starts(with: start) }) else { return nil }
    return String(decoding: line.dropFirst(start.count), as: UTF8.self).printable
  }

  #if os(Linux)
    private static let usageShift = 10
    private static let inheritsPeak = true
    private static let usageOfProcess = __rusage_who_t(RUSAGE_SELF.rawValue)
    private static let streamKind = Int32(SOCK_STREAM.rawValue)
  #else
    private static let usageShift = 0
    private static let inheritsPeak = false
    private static let usageOfProcess = RUSAGE_SELF
    private static let streamKind = SOCK_STREAM
  #endif

  private static func peak(of usage: rusage) -> Int { Int(usage.ru_maxrss) << usageShift }

  /// - Parameter memory: the memory peak of the helper in bytes; 0 if unknown.
  private static func failure(_ status: Int32, memory: Int) -> HelperFailure {
    if memory > HelperLimits.current.memory / 10 * 8 { return .ended(HelperLimits.memoryReason) }
    switch status & 0x7F {
    case SIGXCPU: return .ended(HelperLimits.timeReason)
    case SIGKILL: return .killed
    default: return .ended("")
    }
  }

  // MARK: The start

  /// Environment variables that are not passed to the helper.
  private static let secrets = ["PLUMB_TOKEN=", "PLUMB_USER=", "PLUMB_PASSWORD="]

  private static var environment: [String] {
    var list = ["SWIFT_BACKTRACE=enable=no"]
    var next = environ
    while let entry = next.pointee {
      next += 1
      let text = String(cString: entry)
      if !(secrets + ["SWIFT_BACKTRACE="]).contains(where: { text.hasPrefix($0) }) {
        list.append(text)
      }
    }
    return list
  }

  private static func withList<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let list: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
    defer { for text in list { free(text) } }
    return list.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

/// The reason why a helper does not respond.
package enum HelperFailure: Error {
  /// The helper cannot be started, with the reason.
  case missing(String)
  /// The work was cancelled.
  case cancelled
  /// The request exceeded its time limit.
  case late(seconds: Double)
  /// Another process ended the helper.
  case killed
  /// The helper ended by itself. The reason is empty if unknown.
  case ended(String)
}

/// File descriptors that `close` closes unless they are kept.
private struct OpenFiles {
  private var files: [Int32] = []

  mutating func add(_ file: Int32) throws(HelperFailure) -> Int32 {
    guard file >= 0 else { throw .missing(SystemMessage.current) }
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    files.append(file)
    return file
  }

  mutating func add(
    _ make: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(HelperFailure) -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    guard pair.withUnsafeMutableBufferPointer({ make($0.baseAddress!) }) == 0 else {
      throw .missing(SystemMessage.current)
    }
    return (try add(pair[0]), try add(pair[1]))
  }

  mutating func keep(_ kept: [Int32]) { files.removeAll { kept.contains($0) } }

  mutating func close() {
    for file in files { Glue.close(file) }
    files = []
  }
}

private enum SystemMessage {
  static var current: String { text(errno) }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}

/// System calls that have the same names as members of the types above.
private enum Glue {
  static func close(_ file: Int32) {
    #if canImport(Darwin)
      Darwin.close(file)
    #else
      _ = Glibc.close(file)
    #endif
  }

  /// Sends bytes without raising SIGPIPE.
  static func send(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.send(file, bytes, count, 0)
    #else
      Glibc.send(file, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
  }
}
