import HTTPTypes
import NIOHTTP1
import PlumbIO
import PlumbService

/// The client and the requested URL, from the connection or from the headers of a trusted proxy.
struct RequestOrigin: Sendable {
  /// The client's address or network, which is the key for its limits.
  var client: String
  /// The client's address for the log; empty for a non-network connection.
  var address: String
  /// The requested host from the headers; nil if missing.
  var host: String?
  /// Whether a trusted proxy provided the host.
  var isForwarded = false
  /// The start of URLs in replies, such as `https://maps.example.org/plumb`.
  var base: String

  /// - Parameters:
  ///   - authority: the host in the request.
  ///   - connectionScheme: `http` or `https`, the connection's scheme.
  ///   - baseURL: the value of `--base-url`; nil if the option is not given.
  init(
    _ headers: HTTPFields, authority: String?, _ connection: ClientConnection?,
    _ proxies: TrustedProxies, scheme connectionScheme: String, baseURL: String?
  ) {
    client = connection?.client ?? "local"
    address = connection?.addressText ?? ""
    host = authority
    var scheme = connectionScheme
    var prefix = ""
    if let proxy = connection?.address, proxies.contain(proxy) {
      let forwarded = Self.forwarded(headers)
      let clients = Self.list(headers, "X-Forwarded-For")
      if let clientAddress = Self.client(clients.isEmpty ? forwarded.clients : clients, proxies) {
        (client, address) = (clientAddress.network.description, clientAddress.description)
      }
      if let name = Self.last(headers, "X-Forwarded-Host") ?? forwarded.host, Self.isHost(name) {
        (host, isForwarded) = (name, true)
      }
      if let word = (Self.last(headers, "X-Forwarded-Proto") ?? forwarded.scheme)?.lowercasedASCII,
        word.hasSameBytes(as: "https") || word.hasSameBytes(as: "http")
      {
        scheme = word
      }
      if let path = Self.last(headers, "X-Forwarded-Prefix"), Self.isPath(path) {
        prefix = path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
      }
    }
    base = baseURL ?? host.map { "\(scheme)://\($0)\(prefix)" } ?? ""
  }

  /// Returns the client's address for the log.
  static func client(
    of head: HTTPRequestHead, _ connection: ClientConnection, _ proxies: TrustedProxies
  ) -> String {
    var fields = HTTPFields()
    for name in ["X-Forwarded-For", "Forwarded"] {
      guard let key = HTTPField.Name(name) else { continue }
      for value in head.headers[name] { fields.append(HTTPField(name: key, value: value)) }
    }
    return RequestOrigin(
      fields, authority: nil, connection, proxies, scheme: "", baseURL: nil
    ).address
  }

  /// Returns the last address that does not belong to a trusted proxy. Addresses before it may be
  /// forged.
  private static func client(_ texts: [String], _ proxies: TrustedProxies) -> NetworkAddress? {
    for text in texts.reversed() {
      guard let address = address(text) else { return nil }
      if !proxies.contain(address) { return address }
    }
    return nil
  }

  /// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
  private static func address(_ text: String) -> NetworkAddress? {
    if let address = NetworkAddress(text) { return address }
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
      return NetworkAddress(String(decoding: bytes[1..<end], as: UTF8.self))
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return NetworkAddress(String(decoding: bytes[..<colon], as: UTF8.self))
  }

  /// Returns the items of a list header, from all its fields.
  private static func list(_ headers: HTTPFields, _ name: String) -> [String] {
    guard let name = HTTPField.Name(name) else { return [] }
    return headers[values: name].flatMap { text in
      text.utf8.split(separator: UInt8(ascii: ",")).map {
        String(decoding: $0, as: UTF8.self).trimmingASCIISpace()
      }
    }
  }

  private static func last(_ headers: HTTPFields, _ name: String) -> String? {
    list(headers, name).last
  }

  /// Parses the `Forwarded` header (RFC 7239).
  private static func forwarded(
    _ headers: HTTPFields
  ) -> (clients: [String], host: String?, scheme: String?) {
    var (clients, host, scheme): ([String], String?, String?) = ([], nil, nil)
    for item in list(headers, "Forwarded") {
      for pair in item.utf8.split(separator: UInt8(ascii: ";")) {
        let words = pair.split(
          separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self).trimmingASCIISpace() }
        guard words.count == 2 else { continue }
        var value = words[1]
        if value.utf8.count > 1, value.utf8.first == 0x22, value.utf8.last == 0x22 {
          value = String(value.dropFirst().dropLast())
        }
        switch words[0].lowercasedASCII {
        case "for": clients.append(value)
        case "host": host = value
        case "proto": scheme = value
        default: break
        }
      }
    }
    return (clients, host, scheme)
  }

  /// Whether a string is a valid host, with or without a port, for a URL.
  private static func isHost(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// Whether a string is a valid path prefix.
  private static func isPath(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.utf8.first == UInt8(ascii: "/")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x2D...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x7E: true
        default: false
        }
      }
  }
}

extension ServiceRequest {
  /// The request of a head, without its headers.
  init(_ head: HTTPRequestHead) {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      .get, parts.first.map(String.init) ?? "", query: parts.count > 1 ? String(parts[1]) : "")
  }
}
