import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Counts the connections to a port of this machine and closes each.
final class LoopbackListener: Sendable {
  let port: Int
  private let counted = Atomic<Int>(0)

  init() throws {
    #if canImport(Darwin)
      let handle = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let handle = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(handle, address, size) == 0, listen(handle, 128) == 0 else { return -1 }
        return getsockname(handle, address, &size)
      }
    }
    guard code == 0 else { throw CocoaError(.fileReadUnknown) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(handle, nil, nil)
        guard client >= 0 else { return }
        counted.add(1, ordering: .relaxed)
        close(client)
      }
    }
  }

  /// The number of connections so far, including those not accepted yet.
  var count: Int {
    usleep(20_000)
    return counted.load(ordering: .relaxed)
  }
}
