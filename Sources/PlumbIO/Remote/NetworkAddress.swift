#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An IP address. An IPv4 address is stored as a mapped address in `::ffff:0:0/96`.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
  /// The sixteen bytes of the address, with the most significant byte first.
  private let bytes: [UInt8]

  /// - Parameter bytes: sixteen bytes.
  package init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

  /// Parses an IPv4 or IPv6 address without brackets, such as `127.0.0.1` or `::1`; nil for any
  /// other string.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = Self.mapped + withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: &six) { Array($0) }
    } else {
      return nil
    }
  }

  private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The four bytes of an IPv4 address, or of an IPv4 address that is embedded in an IPv6 address.
  private var four: ArraySlice<UInt8>? {
    if bytes.starts(with: Self.mapped) { return bytes[12...] }
    // The address may be an IPv4-embedded address (RFC 6052), a 6to4 address (RFC 3056), or an
    // address in the deprecated IPv4-compatible form.
    if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) { return bytes[12...] }
    if bytes.starts(with: [0x20, 0x02]) { return bytes[2..<6] }
    if bytes[..<12].allSatisfy({ $0 == 0 }), bytes[12] != 0 { return bytes[12...] }
    return nil
  }

  /// The address as a string, in dotted notation for IPv4.
  package var description: String {
    let isFour = bytes.starts(with: Self.mapped)
    var text = [CChar](repeating: 0, count: 64)
    let found = bytes.withUnsafeBytes { bytes in
      inet_ntop(
        isFour ? AF_INET : AF_INET6, bytes.baseAddress.map { $0 + (isFour ? 12 : 0) }, &text,
        socklen_t(text.count))
    }
    return found == nil
      ? "" : String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the address is a loopback address.
  package var isLoopback: Bool {
    if let four { return four.first == 127 }
    return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// Whether the address belongs to this machine or to a non-public network.
  package var isInternal: Bool {
    if let four {
      let (first, second) = (four[four.startIndex], four[four.startIndex + 1])
      switch first {
      case 0, 10, 127, 224...255: return true
      case 100: return (64..<128).contains(second)
      case 169: return second == 254
      case 172: return (16..<32).contains(second)
      case 192: return second == 168 || second == 0 && four[four.startIndex + 2] == 0
      case 198: return second == 18 || second == 19
      default: return false
      }
    }
    // These are the unspecified, loopback, unique local, link-local, former site-local and
    // multicast addresses.
    if bytes[..<15].allSatisfy({ $0 == 0 }) { return true }
    return bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80
      || bytes[0] == 0xFF
  }

  /// Whether the address begins with the first `bits` bits of another address. In an IPv4 address,
  /// the first 96 bits are the mapping prefix.
  package func begins(with other: NetworkAddress, bits: Int) -> Bool {
    (0..<16).allSatisfy { index in
      let count = min(8, max(0, bits - index * 8))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> count)
      return bytes[index] & mask == other.bytes[index] & mask
    }
  }

  /// Whether the address is an IPv4 address.
  package var isVersion4: Bool { bytes.starts(with: Self.mapped) }

  /// The network that a single client may control: the first 64 bits of an IPv6 address, or a whole
  /// IPv4 address.
  package var network: NetworkAddress {
    if isVersion4 { return self }
    return (Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)).withUnsafeBufferPointer {
      NetworkAddress(bytes: $0)
    }
  }
}
