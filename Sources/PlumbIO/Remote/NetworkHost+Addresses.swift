#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension NetworkHost {
  /// The addresses to which the host's name resolves; empty if there are none.
  package var addresses: [NetworkAddress] {
    var hints = addrinfo()
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [NetworkAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ai_next
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
          == 0
      else { continue }
      let name = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let address = NetworkAddress(name), !found.contains(address) { found.append(address) }
    }
    return found
  }
}
