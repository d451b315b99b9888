/// A host to which connections are allowed, on one port or on all ports.
public struct NetworkHost: Sendable, Hashable, CustomStringConvertible {
  /// The name in lower case, or an IP address; an IPv6 address has no brackets.
  public let name: String
  /// The port; nil for all ports.
  public let port: Int?

  /// Parses `HOST`, `HOST:PORT`, `[ADDRESS]:PORT` or an IPv6 address without a port; nil for any
  /// other string, including URLs.
  public init?(_ text: String) {
    let (name, port): (Substring, Substring?)
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      name = text[text.index(after: text.startIndex)..<end]
      port = rest.isEmpty ? nil : rest.dropFirst()
      guard name.contains(":") else { return nil }
    } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
      (name, port) = (text[..<colon], text[text.index(after: colon)...])
    } else {
      (name, port) = (text[...], nil)
    }
    guard let checked = Self.checked(name) else { return nil }
    self.name = checked
    guard let port else {
      self.port = nil
      return
    }
    guard let number = Self.port(port) else { return nil }
    self.port = number
  }

  package init(name: String, port: Int?) { (self.name, self.port) = (name, port) }

  /// Whether the host of an origin is this host and, if a port is set, its port is this port.
  package func matches(_ origin: NetworkOrigin) -> Bool {
    name == origin.host && (port ?? origin.port) == origin.port
  }

  /// The host as a string, with brackets around an IPv6 address.
  public var description: String {
    let shown = name.contains(":") ? "[\(name)]" : name
    return port.map { "\(shown):\($0)" } ?? shown
  }

  /// A host's name in lower case without a trailing dot; nil if it is invalid.
  static func checked(_ name: Substring) -> String? {
    if name.contains(":") { return NetworkAddress(String(name)) == nil ? nil : name.lowercased() }
    let plain = name.hasSuffix(".") ? name.dropLast() : name
    guard !plain.isEmpty, plain.utf8.count <= 253,
      plain.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
          UInt8(ascii: "_"):
          true
        default: false
        }
      })
    else { return nil }
    return plain.lowercased()
  }

  static func port(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.count <= 5,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(text), (1...65535).contains(number)
    else { return nil }
    return number
  }
}

/// The allowed hosts and buckets.
package struct HostAccess: Sendable, Hashable {
  package var hosts: [NetworkHost]
  /// The buckets whose files may be requested. The hosts of their servers are not allowed for other
  /// requests.
  package var buckets: [NetworkBucket]
  /// The hosts of inputs that the user named. These hosts may resolve to any address.
  package var named: [NetworkHost] = []

  package init(_ hosts: [NetworkHost], buckets: [NetworkBucket] = []) {
    (self.hosts, self.buckets) = (hosts, buckets)
  }

  /// Whether a file in a bucket is allowed. Its bucket must be in the list, and its key must not lead to
  /// another bucket.
  package func allows(_ file: BucketName) -> Bool {
    guard let bucket = file.bucket, file.hasPlainKey else { return false }
    return buckets.contains(bucket)
  }

  /// Whether a host is allowed.
  package func allows(_ origin: NetworkOrigin) -> Bool {
    (hosts + named).contains { $0.matches(origin) }
  }

  /// Whether an allowed host may resolve to an address. An address of this machine or of a private
  /// network must itself be in the list, unless the user named the host.
  package func allows(_ address: NetworkAddress, of origin: NetworkOrigin) -> Bool {
    guard address.isInternal else { return true }
    if origin.host == "localhost", address.isLoopback { return true }
    if named.contains(where: { $0.matches(origin) }) { return true }
    return hosts.contains {
      NetworkAddress($0.name) == address && ($0.port ?? origin.port) == origin.port
    }
  }
}

/// The scheme, host and port of a URL, which are the scope of credentials.
package struct NetworkOrigin: Sendable, Hashable, CustomStringConvertible {
  package var isSecure: Bool
  package var host: String
  package var port: Int

  /// - Parameter url: an `http` or `https` URL of printable ASCII characters, without a user name
  ///   and password.
  /// - Returns: nil for any other URL.
  package init?(_ url: String) {
    let lower = url.prefix(8).lowercased()
    let start: Int
    if lower.hasPrefix("https://") {
      (isSecure, start) = (true, 8)
    } else if lower.hasPrefix("http://") {
      (isSecure, start) = (false, 7)
    } else {
      return nil
    }
    // URLs that other parsers might interpret differently are rejected.
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      return nil
    }
    let rest = url.dropFirst(start)
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), let host = NetworkHost(String(authority)) else { return nil }
    guard !authority.contains(":") || authority.hasPrefix("[") || host.port != nil else {
      return nil
    }
    (self.host, port) = (host.name, host.port ?? (isSecure ? 443 : 80))
  }

  /// Creates the origin of a server that is not addressed by a URL.
  package init(host: String, port: Int) {
    (isSecure, self.host, self.port) = (false, host, port)
  }

  /// Creates the origin of a URL that may contain a user name and password before the host.
  init?(withoutUser url: String) {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard let mark = authority.lastIndex(of: "@") else {
      self.init(url)
      return
    }
    self.init(String(url[..<scheme.upperBound]) + rest[rest.index(after: mark)...])
  }

  package var description: String {
    let isUsual = port == (isSecure ? 443 : 80)
    return (isSecure ? "https://" : "http://")
      + NetworkHost(name: host, port: isUsual ? nil : port).description
  }
}
