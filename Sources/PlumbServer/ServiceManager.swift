import Plumb
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The service manager that started the server, such as systemd. The server notifies it through the
/// socket in the environment variable NOTIFY_SOCKET (sd_notify(3)).
struct ServiceManager: Sendable {
  private let path: [UInt8]
  /// The notification socket. It is created at the start, because the sandbox may deny new sockets
  /// later.
  private let handle: Int32
  /// The seconds between two watchdog notifications; nil if there is no watchdog.
  let watchInterval: Double?

  /// The listening socket that the manager passed (sd_listen_fds(3)); nil if no socket was passed.
  static var openSocket: Int32? {
    func number(_ name: String) -> Int32? { getenv(name).flatMap { Int32(String(cString: $0)) } }
    guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count >= 1 else {
      return nil
    }
    // Helper processes must not inherit the socket.
    _ = fcntl(3, F_SETFD, FD_CLOEXEC)
    return 3
  }

  /// Returns nil if there is no service manager.
  init?() {
    guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }) else { return nil }
    var path = Array(name.utf8)
    // In the name of an abstract socket, `@` is written instead of the leading zero byte.
    if path.first == UInt8(ascii: "@") { path[0] = 0 }
    guard (2..<104).contains(path.count) else { return nil }
    self.path = path
    #if canImport(Darwin)
      handle = socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
      handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    guard handle >= 0 else { return nil }
    _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
    let isOurs = getenv("WATCHDOG_PID").map { String(cString: $0) == "\(getpid())" } ?? true
    let interval = getenv("WATCHDOG_USEC").flatMap { Double(String(cString: $0)) }
    watchInterval = isOurs ? interval.map { $0 * 1e-6 / 2 } : nil
  }

  /// Sends a state, such as `READY=1`.
  func notify(_ state: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count
    let bytes = Array(state.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // The call does not block, because `notify` is also called on the event loop.
        let flags = Int32(truncatingIfNeeded: MSG_DONTWAIT)
        _ = sendto(handle, bytes, bytes.count, flags, $0, socklen_t(size))
      }
    }
  }

  /// Notifies the manager that the documents are being reloaded.
  func notifyReloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
  }
}
