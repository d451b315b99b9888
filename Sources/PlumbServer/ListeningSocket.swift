import Plumb
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The socket that clients connect to, made before the kernel is asked to refuse further ones.
enum ListeningSocket {
  /// The one that the service manager hands over, or one bound to an address, which does not listen yet.
  ///
  /// - Throws: an address that cannot be had, with what the system says.
  static func open(_ address: String, port: UInt16) throws(PlumbError) -> Int32 {
    if let handed = ServiceManager.openSocket { return handed }
    var hints = addrinfo()
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address, "\(port)", &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    let place = "\(address.printable):\(port) cannot be listened at: "
    guard status == 0, let first = list?.pointee else {
      throw PlumbError(place + String(cString: gai_strerror(status)), code: .system)
    }
    let handle = socket(first.ai_family, first.ai_socktype, first.ai_protocol)
    guard handle >= 0 else { throw PlumbError(place + fault, code: .system) }
    _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(handle, first.ai_addr, first.ai_addrlen) == 0 else {
      let fault = fault
      close(handle)
      throw PlumbError(place + fault, code: .system)
    }
    return handle
  }

  private static var fault: String { String(cString: strerror(errno)) }
}
