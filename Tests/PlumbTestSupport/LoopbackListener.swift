import Foundation
import Synchronization

/// A server on the loopback interface that counts connections and closes each immediately.
public final class LoopbackListener: Sendable {
  private final class Counter: Sendable { let value = Atomic<Int>(0) }

  public let port: Int
  private let descriptor: Int32
  private let connections = Counter()

  public struct Failure: Error {}

  public init() throws {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
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

  /// The number of connections so far. A client that waits for a reply has already been counted.
  public var count: Int { connections.value.load(ordering: .relaxed) }
}
