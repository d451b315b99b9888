import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Passes the bytes of one connection to a server, and cuts the connection after a number of bytes.
final class CuttingRelay: Sendable {
  /// The numbers of bytes after which the connection is cut, for each direction.
  struct Limits {
    var toServer = Int.max
    var toClient = Int.max
    /// Whether the connection is reset. Otherwise it is closed.
    var isReset = false
  }

  /// The numbers of bytes passed so far.
  struct Counts {
    var toServer = 0
    var toClient = 0
  }

  let port: UInt16
  private let state = Mutex(Counts())
  private let finished = DispatchSemaphore(value: 0)

  var counts: Counts { state.withLock { $0 } }

  init(_ server: RunningServer, _ limits: Limits = Limits()) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 4) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard isOpen else { throw WireError() }
    port = UInt16(bigEndian: address.sin_port)
    let remote = try server.connect()
    Thread.detachNewThread { [self] in
      let local = accept(listener, nil, nil)
      close(listener)
      relay(local, remote, limits)
      finished.signal()
    }
  }

  struct WireError: Error {}

  /// Waits until both connections are closed.
  func wait() throws {
    guard finished.wait(timeout: .now() + 120) == .success else { throw WireError() }
  }

  private func relay(_ local: Int32, _ remote: Int32, _ limits: Limits) {
    defer { for handle in [local, remote] { end(handle, isReset: limits.isReset) } }
    while true {
      var states = [local, remote].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&states, 2, 60_000) > 0 else { return }
      if states[0].revents != 0 {
        guard pass(local, remote, limits.toServer, \.toServer) else { return }
      }
      if states[1].revents != 0 {
        guard pass(remote, local, limits.toClient, \.toClient) else { return }
      }
    }
  }

  /// Passes the next bytes.
  ///
  /// - Returns: false at the end of the connection and at the limit.
  private func pass(
    _ from: Int32, _ to: Int32, _ limit: Int, _ count: WritableKeyPath<Counts, Int>
  ) -> Bool {
    let passed = counts[keyPath: count]
    let part = [UInt8](unsafeUninitializedCapacity: min(1 << 14, limit - passed)) { buffer, count in
      count = max(0, recv(from, buffer.baseAddress, buffer.count, 0))
    }
    guard !part.isEmpty, (try? RunningServer.send(part, to: to)) != nil else { return false }
    state.withLock { $0[keyPath: count] += part.count }
    return passed + part.count < limit
  }

  private func end(_ handle: Int32, isReset: Bool) {
    if isReset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        handle, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    close(handle)
  }
}
