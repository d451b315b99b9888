import Foundation
import Synchronization

/// A server on the loopback interface that counts connections and closes each immediately.
public final class LoopbackListener: Sendable {
  private final class Counter: Sendable { let value = Atomic<Int>(0) }

  public let port: Int
  private let descriptor: Int32
  private let connections = Counter()
  /// The number of connections that were made to count the others.
  private let probes = Mutex(0)

  public struct Failure: Error {}

  public init() throws {
    let descriptor = Self.makeSocket()
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isOpen else { throw Failure() }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
    let connections = connections
    Thread.detachNewThread {
      while true {
        let one = accept(descriptor, nil, nil)
        guard one >= 0 else { break }
        connections.value.add(1, ordering: .relaxed)
        close(one)
      }
      close(descriptor)
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// An address on the server.
  public var url: String { "http://127.0.0.1:\(port)/x" }

  /// The number of connections so far, including those that are not accepted yet.
  public var count: Int {
    probes.withLock { probes in
      // Connections are accepted in order. When a new one is closed, all before it are counted.
      if probe() { probes += 1 }
      return connections.value.load(ordering: .relaxed) - probes
    }
  }

  /// Connects, and waits until the thread has closed the connection.
  private func probe() -> Bool {
    let client = Self.makeSocket()
    defer { close(client) }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = Self.address(port: UInt16(port))
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var byte: UInt8 = 0
    return status == 0 && recv(client, &byte, 1, 0) <= 0
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
      return socket(AF_INET, SOCK_STREAM, 0)
    #else
      return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
