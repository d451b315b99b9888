import Plumb
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The listening socket. It is created before the process enters the sandbox.
struct ListeningSocket: Sendable {
  let handle: Int32
  /// The address that the socket is bound to; nil for a non-network socket.
  let address: String?
  let port: UInt16
  /// Whether the service manager passed the socket.
  let isHanded: Bool

  /// Uses the socket that the service manager passed, or binds a new socket to an address without
  /// listening.
  ///
  /// - Throws: a system error if the address cannot be bound.
  init(_ address: String, port: UInt16) throws(PlumbError) {
    if let handed = ServiceManager.openSocket {
      handle = handed
      isHanded = true
    } else {
      handle = try Self.bound(address, port: port)
      isHanded = false
    }
    let boundAddress = Self.boundAddress(of: handle)
    (self.address, self.port) = (boundAddress?.address, boundAddress?.port ?? 0)
    guard boundAddress != nil || Self.isLocal(handle) else {
      throw PlumbError(
        "the service manager's socket is neither a TCP nor a Unix socket", code: .system)
    }
  }

  /// Sets the maximum number of connections that wait to be accepted, which SwiftNIO sets to 128 for
  /// an open socket. If the queue is full, the kernel drops a client's first packet, and the client
  /// repeats it only after a second. The kernel limits the number to `net.core.somaxconn`.
  static func lengthenQueue(of handle: Int32) { _ = listen(handle, 4096) }

  /// Whether a socket is a Unix domain socket.
  private static func isLocal(_ handle: Int32) -> Bool {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        getsockname(handle, plain, &size) == 0
          && plain.pointee.sa_family == sa_family_t(AF_UNIX)
      }
    }
  }

  /// Returns the address and port of a network socket.
  private static func boundAddress(of handle: Int32) -> (address: String, port: UInt16)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        getsockname(handle, plain, &size) == 0
          && [sa_family_t(AF_INET), sa_family_t(AF_INET6)].contains(plain.pointee.sa_family)
          && getnameinfo(
            plain, size, &name, socklen_t(name.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    func text(_ bytes: [CChar]) -> String {
      String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    guard isKnown, let number = UInt16(text(port)) else { return nil }
    return (text(name), number)
  }

  /// The reason why an address cannot be used; nil if it is a name or an address of this machine. The port
  /// may be in use.
  static func fault(of address: String, port: UInt16) -> PlumbError? {
    do throws(PlumbError) {
      freeaddrinfo(try resolved(address, port: port))
      return nil
    } catch {
      return error
    }
  }

  /// The caller releases the list.
  private static func resolved(
    _ address: String, port: UInt16
  ) throws(PlumbError) -> UnsafeMutablePointer<addrinfo> {
    var hints = addrinfo()
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address, "\(port)", &hints, &list)
    guard status == 0, let list else {
      throw PlumbError(
        prefix(address, port) + String(cString: gai_strerror(status)), code: .system)
    }
    return list
  }

  private static func prefix(_ address: String, _ port: UInt16) -> String {
    "cannot listen on \(address.printable):\(port): "
  }

  private static func bound(_ address: String, port: UInt16) throws(PlumbError) -> Int32 {
    let list = try resolved(address, port: port)
    defer { freeaddrinfo(list) }
    let first = list.pointee
    let prefix = prefix(address, port)
    let handle = socket(first.ai_family, first.ai_socktype, first.ai_protocol)
    guard handle >= 0 else { throw PlumbError(prefix + fault, code: .system) }
    _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(handle, first.ai_addr, first.ai_addrlen) == 0 else {
      let fault = fault
      close(handle)
      throw PlumbError(prefix + fault, code: .system)
    }
    return handle
  }

  private static var fault: String { String(cString: strerror(errno)) }
}
